/**
 * The limits for callers without a key. Counters decide about claims in the transaction that makes
 * them; `/verify` asks the same without counting. No statement here reads settlements.
 */
import { toLowerHex, zeroAddress, type ChainId, type Hex } from "@farthing/protocol";
import {
  chooseHalf,
  type Claim,
  type GasHalf,
  gasHalves,
  halfOf,
  hourMs,
  notedShare,
  refillOf,
} from "@farthing/engine";
import { assert } from "@farthing/engine/base";
import {
  atomic,
  bucketMs,
  type ClaimDenial,
  type CounterEntry,
  type CounterName,
  type Counters,
  createLocal,
  type Database,
  type EngineTransaction,
  keylessLock,
  lowerCounters,
  pruneCounters,
  raiseCounters,
  readCounters,
  type SettlementParticipant,
  unchanged,
  type Work,
} from "@farthing/engine/storage";
import {
  chargeKeyless,
  closeKeyless,
  rechargeKeyless,
  type KeylessCharge,
} from "./charge-store.ts";
import type {
  KeylessCall,
  KeylessCallCharge,
  KeylessQuestion,
  KeylessRefusal,
  KeylessResult,
} from "./store.ts";
import { countForPayees } from "./payee-store.ts";

/** Parts of a window: the amounts of a day are counted to the hour. */
const partsOfWindow = 24;

const dayMs = 24 * hourMs;

const zeroNonce: Hex = `0x${"0".repeat(64)}`;

/** A payment stays noted for as long as a seller may work between /verify and /settle. */
const notedMs = 10 * 60 * 1000;

/** The charges of a batch's claims by id, which are counted once the claims are made. */
const chargesOfClaims = createLocal(() => new Map<string, KeylessCharge>());

export const keylessParticipant: SettlementParticipant = {
  name: "keyless-limits",
  // Nothing is counted between the read of the counters and the claim.
  locksOf: (claims) => claims.filter(isLimited).map(({ chainId }) => keylessLock(chainId)),
  beforeClaim: denyOverLimits,
  async onClaimed(tx, settlements) {
    await chargeKeyless(tx, settlements, chargesOfClaims(tx), tx.now);
    return unchanged;
  },
  async onTransitions(tx, transitions) {
    await closeKeyless(
      tx,
      transitions.filter(({ kind }) => kind === "confirmed" || kind === "failed"),
    );
    const renewed = transitions.filter(({ kind }) => kind === "renewed");
    await rechargeKeyless(tx, renewed, chargesOfClaims(tx));
    const finalized = transitions.filter(({ kind }) => kind === "finalized");
    await countForPayees(
      tx,
      // A refund proves no sale.
      finalized.flatMap(({ settlement }) => (settlement.refundOf === null ? [settlement] : [])),
    );
    return unchanged;
  },
};

/** Evaluates claims in their order: each claim that passes counts for the next one. */
async function denyOverLimits(
  tx: EngineTransaction,
  claims: readonly Claim[],
): Promise<ReadonlyMap<string, ClaimDenial>> {
  const denials = new Map<string, ClaimDenial>();
  const limited = claims.filter(isLimited);
  if (limited.length === 0) return denials;
  const counters = await readCounters(tx, limited.flatMap(countersOf), tx.now);
  for (const claim of limited) {
    const evaluated = evaluate(claim, counters, tx.now);
    if ("refusal" in evaluated) {
      denials.set(claim.id, { code: evaluated.refusal });
      continue;
    }
    counters.add(evaluated.charge.entries);
    chargesOfClaims(tx).set(claim.id, evaluated.charge);
  }
  return denials;
}

export type KeylessStore = ReturnType<typeof createKeylessStore>;

