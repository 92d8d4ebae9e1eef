/**
 * Nobody keeps another seller's vouchers from being claimed: not by the number of their channels, not by
 * rows that cannot be claimed, and not by filling blocks with events.
 */
import {
  apothem,
  type Address,
  type ChannelState,
  type ClaimEntry,
  type Hex,
} from "@farthing/protocol";
import type { Channels, MinedChannelEvent } from "@farthing/engine";
import { Fault, silentLog, type Clock } from "@farthing/engine/base";
import { expect, onTestFinished, test } from "vitest";
import { voucherOf } from "../../../test/stores/channel-scenario.testing.ts";
import { noAuthorizer, type ChannelAuthorizer } from "../../payments/channels/context.ts";
import { openStore } from "../open-store.ts";
import { batchesOf } from "./claim-batches.ts";
import { createClaimer } from "./claimer.ts";
import { claimAboveUnits, claimWithinOf, type KeptVoucher, type NewVoucher } from "./model.ts";

const { chainId } = apothem;
const addressOf = (nth: number): Address => `0x${nth.toString(16).padStart(40, "4")}`;
const hashOf = (nth: number): Hex => `0x${nth.toString(16).padStart(64, "7")}`;
const free = { credits: 0, freeCredits: 0 };
const transaction = hashOf(1);

// Signed by the seller, so that nobody else has to sign.
const claimSignature: Hex = `0x${"22".repeat(65)}`;

const stateOf = (changes: Partial<ChannelState> = {}): ChannelState => ({
  balance: 9n,
  totalClaimed: 0n,
  withdrawing: 0n,
  withdrawRequestedAt: 0,
  refundNonce: 0n,
  ...changes,
});

/** A claimer on a vault of its own, and a chain that the test makes. */
async function startClaimer(
  chain: Partial<Channels>,
  authorizer: ChannelAuthorizer = noAuthorizer,
) {
  const store = await openStore("sqlite::memory:");
  onTestFinished(() => store.close());
  let looks: (() => void)[] = [];
  const time = { nowMs: 1_000 };
  const clock: Clock = {
    nowMs: () => time.nowMs,
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        looks.push(resolve);
        signal?.addEventListener("abort", () => resolve());
      }),
  };
  const whole: Channels = {
    isDeployed: async () => true,
    read: async (_chainId, ids) => ids.map(() => stateOf()),
    readReceiver: async () => ({ totalClaimed: 0n, totalSettled: 0n }),
    headOf: () => 100,
    events: async () => [],
    call: async () => ({ kind: "pending", transaction }),
    ...chain,
  };
  const deps = { store, chain: whole, chainIds: [chainId], authorizer, clock, log: silentLog };
  const claimer = createClaimer(deps);
  const stop = claimer.start();
  onTestFinished(() => stop());
  const look = async (): Promise<void> => {
    await expect.poll(() => looks.length, { interval: 1 }).toBeGreaterThan(0);
    const due = looks;
    looks = [];
    due.forEach((begin) => begin());
    // It waits again once it has ended.
    await expect.poll(() => looks.length, { interval: 1 }).toBeGreaterThan(0);
  };
  const keep = (vouchers: readonly NewVoucher[], at = 1_000) =>
    store.keepVouchers(vouchers, free, at);
  return { store, time, keep, look };
}

/** A chain on which the payer of one channel withdraws. */
const readOf = ({ channelId }: NewVoucher) => ({
  read: async (_chainId: number, ids: readonly Hex[]) =>
    ids.map((id) => stateOf({ withdrawRequestedAt: id === channelId ? 1 : 0 })),
});

/** The calls of the contract that name a channel, whose id is its salt here. */
function recordCalls() {
  const calls: Hex[] = [];
  const call: Channels["call"] = async (_chainId, data) => {
    calls.push(data);
    return { kind: "pending", transaction };
  };
  /** Whether it is in some call, or in the one that is named. */
  const isClaimed = ({ channelId }: NewVoucher, nth?: number) =>
    calls.some((data, at) => (nth ?? at) === at && data.includes(channelId.slice(2)));
  return { call, calls, isClaimed };
}

