/**
 * Several facilitators in order. The first one that works verifies a payment, and the same one
 * settles it: while an outcome is unknown, no other facilitator is asked about the payment.
 */
import type { SettleResponse } from "@farthing/protocol";
import type { Clock } from "./clock.ts";
import { minCallMs, settlementIdOf } from "./exchange/settle.ts";
import type {
  AccountProblem,
  CallLimit,
  Facilitator,
  FacilitatorRequest,
  Fault,
  LookupOutcome,
  RefundCalls,
  Unsupported,
  VerifyOutcome,
} from "./facilitator.ts";

/** One facilitator of the order. */
export interface Member {
  /** What payment records remember it by. Absent where the only one has no name. */
  readonly name: string | undefined;
  readonly client: Facilitator;
  readonly rest: Rest;
}

export type FacilitatorOrder = readonly [Member, ...Member[]];

/** After faults, a facilitator is asked last until its rest ends. */
interface Rest {
  faults: number;
  untilMs: number;
}

export type FacilitatorFailure = Fault | AccountProblem;

/** Longest wait for one verification while another facilitator is left: usually it takes 0.1 s. */
const maxTryMs = 5_000;

/**
 * Longest wait for the verification of the only facilitator, or of the last one: half of an
 * exchange. A later verdict would leave no time for the settlement.
 */
const maxVerifyMs = 10_000;

/** The rest after the first fault, doubled with each further one: a restart, and an outage. */
const minRestMs = 5_000;
const maxRestMs = 60_000;

/** The rest after a problem of the seller's account: people are slower. */
const accountRestMs = 60_000;

/** What a facilitator says of payments that are not its business; the buyer is not at fault. */
const elsewhereReasons = new Set([
  "unsupported_network",
  "invalid_network",
  "unsupported_scheme",
  "invalid_scheme",
  "invalid_exact_evm_scheme",
  "unexpected_verify_error",
]);

/** Sellers that share a client, such as the routes of a gateway, share what they learned of it. */
const rests = new WeakMap<Facilitator, Rest>();

export function createFacilitatorOrder(
  clients: readonly [Facilitator, ...Facilitator[]],
): FacilitatorOrder {
  const [first, ...others] = clients;
  return [toMember(first), ...others.map(toMember)];
}

function toMember(client: Facilitator): Member {
  const rest = rests.get(client) ?? { faults: 0, untilMs: 0 };
  rests.set(client, rest);
  const { name } = client;
  return { name, client: name === undefined ? client : nameFailures(client, name), rest };
}

/** Returns the same facilitator; its faults say whose they are. */
function nameFailures(client: Facilitator, facilitator: string): Facilitator {
  const named = <T extends { readonly kind: string }>(outcome: T): T =>
    isFailure(outcome) ? { ...outcome, facilitator } : outcome;
  return {
    ...client,
    verify: async (request, limit) => named(await client.verify(request, limit)),
    settle: async (request, limit) => named(await client.settle(request, limit)),
    settlement: async (id, limit) => named(await client.settlement(id, limit)),
  };
}

/** Returns the same order; `wrap` replaces each client. */
export function mapClients(
  [first, ...others]: FacilitatorOrder,
  wrap: (client: Facilitator) => Facilitator,
): FacilitatorOrder {
  const wrapOne = (member: Member) => ({ ...member, client: wrap(member.client) });
  return [wrapOne(first), ...others.map(wrapOne)];
}

/**
 * Returns the facilitator of a payment record: the first one for a record of earlier versions, which
 * names none, and undefined for one that is not configured any more.
 */
export function memberNamed(order: FacilitatorOrder, name: string | undefined): Member | undefined {
  return name === undefined ? order[0] : order.find((member) => member.name === name);
}

/** Notes a result of `/verify` or `/settle`. A slow settlement may be the chain's. */
export function noteResult(
  { rest }: Member,
  outcome: { readonly kind: string; readonly isAboutPayer?: boolean },
  call: "verify" | "settle",
  nowMs: number,
): void {
  if (!isFailure(outcome)) {
    rest.faults = 0;
    rest.untilMs = 0;
    return;
  }
  // One payer must not put a facilitator to rest for the buyers of a shop.
  if (outcome.kind === "fault" && outcome.isAboutPayer) return;
  if (call === "settle" && outcome.kind === "fault" && outcome.reason === "timed_out") return;
  rest.faults++;
  rest.untilMs = nowMs + restMsOf(outcome, rest.faults);
}

function restMsOf(failure: FacilitatorFailure, faults: number): number {
  if (failure.kind === "account") return accountRestMs;
  const backOffMs = Math.min(minRestMs * 2 ** (faults - 1), maxRestMs);
  return Math.max((failure.retryAfterSeconds ?? 0) * 1000, backOffMs);
}

const lasts = (rest: Rest | undefined, nowMs: number): boolean => (rest?.untilMs ?? 0) > nowMs;

/** Whether a client is asked last at the moment, because it has failed. */
export function isAtRest(client: Facilitator, nowMs = Date.now()): boolean {
  return lasts(rests.get(client), nowMs);
}

/** The order in which facilitators are asked now: those at rest last. */
function toAsk(order: readonly Member[], nowMs: number): Member[] {
  const ready = order.filter(({ rest }) => !lasts(rest, nowMs));
  return [...ready, ...order.filter(({ rest }) => lasts(rest, nowMs))];
}

export interface Verified {
  readonly member: Member;
  readonly outcome: VerifyOutcome;
}

export interface Verifying {
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** Told of each facilitator that did not evaluate the payment, before the next one is asked. */
  readonly onSkipped: (skipped: Member, failure: FacilitatorFailure, next: Member) => void;
}

