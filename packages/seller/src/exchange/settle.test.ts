/** Waiting for a settlement: how often it is asked for, and when the wait ends. */
import { xdc, type SettleResponse } from "@farthing/protocol";
import { expect, test } from "vitest";
import { sampleRequest } from "../buyer.testing.ts";
import type { Facilitator, LookupOutcome } from "../facilitator.ts";
import { settleAndWait, type Settling } from "./settle.ts";

const transaction = `0x${"cd".repeat(32)}`;
const confirmed: SettleResponse = { success: true, transaction, network: "eip155:50" };
const pending: SettleResponse = {
  success: false,
  errorReason: "settlement_pending",
  transaction: "",
  network: "eip155:50",
  id: "s_1",
};

/** A facilitator that takes `tookMs` for each answer, and the clock on which it does. */
function scene(answers: LookupOutcome[], tookMs: number) {
  let nowMs = 0;
  const asked: string[] = [];
  const next = async (what: string): Promise<LookupOutcome> => {
    asked.push(`${what} at ${nowMs}`);
    nowMs += tookMs;
    return answers.shift() ?? { kind: "settlement", settlement: pending };
  };
  const facilitator: Facilitator = {
    verify: () => Promise.reject(new Error("Not asked here.")),
    settle: async () => {
      const outcome = await next("settle");
      if (outcome.kind === "not_found") throw new Error("No answer of settle.");
      return outcome;
    },
    settlement: (id, { waitSeconds }) => next(`${id} for ${waitSeconds} s`),
  };
  const clock = { now: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) };
  return { facilitator, clock, asked };
}

const settling = (changes: Partial<Settling> = {}): Settling => ({
  request: sampleRequest,
  network: xdc,
  networkName: "eip155:50",
  payer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  deadlineMs: 20_000,
  onPending: async () => undefined,
  ...changes,
});

test("a facilitator that does not hold its answers is asked four times a second", async () => {
  const at = scene([], 0);
  const { settled } = await settleAndWait(at, settling({ deadlineMs: 1_100 }));
  const extra = { settlementId: "s_1" };
  expect(settled).toEqual({ kind: "pending", receipt: { ...pending, status: "pending", extra } });
  expect(at.asked).toEqual([
    "settle at 0",
    "s_1 for 0 s at 250",
    "s_1 for 0 s at 500",
    "s_1 for 0 s at 750",
  ]);
});

test("one that holds them is asked for what is left, less a second for the way", async () => {
  const at = scene([{ kind: "settlement", settlement: pending }], 5_000);
  await settleAndWait(at, settling());
  expect(at.asked).toEqual([
    "settle at 0",
    "s_1 for 14 s at 5000",
    "s_1 for 9 s at 10000",
    "s_1 for 4 s at 15000",
  ]);
});

const limited = (retryAfterSeconds: number): LookupOutcome => {
  return { kind: "fault", reason: "rate_limited", message: "Too many.", retryAfterSeconds };
};

test("one that names a pause is left alone for it, within the wait", async () => {
  const at = scene([{ kind: "settlement", settlement: pending }, limited(3), limited(300)], 0);
  const { settled } = await settleAndWait(at, settling({ deadlineMs: 10_000 }));
  expect(settled.kind).toBe("pending");
  expect(at.asked).toEqual(["settle at 0", "s_1 for 8 s at 250", "s_1 for 5 s at 3250"]);
  expect(at.clock.now()).toBe(10_000);
});

test("what an earlier request has learnt is asked for first", async () => {
  const at = scene([{ kind: "settlement", settlement: confirmed }], 0);
  const { settled } = await settleAndWait(at, settling({ known: pending }));
  expect(settled.kind).toBe("confirmed");
  expect(at.asked).toEqual(["s_1 for 19 s at 0"]);
});

test("a fault of settle is not answered with another settle", async () => {
  const fault = { kind: "fault", reason: "unreachable", message: "x" } as const;
  const at = scene([fault], 0);
  expect((await settleAndWait(at, settling())).settled).toEqual(fault);
  expect(at.asked).toEqual(["settle at 0"]);
});

test("a refusal after a lost call does not say that the payment was not taken", async () => {
  const lost = { kind: "fault", reason: "unreachable", message: "x" } as const;
  const refused = { ...lost, reason: "rate_limited", certainty: "refused" } as const;
  const at = scene([lost, refused, { kind: "settlement", settlement: confirmed }], 0);
  const held = settling({ isHeld: true, hasOther: true });
  const { settled, isUnsent, isUntaken } = await settleAndWait(at, held);
  // Another facilitator is asked where it was not, and the first one may have moved the money.
  expect({ kind: settled.kind, isUnsent, isUntaken }).toEqual({
    kind: "confirmed",
    isUnsent: false,
    isUntaken: false,
  });
  expect(at.asked).toEqual(["settle at 0", "settle at 500", "settle at 1500"]);
});

test("without time nothing is sent", async () => {
  const at = scene([], 0);
  const { settled } = await settleAndWait(at, settling({ deadlineMs: 100 }));
  expect(settled).toMatchObject({ kind: "fault", reason: "timed_out" });
  expect(at.asked).toEqual([]);
});

test.each([
  ["another exchange's", {}, true],
  ["its own", { ownExchange: true }, false],
])(
  "after a lost call the facilitator tells that a success is %s",
  async (_whose, extra, isForeign) => {
    const replayed = { ...confirmed, extra: { replayed: true, ...extra } };
    const lost = { kind: "fault", reason: "timed_out", message: "late" } as const;
    const at = scene([lost, { kind: "settlement", settlement: replayed }], 0);
    const ofKey = settling({ exchangeKey: "key", isHeld: true });
    expect(await settleAndWait(at, ofKey)).toMatchObject({
      isForeign,
      settled: { kind: "confirmed" },
    });
  },
);