export function createKeylessStore(database: Database) {
  return {
    /** Evaluates payments as a claim would, and counts nothing; in order. */
    checkKeyless: checkKeyless.bind(undefined, database),
    /** Notes valid payments: their claims may draw on what is closed to new questions. */
    noteKeyless: notePayments.bind(undefined, database),
    /** Counts the gas of a call that is no settlement, or returns why it may not be spent. */
    chargeKeylessCall: atomic(database, chargeCall),
    /** Takes back what such a call has not spent. */
    returnKeylessCall: atomic(database, returnCall),
    /** Returns the used gas of each half of a chain's budget, in gwei. */
    readKeylessGas: readGasUse.bind(undefined, database),
    /** Removes expired counters, at most `limit`; returns how many. */
    pruneKeyless: pruneCounters.bind(undefined, database),
  };
}

async function checkKeyless(
  database: Database,
  questions: readonly KeylessQuestion[],
  now: number,
): Promise<KeylessResult[]> {
  const counters = await readCounters(database, questions.flatMap(countersOf), now);
  return questions.map((question) => {
    const evaluated = evaluate({ ...question, isQuestion: true }, counters, now);
    if ("refusal" in evaluated) return { refusal: evaluated.refusal, isTight: true };
    const { half } = evaluated.charge;
    const size = halfOf(question.terms.keyless?.gas?.budgetGwei ?? 0);
    const used = half && counters.used({ chainId: question.chainId, kind: "half", name: half });
    return { refusal: null, isTight: used !== null && used >= size * notedShare };
  });
}

const chargeCall: Work<(call: KeylessCall, now: number) => Promise<KeylessCallCharge>> = async (
  inside,
  { chainId, payTo, callerNetwork, gas, gwei },
  now,
) => {
  await inside.engine.lockNames(inside.db, [keylessLock(chainId)]);
  const terms = {
    keyless: { callerNetwork, payerCountMax: null, gas: { ...gas, plainGwei: gwei } },
  };
  // It has no payer and no authorization.
  const none = { payer: zeroAddress, nonce: zeroNonce, amount: 0n, payerHasCode: false };
  const question = { chainId, payTo, terms, ...none };
  const counters = await readCounters(inside, countersOf(question), now);
  const charged = evaluateGas(question, counters, now);
  if ("refusal" in charged) return charged;
  assert(charged.half !== null, "a call has a budget of gas");
  await raiseCounters(inside, charged.entries, now);
  return { half: charged.half };
};

const returnCall: Work<(call: KeylessCall, half: GasHalf) => Promise<void>> = async (
  inside,
  { chainId, callerNetwork, gwei },
  half,
) => {
  if (gwei <= 0) return;
  await inside.engine.lockNames(inside.db, [keylessLock(chainId)]);
  await lowerCounters(
    inside,
    [
      { chainId, kind: "half" as const, name: half },
      networkCounter(chainId, half, callerNetwork),
    ].map((counter) => ({ ...counter, slot: 0, amount: gwei })),
  );
};

async function notePayments(
  database: Database,
  questions: readonly KeylessQuestion[],
  now: number,
): Promise<void> {
  await raiseCounters(
    database,
    questions.map((question) => ({
      ...notedCounter(question),
      slot: 0,
      amount: 1,
      refill: 0,
      expiresAt: now + notedMs,
    })),
    now,
  );
}

async function readGasUse(
  database: Database,
  chainId: ChainId,
  now: number,
): Promise<Readonly<Record<GasHalf, number>>> {
  const of = (name: GasHalf) => ({ chainId, kind: "half" as const, name });
  const counters = await readCounters(database, gasHalves.map(of), now);
  return { open: counters.used(of("open")), proven: counters.used(of("proven")) };
}

function isLimited({ terms: { payerCap = null, keyless } }: KeylessQuestion): boolean {
  return payerCap !== null || keyless !== undefined;
}

function countersOf(question: KeylessQuestion): CounterName[] {
  const { chainId, payTo, terms } = question;
  const { keyless } = terms;
  const payer = toLowerHex(question.payer);
  const gas = keyless?.gas
    ? [
        ...gasHalves.flatMap((half): CounterName[] => [
          { chainId, kind: "half", name: half },
          networkCounter(chainId, half, keyless.callerNetwork),
        ]),
        { chainId, kind: "proven" as const, name: toLowerHex(payTo) },
        notedCounter(question),
      ]
    : [];
  return [{ chainId, kind: "spent", name: payer }, { chainId, kind: "count", name: payer }, ...gas];
}