test("payers who withdraw and large sums are claimed at once, behind any number of channels that wait", async () => {
  const { call, isClaimed } = recordCalls();
  const waiting = Array.from({ length: 2_001 }, (_one, nth) =>
    voucherOf(addressOf(3 + (nth % 9)), { claimSignature }),
  );
  const withdrawn = voucherOf(addressOf(1), { claimSignature, withdrawRequestedAt: 1 });
  const units = claimAboveUnits;
  const sums = { charged: units, balance: units, maxClaimableAmount: units };
  const large = voucherOf(addressOf(2), { claimSignature, ...sums });
  const { keep, look } = await startClaimer({
    call,
    read: async (_chainId, ids) =>
      ids.map((id) =>
        stateOf({ balance: units, withdrawRequestedAt: id === withdrawn.channelId ? 1 : 0 }),
      ),
  });
  await keep(waiting);
  // They have waited for less time than all others.
  await keep([withdrawn, large], 1_001);
  await look();
  expect([isClaimed(withdrawn), isClaimed(large)]).toEqual([true, true]);
});

test("a payer who begins to withdraw while others are claimed for a minute is claimed next", async () => {
  const { call, calls, isClaimed } = recordCalls();
  const withdrawn = voucherOf(addressOf(1), { claimSignature });
  const { store, time, keep, look } = await startClaimer({
    async call(...input) {
      time.nowMs += 20_000;
      return call(...input);
    },
    read: async (_chainId, ids) =>
      ids.map((id) => stateOf({ withdrawRequestedAt: id === withdrawn.channelId ? 1 : 0 })),
    async events() {
      const { channelId } = withdrawn;
      const of = { channelId, amount: 4n, transaction, blockNumber: 98 };
      return calls.length > 0 ? [{ name: "WithdrawInitiated", ...of }] : [];
    },
  });
  // Six claims, of fifty rows each.
  await keep(Array.from({ length: 300 }, () => voucherOf(addressOf(2), { claimSignature })));
  await store.makeDue(addressOf(2), chainId, 1_000);
  await look();
  await keep([withdrawn], time.nowMs);
  expect(calls).toHaveLength(3);
  await look();
  expect(isClaimed(withdrawn, 3)).toBe(true);
});

test("of a channel that holds less than was charged all that it holds is claimed", async () => {
  const signed: ClaimEntry[] = [];
  const authorizer: ChannelAuthorizer = {
    ...noAuthorizer,
    canSign: () => true,
    signClaims: async (_chainId, _config, claims) => {
      signed.push(...claims);
      return claimSignature;
    },
  };
  const state = stateOf({ balance: 3n });
  const read: Channels["read"] = async (_chainId, ids) => ids.map(() => state);
  const { store, keep, look } = await startClaimer({ read }, authorizer);
  const short = voucherOf(addressOf(1), { charged: 8n });
  const bySeller = voucherOf(addressOf(1), { charged: 8n, claimSignature });
  await keep([short, bySeller]);
  const states = [short, bySeller].map(({ channelId }) => ({ channelId, state }));
  await store.recordChannels(chainId, states, 1_001);
  // What its seller has signed is for another sum, and takes no place.
  expect(await store.listUnclaimed(chainId, 1_001, 9)).toMatchObject([
    { channelId: short.channelId },
  ]);
  await store.makeDue(addressOf(1), chainId, 1_001);
  await look();
  expect(signed.map(({ totalClaimed }) => totalClaimed)).toEqual([3n]);
});

