/** The promises of every ledger: limits hold under concurrency, moves follow the table. */
import * as fc from "fast-check";
import { toLowerHex, xdc, type Hex } from "@farthing/protocol";
import { expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "../buyer-bench.testing.ts";
import {
  LedgerTransitionError,
  ledgerTransitions,
  openStates,
  type Ledger,
  type LedgerState,
  type Reservation,
  type ReserveRules,
} from "./ledger.ts";
import { dayMs } from "./limits.ts";
import {
  challenge,
  oneCent,
  otherPayee,
  payer,
  payTo,
  startSeller,
} from "../scripted-seller.testing.ts";

/** A limit that ten reservations reach. */
export const rules: ReserveRules = {
  perDayUnits: 1000n,
  windowMs: dayMs,
  openPaymentsMax: 100,
  payeePin: "keep",
};

const heard = (nth: number, remaining: number) => ({
  token: `${"ab".repeat(16)}.${nth}`,
  url: "https://a.example/r",
  expiresAtMs: 1_000_000_000,
  remaining,
});

/** A reservation of 100 base units. */
export function reservation(requestId: string, over: Partial<Reservation> = {}): Reservation {
  return {
    requestId,
    fingerprint: "f",
    wallet: payer,
    network: xdc.id,
    asset: xdc.usdc,
    amountUnits: 100n,
    payTo,
    host: "a.example",
    reservedAt: 1_000_000_000,
    ...over,
  };
}

const states = [
  "reserved",
  "signed",
  "sent",
  "ambiguous",
  "settled",
  "released",
  "expired",
] as const;
/** The moves that lead to a state. */
export const pathTo: Readonly<Record<LedgerState, readonly LedgerState[]>> = {
  reserved: [],
  signed: ["signed"],
  sent: ["signed", "sent"],
  ambiguous: ["signed", "sent", "ambiguous"],
  settled: ["signed", "sent", "settled"],
  released: ["released"],
  expired: ["signed", "sent", "expired"],
};

const signedPayment = {
  url: "https://a.example/r",
  headerName: "PAYMENT-SIGNATURE",
  headerValue: "e30=",
  version: 2,
  validBefore: 1_000_300,
} as const;

/** Runs the suite; `newLedger` gives an empty ledger. `runs` bounds the random orders. */
export function testLedger(newLedger: () => Ledger, runs: number): void {
  test.each(states)("from %s only the moves of the table are taken", async (from) => {
    for (const to of states) {
      const ledger = newLedger();
      await ledger.reserve(reservation("r"), rules);
      for (const state of pathTo[from]) await ledger.transition("r", { state });
      const moved = ledger.transition("r", { state: to });
      if (ledgerTransitions[from].includes(to)) expect((await moved).state).toBe(to);
      else await expect(moved).rejects.toThrow(`cannot become ${to}`);
    }
  });

  test("only a released id can be reserved again", async () => {
    for (const state of states) {
      const ledger = newLedger();
      await ledger.reserve(reservation("r"), rules);
      for (const step of pathTo[state]) await ledger.transition("r", { state: step });
      expect((await ledger.reserve(reservation("r"), rules)).ok).toBe(state === "released");
    }
  });

  test("each attempt is counted, and a late word about an earlier one moves nothing", async () => {
    const ledger = newLedger();
    const nonces: Hex[] = [`0x${"01".repeat(32)}`, `0x${"02".repeat(32)}`];
    for (const [attempt, nonce] of nonces.entries()) {
      const outcome = await ledger.reserve(reservation("r"), rules);
      expect(outcome).toMatchObject({ ok: true, record: { attempt } });
      const signed = { ...signedPayment, nonce };
      const earlier = {
        state: "signed",
        signed,
        ofNonce: undefined,
        ofAttempt: attempt - 1,
      } as const;
      await expect(ledger.transition("r", earlier)).rejects.toThrow(LedgerTransitionError);
      await ledger.transition("r", { ...earlier, ofAttempt: attempt });
      if (attempt === 0) await ledger.transition("r", { state: "released", ofNonce: nonce });
    }
    const late = ledger.transition("r", { state: "settled", ofNonce: nonces[0] });
    await expect(late).rejects.toThrow(LedgerTransitionError);
    expect(await ledger.find("r")).toMatchObject({ state: "signed", signed: { nonce: nonces[1] } });
  });

  test("lists the states that are asked for, the oldest first", async () => {
    const ledger = newLedger();
    for (const [at, id] of ["b", "a", "c"].entries()) {
      await ledger.reserve(reservation(id, { reservedAt: 1_000_000_000 + at }), rules);
    }
    await ledger.transition("a", { state: "released" });
    const idsOf = async (states?: readonly LedgerState[]) =>
      (await ledger.list(states)).map(({ requestId }) => requestId);
    expect(await idsOf()).toEqual(["b", "a", "c"]);
    expect(await idsOf(openStates)).toEqual(["b", "c"]);
    expect(await idsOf(["released"])).toEqual(["a"]);
  });

  test("an open payment counts however old it is, a settled one for a day", async () => {
    const ledger = newLedger();
    for (const [id, state] of [
      ["open", "ambiguous"],
      ["done", "settled"],
    ] as const) {
      await ledger.reserve(reservation(id), rules);
      for (const step of pathTo[state]) await ledger.transition(id, { state: step });
    }
    const usage = (ageMs: number) => ledger.usage(reservation("x"), 1_000_000_000 + ageMs - dayMs);
    expect(await usage(dayMs - 1)).toEqual({ spentUnits: 200n, openPayments: 1 });
    expect(await usage(30 * dayMs)).toEqual({ spentUnits: 100n, openPayments: 1 });
  });

  test("what a wallet has spent counts however its address is written", async () => {
    const ledger = newLedger();
    const written = { wallet: toLowerHex(payer), asset: toLowerHex(xdc.usdc) };
    await ledger.reserve(reservation("a", { ...written, amountUnits: 901n }), rules);
    for (const state of pathTo.settled) await ledger.transition("a", { state });
    const more = await ledger.reserve(reservation("b"), rules);
    expect(more).toEqual({ ok: false, reason: "cumulative_cap" });
    // The limit itself can be reached.
    expect((await ledger.reserve(reservation("b", { amountUnits: 99n }), rules)).ok).toBe(true);
  });

  test("the pin holds at the moment of reserving, also between two calls at once", async () => {
    const ledger = newLedger();
    const outcomes = await Promise.all([
      ledger.reserve(reservation("a"), rules),
      ledger.reserve(reservation("b", { payTo: otherPayee }), rules),
      ledger.reserve(reservation("c", { payTo: otherPayee, host: "b.example" }), rules),
      ledger.reserve(reservation("d", { payTo: otherPayee, network: "eip155:51" }), rules),
    ]);
    expect(outcomes).toMatchObject([
      { ok: true },
      { ok: false, reason: "payee_changed" },
      { ok: true },
      { ok: true },
    ]);
  });

  test("open payments are counted at the moment of reserving", async () => {
    const ledger = newLedger();
    const two = { ...rules, openPaymentsMax: 2 };
    const ids = ["a", "b", "c"];
    const outcomes = await Promise.all(
      ids.map((id) => ledger.reserve(reservation(id, { host: `${id}.example` }), two)),
    );
    expect(outcomes[2]).toEqual({ ok: false, reason: "open_payments_limit" });
    for (const state of pathTo.settled) await ledger.transition("a", { state });
    expect((await ledger.reserve(reservation("c"), two)).ok).toBe(true);
  });

  test("open payments of one host are counted at the moment of reserving as well", async () => {
    const ledger = newLedger();
    const two = { ...rules, openPaymentsPerHostMax: 2 };
    const outcomes = await Promise.all([
      ...["a", "b", "c"].map((id) => ledger.reserve(reservation(id), two)),
      ledger.reserve(reservation("d", { host: "b.example" }), two),
    ]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, false, true]);
    expect(outcomes[2]).toEqual({ ok: false, reason: "open_payments_limit" });
  });

  test("what was last heard of a token stays, within a bound", async () => {
    const ledger = newLedger();
    await Promise.all([heard(0, 3), heard(1, 3)].map(async (one) => ledger.keepHeard?.(one)));
    await ledger.keepHeard?.(heard(0, 2));
    expect(await ledger.listHeard?.()).toEqual([heard(1, 3), heard(0, 2)]);
    for (let nth = 2; nth < 102; nth++) await ledger.keepHeard?.(heard(nth, 1));
    const kept = (await ledger.listHeard?.()) ?? [];
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([100, heard(2, 1), heard(101, 1)]);
  });

  test("no order of reservations and outcomes ever spends more than the limit in a day", async () => {
    const step = fc.record({
      amount: fc.bigInt({ min: 1n, max: 600n }),
      pauseMs: fc.integer({ min: 0, max: dayMs / 2 }),
      outcome: fc.constantFrom<LedgerState>("reserved", "released", "ambiguous", "settled"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const ledger = newLedger();
        const granted: { at: number; amount: bigint }[] = [];
        let now = 1_000_000_000;
        for (const [index, { amount, pauseMs, outcome }] of steps.entries()) {
          now += pauseMs;
          const wanted = reservation(`r${index}`, { amountUnits: amount, reservedAt: now });
          const { ok } = await ledger.reserve(wanted, rules);
          if (!ok) continue;
          for (const state of pathTo[outcome]) await ledger.transition(`r${index}`, { state });
          if (outcome !== "released") granted.push({ at: now, amount });
          const inWindow = granted.filter(({ at }) => at > now - dayMs);
          const spent = inWindow.reduce((sum, one) => sum + one.amount, 0n);
          expect(spent <= 1000n).toBe(true);
        }
      }),
      { numRuns: runs },
    );
  });

  test("many calls at once never pay more than the limit, over real HTTP", async () => {
    await using seller = await startSeller({ unpaid: challenge({ ...oneCent, amount: 30_000n }) });
    const { pay, signer } = buyerBench({
      ledger: newLedger(),
      limits: { perDay: "0.20", openPayments: 100 },
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => pay(seller.url)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(6);
    expect(signer.count).toBe(6);
    expect(seller.paid).toHaveLength(6);
    expect((await paymentErrorOf(pay(seller.url))).code).toBe("cumulative_cap");
  });
}