/**
 * Asks for a verdict until one of the facilitators gives it. Without a verdict, returns why the
 * first one gave none.
 */
export async function verifyInOrder(
  members: FacilitatorOrder,
  request: FacilitatorRequest,
  { clock, deadlineMs, onSkipped }: Verifying,
): Promise<Verified> {
  const asked = toAsk(members, clock.now());
  let best: Verified | undefined;
  for (const [nth, member] of asked.entries()) {
    const leftMs = deadlineMs - clock.now();
    if (best && leftMs < minCallMs) break;
    const left = asked.length - nth;
    const timeoutMs =
      left === 1 ? Math.min(leftMs, maxVerifyMs) : Math.min(leftMs / left, maxTryMs);
    // While one request tries a facilitator again, others do not wait for it.
    if (member.rest.faults > 0) {
      member.rest.untilMs = Math.max(member.rest.untilMs, clock.now() + timeoutMs);
    }
    const outcome = await member.client.verify(request, { timeoutMs });
    noteResult(member, outcome, "verify", clock.now());
    if (!isFailure(outcome) && !isElsewhere(outcome)) return { member, outcome };
    // Of one that does not serve the network, nothing follows for the others.
    if (!best || (isFailure(outcome) && !isFailure(best.outcome))) best = { member, outcome };
    const next = asked[nth + 1];
    if (next && isFailure(outcome)) onSkipped(member, outcome, next);
  }
  if (!best) throw new Error("No facilitator was asked.");
  return best;
}

function isElsewhere(outcome: Exclude<VerifyOutcome, FacilitatorFailure>): boolean {
  const { isValid, invalidReason } = outcome.verdict;
  return !isValid && invalidReason !== undefined && elsewhereReasons.has(invalidReason);
}

function isFailure<T extends { readonly kind: string }>(
  outcome: T,
): outcome is T & FacilitatorFailure {
  return outcome.kind === "fault" || outcome.kind === "account";
}

/** Returns the facilitators that were not tried yet; undefined when there are none. */
export function othersOf(
  order: FacilitatorOrder,
  tried: ReadonlySet<Member>,
): FacilitatorOrder | undefined {
  const [first, ...others] = order.filter((member) => !tried.has(member));
  return first && [first, ...others];
}

/** What a seller knows of a settlement that it asks for. */
export interface KnownSettlement {
  readonly id: string;
  /** Absent where none is known. */
  readonly transaction: string | undefined;
}

/** Asks for a settlement by its id until one of the facilitators knows it. */
export async function lookUpInOrder(
  order: FacilitatorOrder,
  known: KnownSettlement,
  { nowMs, ...limit }: CallLimit & { readonly waitSeconds: number; readonly nowMs: number },
): Promise<LookupOutcome> {
  return askInOrder(order, nowMs, limit, async ({ client }, own): Promise<LookupOutcome> => {
    const outcome = await client.settlement(known.id, own);
    // One of several that does not have the payment may call it failed.
    const isOther =
      order.length > 1 && outcome.kind === "settlement" && !isAbout(outcome.settlement, known);
    return isOther ? { kind: "not_found" } : outcome;
  });
}

function isAbout(settlement: SettleResponse, { id, transaction }: KnownSettlement): boolean {
  if (settlementIdOf(settlement) === id) return true;
  return settlement.transaction !== "" && settlement.transaction === transaction;
}

/** Asks until an outcome is neither a fault nor unknown. Without one, a fault comes first. */
async function askInOrder<T extends { readonly kind: string }, L extends CallLimit>(
  order: FacilitatorOrder,
  nowMs: number,
  limit: L,
  ask: (member: Member, limit: L) => Promise<T>,
): Promise<T> {
  const asked = toAsk(order, nowMs);
  const [first = order[0], ...others] = asked;
  const timeoutMs =
    others.length === 0 ? limit.timeoutMs : Math.min(limit.timeoutMs / asked.length, maxTryMs);
  let outcome = await ask(first, { ...limit, timeoutMs });
  for (const member of others) {
    if (!isFailure(outcome) && outcome.kind !== "not_found") return outcome;
    const next = await ask(member, { ...limit, timeoutMs });
    if (!isFailure(outcome) || next.kind !== "not_found") outcome = next;
  }
  return outcome;
}

/**
 * Returns the refund calls of all facilitators: a refund goes to the one that settled the payment.
 * Undefined where none offers refunds.
 */
export function refundsInOrder(order: FacilitatorOrder, clock: Clock): RefundCalls | undefined {
  const calls = order.flatMap(({ client }) => client.refunds ?? []);
  if (order.length === 1 || calls.length === 0) return calls[0];
  const find = async (settlementId: string, limit: CallLimit) => {
    let knows: RefundCalls | undefined;
    let unsupported: Unsupported | undefined;
    let isOffered = false;
    const outcome = await askInOrder(order, clock.now(), limit, async ({ client }, own) => {
      const found = await client.refunds?.find(settlementId, own);
      if (found?.kind === "payment") knows = client.refunds;
      if (found?.kind === "refused") unsupported = found;
      else if (found) isOffered = true;
      // The one that settled the payment may be among the others.
      return found && found.kind !== "refused" ? found : { kind: "not_found" as const };
    });
    return { outcome: (isOffered ? undefined : unsupported) ?? outcome, knows };
  };
  return {
    find: async (settlementId, limit) => (await find(settlementId, limit)).outcome,
    async send(refund, limit) {
      const { outcome, knows } = await find(refund.settlementId, limit);
      if (knows) return knows.send(refund, limit);
      return outcome.kind === "payment" ? { kind: "not_found" } : outcome;
    },
  };
}