test("a claim that fails keeps no other account's from being made", async () => {
  const { call, isClaimed } = recordCalls();
  const ofPayerWhoWithdraws = { claimSignature, withdrawRequestedAt: 1 };
  const bad = voucherOf(addressOf(1), ofPayerWhoWithdraws);
  const good = voucherOf(addressOf(2), ofPayerWhoWithdraws);
  const { keep, look } = await startClaimer({
    read: async (_chainId, ids) => ids.map(() => stateOf({ withdrawRequestedAt: 1 })),
    async call(id, data, timeoutMs) {
      if (!data.includes(bad.channelId.slice(2))) return call(id, data, timeoutMs);
      throw new Fault("queue_full", "The call takes too much gas");
    },
  });
  await keep([bad, good]);
  await look();
  expect(isClaimed(good)).toBe(true);
});

test.each([0, 1, 2, 3])(
  "of four rows of a claim the refused one, number %d, keeps none back",
  async (at) => {
    const { call, isClaimed } = recordCalls();
    const changes = { claimSignature, withdrawRequestedAt: 1 };
    const rows = [1, 2, 3, 4].map(() => voucherOf(addressOf(1), changes));
    const refused = rows[at]?.channelId.slice(2) ?? "";
    const { keep, look } = await startClaimer({
      read: async (_chainId, ids) => ids.map(() => stateOf({ withdrawRequestedAt: 1 })),
      call: async (id, data, timeoutMs) =>
        data.includes(refused)
          ? { kind: "reverts", revertData: undefined }
          : call(id, data, timeoutMs),
    });
    await keep(rows);
    await look();
    expect(rows.filter((row) => !isClaimed(row))).toEqual([rows[at]]);
  },
);

test("a row that is always refused is left alone for five minutes", async () => {
  let refused = 0;
  const { store, keep, look } = await startClaimer({
    async call() {
      refused++;
      return { kind: "reverts", revertData: undefined };
    },
    read: async (_chainId, ids) => ids.map(() => stateOf({ withdrawRequestedAt: 1 })),
  });
  await keep([voucherOf(addressOf(1), { claimSignature, withdrawRequestedAt: 1 })]);
  await look();
  await look();
  expect(refused).toBe(1);
  expect(await store.listUnclaimed(chainId, 1_000 + 5 * 60_000, 9)).toHaveLength(1);
});

const rowsOf = (count: number, nth: number, withdrawRequestedAt: number): KeptVoucher[] =>
  Array.from({ length: count }, () => {
    const voucher = voucherOf(addressOf(nth), { withdrawRequestedAt });
    const claimWithinMs = claimWithinOf(voucher.config);
    const none = { claimingUntil: 0, openedAt: 0, closedAt: null, reservedCredits: 0 };
    return { ...voucher, ...none, unclaimedSince: 0, claimWithinMs };
  });

test("withdrawals come first, and the first claim of each account before the second of any", () => {
  const due = [...rowsOf(60, 1, 7), ...rowsOf(1, 2, 7), ...rowsOf(60, 1, 0), ...rowsOf(1, 3, 0)];
  const batches = batchesOf(due).map((rows) => [
    Number(rows[0]?.account.at(-1)),
    rows.length,
    rows.every(({ withdrawRequestedAt }) => withdrawRequestedAt > 0),
  ]);
  expect(batches).toEqual([
    [1, 50, true],
    [2, 1, true],
    [1, 10, true],
    [1, 50, false],
    [3, 1, false],
    [1, 10, false],
  ]);
});

test.each([
  ["gives no range with a certain block", (blocks: number) => blocks >= 1],
  ["gives no more than one block", (blocks: number) => blocks > 1],
])("a node that %s holds up no claim, and the events after it are read", async (_, isRefused) => {
  const { call, isClaimed } = recordCalls();
  const full = 95;
  const withdrawn = voucherOf(addressOf(1), { claimSignature });
  const { channelId } = withdrawn;
  const seen: MinedChannelEvent = {
    name: "WithdrawInitiated",
    channelId,
    amount: 4n,
    transaction,
    blockNumber: 98,
  };
  const { store, keep, look } = await startClaimer({
    call,
    ...readOf(withdrawn),
    async events(_chainId, fromBlock, toBlock) {
      const isThere = fromBlock <= full && full <= toBlock;
      if (isThere && isRefused(toBlock - fromBlock + 1)) {
        throw new Fault("rpc_unavailable", "the answer is too large");
      }
      return fromBlock <= 98 && 98 <= toBlock ? [seen] : [];
    },
  });
  // What waits has each look ask the node.
  await keep([withdrawn, voucherOf(addressOf(2), { claimSignature })]);
  await look();
  expect(isClaimed(withdrawn)).toBe(true);
  for (let nth = 0; nth < 6; nth++) await look();
  expect(await store.listEventsBetween(chainId, 90, 100)).toMatchObject([
    { kind: "withdrawing", channelId, blockNumber: 98 },
  ]);
});

