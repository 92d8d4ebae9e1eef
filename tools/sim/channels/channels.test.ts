/** Channels with faults, as every change has to pass them, and their audit against planted faults. */
import type { ChannelLedger, ChannelUse } from "@farthing/lab/audit";
import { auditChannels } from "@farthing/lab/audit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { drawChannelPlan, type ChannelEvent, type ChannelFaultKind } from "./channel-plan.ts";
import { openChannelStage, playChannels, type ChannelStage } from "./play-channels.ts";

let stage: ChannelStage;
beforeAll(async () => {
  stage = await openChannelStage();
});
afterAll(() => stage?.stop());

const seeds: readonly (readonly [number, readonly ChannelFaultKind[]])[] = [
  [103, ["facilitator", "shop", "withdraw", "reorg", "late", "road", "buyers", "seller"]],
  [111, ["facilitator", "gone", "withdraw", "gas", "road"]],
  // Shops that serve beyond the bound, or against a withdrawal, break their promise in these.
  [405, ["gone", "late"]],
  [403, ["withdraw"]],
  // A vault that takes more than is signed cannot claim it.
  [8001, ["liar"]],
  // A total that is raised after its claim is due half of the delay later.
  [10_700_089, ["gone", "road", "liar"]],
  // Records that have lost charges would refund what the vault keeps.
  [28_432_575, ["shop", "withdraw", "losses", "seller", "liar"]],
];

test.each(seeds)("seed %i with %s keeps every promise", async (seed, faultKinds) => {
  const { violations, delivered, trace } = await playChannels(
    drawChannelPlan(seed, faultKinds),
    stage,
  );
  expect(violations.length === 0 ? "" : trace.join("\n")).toBe("");
  expect(delivered).toBeGreaterThan(0n);
});

/** Ten calls, of which seven are more than what may be delivered beyond the vault. */
const calls = Array.from({ length: 10 }, (_, nth) => ({
  atMs: 1_000 + nth * 200 + (nth > 0 ? 5_000 : 0),
  what: "call" as const,
  buyer: 0,
  shop: 0,
  manner: "honest" as const,
  cost: 1_000,
}));
const goneAtMs = 420_000;

async function loseVault(on: ChannelStage) {
  const plan = drawChannelPlan(1, ["losses", "gone"]);
  const events: ChannelEvent[] = [
    { atMs: 500, what: "copy", database: "vault" },
    ...calls,
    { atMs: 12_000, what: "lose", database: "vault" },
    { atMs: goneAtMs, what: "gone" },
  ];
  const { violations, delivered, claimed } = await playChannels(
    { ...plan, events, recordLosses: 0 },
    on,
  );
  expect(violations).toEqual([]);
  expect([delivered, claimed]).toEqual([10_000n, 10_000n]);
}

test("a vault that has lost its last seconds is paid for them, also when its seller is gone later", () =>
  loseVault(stage));

test("so is the vault of the whole service, whose relayer claims", async () => {
  const whole = await openChannelStage("sqlite", true);
  try {
    await loseVault(whole);
  } finally {
    await whole.stop();
  }
});

test("records that have lost their last seconds are behind by no more than the bound", async () => {
  const plan = drawChannelPlan(1, ["losses"]);
  const [deposit, ...paid] = calls;
  const events: ChannelEvent[] = [
    ...(deposit ? [deposit] : []),
    { atMs: 6_000, what: "copy", database: "records" },
    ...paid,
    { atMs: 12_000, what: "lose", database: "records" },
    // A start and its first hand-over take less than the minutes until these.
    ...calls.map((call) => ({ ...call, atMs: call.atMs + 180_000 })),
  ];
  const { violations, delivered, claimed } = await playChannels(
    { ...plan, events, recordLosses: 1 },
    stage,
  );
  expect(violations).toEqual([]);
  expect([delivered, claimed]).toEqual([20_000n, 20_000n]);
});

describe("the audit finds", () => {
  const channelId = `0x${"11".repeat(32)}` as const;
  const state = {
    balance: 8_000n,
    totalClaimed: 3_000n,
    withdrawing: 0n,
    withdrawRequestedAt: 0,
    refundNonce: 1n,
  };
  const account = { channelId, state, deposited: 10_000n, claimed: 3_000n };
  const honest: ChannelLedger = {
    accounts: [{ ...account, refunded: 1_500n, withdrawn: 500n }],
    receivers: [{ totalClaimed: 3_000n, totalSettled: 2_000n }],
    heldUnits: 6_000n,
  };
  const use: ChannelUse = { channelId, delivered: 3_500n, signed: 4_000n, bound: 500n };
  const rulesOf = (ledger: Partial<ChannelLedger>, used: Partial<ChannelUse> = {}) =>
    auditChannels({ ...honest, ...ledger }, [{ ...use, ...used }]).map(({ rule }) => rule);
  const withAccount = (change: Partial<(typeof honest.accounts)[number]>) =>
    rulesOf({ accounts: honest.accounts.map((one) => ({ ...one, ...change })) });

  test("nothing in a run without a fault", () => expect(rulesOf({})).toEqual([]));

  test("money of a deposit that is nowhere", () => {
    expect(withAccount({ refunded: 1_000n })).toContain("deposits are where they belong");
    expect(rulesOf({ heldUnits: 5_999n })).toContain("deposits are where they belong");
  });

  test("a claim that counts twice", () => {
    expect(withAccount({ claimed: 6_000n })).toContain("claimed once");
    const receivers = [{ totalClaimed: 6_000n, totalSettled: 2_000n }];
    expect(rulesOf({ receivers })).toContain("claimed once");
  });

  test("more claimed than was signed", () => {
    expect(rulesOf({}, { signed: 2_999n })).toEqual(["charged is signed"]);
  });

  test("more delivered than is paid, beyond the bound", () => {
    expect(rulesOf({}, { delivered: 3_501n })).toEqual(["delivered is claimable"]);
  });
});
