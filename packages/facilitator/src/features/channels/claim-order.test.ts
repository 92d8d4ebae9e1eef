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
import { claimWithinOf, type KeptVoucher, type NewVoucher } from "./model.ts";

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
  const clock: Clock = {
    nowMs: () => 1_000,
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
    await expect.poll(() => looks.length).toBeGreaterThan(0);
    const due = looks;
    looks = [];
    due.forEach((begin) => begin());
    // It waits again once it has ended.
    await expect.poll(() => looks.length).toBeGreaterThan(0);
  };
  const keep = (vouchers: readonly NewVoucher[]) => store.keepVouchers(vouchers, free, 1_000);
  return { store, claimer, keep, look };
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
  const isClaimed = ({ channelId }: NewVoucher) =>
    calls.some((data) => data.includes(channelId.slice(2)));
  return { call, isClaimed };
}

test("a payer who withdraws is claimed at once, behind any number of channels that wait", async () => {
  const { call, isClaimed } = recordCalls();
  const withdrawn = voucherOf(addressOf(1), { claimSignature, withdrawRequestedAt: 1 });
  const { keep, look } = await startClaimer({ call, ...readOf(withdrawn) });
  const waiting = Array.from({ length: 2_001 }, (_one, nth) =>
    voucherOf(addressOf(2 + (nth % 9)), { claimSignature }),
  );
  await keep(waiting);
  await keep([withdrawn]);
  await look();
  expect(isClaimed(withdrawn)).toBe(true);
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

test("more events of several blocks than one block can have are read in parts", async () => {
  const ranges: number[] = [];
  const other: MinedChannelEvent = {
    name: "Deposited",
    channelId: hashOf(9),
    amount: 1n,
    transaction,
    blockNumber: 95,
  };
  const { keep, look } = await startClaimer({
    async events(_chainId, fromBlock, toBlock) {
      const blocks = toBlock - fromBlock + 1;
      ranges.push(blocks);
      return Array.from({ length: blocks * 2_000 }, () => other);
    },
  });
  await keep([voucherOf(addressOf(1), { claimSignature })]);
  for (let nth = 0; nth < 3; nth++) await look();
  expect(ranges.slice(0, 3)).toEqual([8, 4, 2]);
});