test("a payer who withdraws is found by the contract where no events are given", async () => {
  const { call, isClaimed } = recordCalls();
  const withdrawn = voucherOf(addressOf(1), { claimSignature });
  let withdrawRequestedAt = 0;
  const { keep, look } = await startClaimer({
    call,
    read: async (_chainId, ids) => ids.map(() => stateOf({ withdrawRequestedAt })),
    async events() {
      throw new Fault("rpc_unavailable", "the answer is too large");
    },
  });
  await keep([withdrawn]);
  await look();
  expect(isClaimed(withdrawn)).toBe(false);
  withdrawRequestedAt = 1;
  await look();
  expect(isClaimed(withdrawn)).toBe(true);
});

/** While all is claimed, every sixth look asks the node. */
const quietLooks = 6;

test("what happens while no node answers is read once one does", async () => {
  const channel = voucherOf(addressOf(1), { charged: 5n, claimed: 5n });
  const { channelId } = channel;
  const refunded = {
    name: "Refunded",
    channelId,
    amount: 4n,
    transaction,
    blockNumber: 105,
  } as const;
  let head = 100;
  let isDown = false;
  const answering = <T>(answer: T): T => {
    if (isDown) throw new Fault("rpc_unavailable", "no node answers");
    return answer;
  };
  const { store, keep, look } = await startClaimer({
    headOf: () => head,
    read: async (_chainId, ids) => answering(ids.map(() => stateOf({ totalClaimed: 5n }))),
    events: async (_chainId, from, to) => answering(from <= 105 && 105 <= to ? [refunded] : []),
  });
  await keep([channel]);
  const lookThrice = async () => {
    for (let nth = 0; nth < 3 * quietLooks; nth++) await look();
  };
  await lookThrice();
  [head, isDown] = [120, true];
  await lookThrice();
  isDown = false;
  await lookThrice();
  expect(await store.listEventsBetween(chainId, 90, 120)).toMatchObject([
    { kind: "refunded", channelId, blockNumber: 105 },
  ]);
});

test("blocks that are full of events are read one by one, and more at once after them", async () => {
  const channel = voucherOf(addressOf(1), { claimSignature });
  const { channelId } = channel;
  const of = { name: "Deposited", amount: 1n, transaction } as const;
  const filling: MinedChannelEvent = { ...of, channelId: hashOf(9), blockNumber: 94 };
  const own: MinedChannelEvent = { ...of, channelId, blockNumber: 94 };
  const ranges: number[] = [];
  let isFull = true;
  const { store, keep, look } = await startClaimer({
    async events(_chainId, fromBlock, toBlock) {
      const blocks = toBlock - fromBlock + 1;
      ranges.push(blocks);
      const filled = isFull ? Array.from({ length: blocks * 6_000 }, () => filling) : [];
      return fromBlock <= 94 && 94 <= toBlock ? [own, ...filled] : filled;
    },
  });
  await keep([channel]);
  await look();
  expect(ranges.slice(0, 4)).toEqual([8, 4, 2, 1]);
  const recorded = [{ kind: "deposited", channelId, blockNumber: 94 }];
  expect(await store.listEventsBetween(chainId, 90, 100)).toMatchObject(recorded);
  isFull = false;
  for (let nth = 0; nth < 3; nth++) await look();
  expect(ranges.at(-1)).toBe(8);
});