function networkCounter(chainId: ChainId, half: GasHalf, network: string): CounterName {
  return { chainId, kind: "network", name: `${half} ${network}` };
}

function notedCounter({ chainId, payer, nonce }: KeylessQuestion): CounterName {
  return { chainId, kind: "noted", name: `${payer}:${nonce}`.toLowerCase() };
}

/** The part of a window at a time, and the first part that still counts then. */
function slotsAt(windowMs: number, now: number) {
  const partMs = windowMs / partsOfWindow;
  return {
    slot: Math.floor(now / partMs),
    since: Math.floor((now - windowMs) / partMs) + 1,
    expiresAt: now + windowMs + Math.ceil(partMs),
  };
}

type Evaluated = { readonly refusal: KeylessRefusal } | { readonly charge: KeylessCharge };

function evaluate(
  question: KeylessQuestion & { readonly isQuestion?: boolean },
  counters: Counters,
  now: number,
): Evaluated {
  const { chainId, amount, terms } = question;
  const { payerCap = null, keyless } = terms;
  const payer = toLowerHex(question.payer);
  const entries: CounterEntry[] = [];
  let spentSlot: number | null = null;
  let countSlot: number | null = null;
  if (payerCap !== null) {
    const counter = { chainId, kind: "spent" as const, name: payer };
    const { slot, since, expiresAt } = slotsAt(payerCap.windowMs, now);
    const spent = BigInt(counters.sum(counter, since)) + amount;
    if (spent > payerCap.units) return { refusal: "payer_spend_cap_reached" };
    spentSlot = slot;
    entries.push({ ...counter, slot, amount: Number(amount), refill: 0, expiresAt });
  }
  if (keyless?.payerCountMax != null) {
    const counter = { chainId, kind: "count" as const, name: payer };
    const { slot, since, expiresAt } = slotsAt(dayMs, now);
    if (counters.sum(counter, since) >= keyless.payerCountMax) {
      return { refusal: "payer_count_reached" };
    }
    countSlot = slot;
    entries.push({ ...counter, slot, amount: 1, refill: 0, expiresAt });
  }
  const gas = evaluateGas(question, counters, now);
  if ("refusal" in gas) return gas;
  const charge = { spentSlot, countSlot, half: gas.half, gwei: gas.gwei };
  return { charge: { ...charge, entries: [...entries, ...gas.entries] } };
}

function evaluateGas(
  question: KeylessQuestion & { readonly isQuestion?: boolean },
  counters: Counters,
  now: number,
) {
  const { chainId, terms, payTo, payerHasCode, isQuestion = false } = question;
  const { keyless } = terms;
  if (!keyless?.gas) return { half: null, gwei: 0, entries: [] };
  const { budgetGwei, plainGwei, contractGwei } = keyless.gas;
  const { callerNetwork } = keyless;
  const gwei = payerHasCode ? contractGwei : plainGwei;
  const provenFrom = counters.firstPeriod({ chainId, kind: "proven", name: toLowerHex(payTo) });
  const chosen = chooseHalf({
    budgetGwei,
    costGwei: gwei,
    isProven: provenFrom !== undefined && provenFrom <= Math.floor(now / dayMs),
    isNoted: !isQuestion && counters.sum(notedCounter(question)) > 0,
    useOf: (half) => ({
      all: counters.used({ chainId, kind: "half", name: half }),
      network: counters.used(networkCounter(chainId, half, callerNetwork)),
    }),
  });
  if ("refusal" in chosen) return chosen;
  const { half } = chosen;
  const refill = refillOf(budgetGwei);
  const expiresAt = now + bucketMs;
  const entries: CounterEntry[] = [
    { chainId, kind: "half", name: half, slot: 0, amount: gwei, refill: refill.half, expiresAt },
    {
      ...networkCounter(chainId, half, callerNetwork),
      slot: 0,
      amount: gwei,
      refill: refill.network,
      expiresAt,
    },
  ];
  return { half, gwei, entries };
}
