/** What an account asks to be claimed is claimed on the networks that it asked for. */
import { apothem, xdc, type Address, type ChainId, type ChannelState } from "@farthing/protocol";
import type { Channels } from "@farthing/engine";
import { silentLog, type Clock } from "@farthing/engine/base";
import { expect, onTestFinished, test } from "vitest";
import { voucherOf } from "../../../test/stores/channel-scenario.testing.ts";
import { noAuthorizer } from "../../payments/channels/context.ts";
import { openStore } from "../open-store.ts";
import { createClaimer } from "./claimer.ts";

const account: Address = `0x${"33".repeat(20)}`;
const head = 10;

/** A clock that stands still, but for what the test adds: each wait ends when the test looks on. */
function createStoppedClock() {
  const waiting: (() => void)[] = [];
  let nowMs = 1_000;
  const clock: Clock = {
    nowMs: () => nowMs,
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        waiting.push(resolve);
        signal?.addEventListener("abort", () => resolve());
      }),
  };
  return {
    clock,
    /** Resolves once a look waits to begin. */
    go: async (ms = 0): Promise<void> => {
      await expect.poll(() => waiting.length, { interval: 1 }).toBeGreaterThan(0);
      nowMs += ms;
      waiting.splice(0).forEach((resolve) => resolve());
    },
  };
}

/** A chain on which each channel is as its voucher says, and on which no call is in a block yet. */
function createChain(more: Partial<Channels> = {}) {
  const called: ChainId[] = [];
  const state: ChannelState = {
    balance: 9n,
    totalClaimed: 0n,
    withdrawing: 0n,
    withdrawRequestedAt: 0,
    refundNonce: 0n,
  };
  const chain: Channels = {
    isDeployed: async () => true,
    read: async (_chainId, ids) => ids.map(() => state),
    // Less than a sweep is worth.
    readReceiver: async () => ({ totalClaimed: 5n, totalSettled: 0n }),
    headOf: () => head,
    events: async () => [],
    async call(chainId) {
      called.push(chainId);
      return { kind: "pending", transaction: `0x${"77".repeat(32)}` };
    },
    ...more,
  };
  return { chain, called };
}

async function openVault() {
  const store = await openStore("sqlite::memory:");
  onTestFinished(() => store.close());
  const grant = { account, kind: "grant", credits: 9, actor: "test", note: null } as const;
  await store.grantCredits(grant, 1);
  return store;
}

// Signed by the seller, so that nobody else has to sign.
const claimSignature = `0x${"22".repeat(65)}` as const;

test("each network that was asked for is claimed, and no other", async () => {
  const store = await openVault();
  for (const { chainId } of [xdc, apothem]) {
    const voucher = voucherOf(account, { chainId, claimSignature });
    await store.keepVouchers([voucher], { credits: 1, freeCredits: 0 }, 1);
  }
  const { clock, go } = createStoppedClock();
  const { chain, called } = createChain();
  const chainIds = [xdc.chainId, apothem.chainId];
  const deps = { store, chain, chainIds, authorizer: noAuthorizer, clock, log: silentLog };
  await store.makeDue(account, apothem.chainId, clock.nowMs());
  const stop = createClaimer(deps).start();
  onTestFinished(() => stop());
  await go();
  await expect.poll(() => called).toEqual([apothem.chainId]);
  for (const chainId of chainIds) await store.makeDue(account, chainId, clock.nowMs());
  await go();
  await expect.poll(() => called).toEqual([apothem.chainId, xdc.chainId]);
});

test("a claim that was asked for is made again until it is in a block, also by the next process", async () => {
  const store = await openVault();
  const { chainId } = apothem;
  const voucher = voucherOf(account, { chainId, claimSignature });
  await store.keepVouchers([voucher], { credits: 1, freeCredits: 0 }, 1);
  const { clock, go } = createStoppedClock();
  let claimed = 0n;
  const { chain, called } = createChain({
    read: async (_chainId, ids) =>
      ids.map(() => ({
        balance: 9n,
        totalClaimed: claimed,
        withdrawing: 0n,
        withdrawRequestedAt: 0,
        refundNonce: 0n,
      })),
  });
  const deps = { store, chain, chainIds: [chainId], authorizer: noAuthorizer, clock };
  await store.makeDue(account, chainId, clock.nowMs());
  const stop = createClaimer({ ...deps, log: silentLog }).start();
  await go();
  await expect.poll(() => called).toHaveLength(1);
  // Its transaction is lost: a minute later another one is made.
  await go(61_000);
  await expect.poll(() => called).toHaveLength(2);
  await stop();
  const next = createClaimer({ ...deps, log: silentLog }).start();
  onTestFinished(() => next());
  await go(61_000);
  await expect.poll(() => called).toHaveLength(3);
  claimed = 5n;
  await store.recordChannels(
    chainId,
    [
      {
        channelId: voucher.channelId,
        state: {
          balance: 9n,
          totalClaimed: claimed,
          withdrawing: 0n,
          withdrawRequestedAt: 0,
          refundNonce: 0n,
        },
      },
    ],
    clock.nowMs(),
  );
  // What is charged afterwards waits for its time again.
  const later = { ...voucher, charged: 6n, claimed };
  await store.keepVouchers([later], { credits: 1, freeCredits: 0 }, clock.nowMs());
  await go(61_000);
  await go(61_000);
  await go(0);
  expect(called).toHaveLength(3);
});

test("receivers whose money is refused do not hold up the others", async () => {
  const store = await openVault();
  const { chainId } = apothem;
  const free = { credits: 0, freeCredits: 0 };
  const units = 200_000n;
  const receivers = Array.from(
    { length: 21 },
    (_one, nth): Address => `0x${(nth + 1).toString(16).padStart(40, "7")}`,
  );
  for (const [nth, receiver] of receivers.entries()) {
    // The last has the least, so it comes after all that are refused.
    const claimed = units - BigInt(nth);
    const sums = { charged: claimed, claimed, balance: units, maxClaimableAmount: units };
    await store.keepVouchers([voucherOf(receiver, { chainId, ...sums })], free, 1);
  }
  const last = receivers.at(-1);
  const { clock, go } = createStoppedClock();
  const swept: string[] = [];
  const { chain } = createChain({
    readReceiver: async () => ({ totalClaimed: units, totalSettled: 0n }),
    async call(_chainId, data) {
      if (last === undefined || !data.includes(last.slice(2)))
        return { kind: "reverts", revertData: undefined };
      swept.push(last);
      return { kind: "pending", transaction: `0x${"77".repeat(32)}` };
    },
  });
  const logged: string[] = [];
  const log = { ...silentLog, warn: (fields: object) => void logged.push(JSON.stringify(fields)) };
  const deps = { store, chain, chainIds: [chainId], authorizer: noAuthorizer, clock, log };
  const stop = createClaimer(deps).start();
  onTestFinished(() => stop());
  // Nothing is unclaimed, so that every sixth look works; twenty are tried at the sixth of these.
  for (let nth = 0; nth < 80; nth++) await go(10_000);
  await expect.poll(() => swept).toEqual([last]);
  expect(logged.filter((one) => one.includes("channel_sweep_refused"))).toHaveLength(20);
});

test("a sweep by a third party counts as sent to the receiver", async () => {
  const store = await openVault();
  const { chainId } = apothem;
  const units = 200_000n;
  const sums = { charged: units, claimed: units, balance: units, maxClaimableAmount: units };
  const voucher = voucherOf(account, { chainId, ...sums });
  await store.keepVouchers([voucher], { credits: 0, freeCredits: 0 }, 1);
  const unsent = () => store.listUnsent(chainId, 100_000n, { limit: 1, left: [] });
  expect(await unsent()).toEqual([account]);
  const { clock, go } = createStoppedClock();
  const { chain, called } = createChain({
    readReceiver: async () => ({ totalClaimed: units, totalSettled: units }),
  });
  const deps = { store, chain, chainIds: [chainId], authorizer: noAuthorizer, clock };
  const stop = createClaimer({ ...deps, log: silentLog }).start();
  onTestFinished(() => stop());
  for (let nth = 0; nth < 40; nth++) await go(10_000);
  await expect.poll(unsent).toEqual([]);
  expect(called).toEqual([]);
});

/** A vault with one voucher that is due, for whose claim one of nine credits is reserved. */
async function claimOne(chainOf: (given: ClaimGiven) => Channels["call"]) {
  const store = await openVault();
  const { chainId } = apothem;
  const voucher = voucherOf(account, { chainId, claimSignature });
  await store.keepVouchers([voucher], oneCredit, 1);
  const { clock, go } = createStoppedClock();
  const seeClaimed = (totalClaimed: bigint) => {
    const state = { balance: 9n, totalClaimed, withdrawing: 0n, withdrawRequestedAt: 0 };
    const seen = [{ channelId: voucher.channelId, state: { ...state, refundNonce: 0n } }];
    return store.recordChannels(chainId, seen, clock.nowMs());
  };
  const available = async () => (await store.findCredits(account)).available;
  const isCalled = Promise.withResolvers<void>();
  const call = chainOf({ store, voucher, seeClaimed });
  const { chain } = createChain({
    call: async (...input) => {
      isCalled.resolve();
      return call(...input);
    },
  });
  await store.makeDue(account, chainId, clock.nowMs());
  const deps = { store, chain, chainIds: [chainId], authorizer: noAuthorizer, clock };
  const stop = createClaimer({ ...deps, log: silentLog }).start();
  onTestFinished(() => stop());
  await go();
  await isCalled.promise;
  return { go, seeClaimed, available };
}

interface ClaimGiven {
  readonly store: Awaited<ReturnType<typeof openVault>>;
  readonly voucher: ReturnType<typeof voucherOf>;
  seeClaimed(totalClaimed: bigint): Promise<void>;
}

const oneCredit = { credits: 1, freeCredits: 0 };
const pending = { kind: "pending", transaction: null } as const;
const reverts = { kind: "reverts", revertData: undefined } as const;

test("the credit of a claim stays spent where another process sees it in a block first", async () => {
  const seen = Promise.withResolvers<void>();
  const heard = Promise.withResolvers<typeof pending>();
  const { available } = await claimOne(({ seeClaimed }) => async () => {
    await seeClaimed(5n);
    seen.resolve();
    return heard.promise;
  });
  await seen.promise;
  const left = await available();
  heard.resolve(pending);
  expect(left).toBe(8);
});

test.each([
  ["would revert", async () => reverts],
  ["finds no wallet", () => Promise.reject(new Error("No relayer wallet can take work"))],
])(
  "a claim that %s was not sent: its credit is given back if it is not needed",
  async (_, call) => {
    const { go, seeClaimed, available } = await claimOne(() => call);
    await go(1_000);
    expect(await available()).toBe(8);
    await seeClaimed(5n);
    expect(await available()).toBe(9);
  },
);

test("a voucher that comes while a claim is tried reserves its own credit, and no third one", async () => {
  const { go, seeClaimed, available } = await claimOne(({ store, voucher }) => async () => {
    await store.keepVouchers([{ ...voucher, charged: 6n }], oneCredit, 2);
    return reverts;
  });
  await go(1_000);
  expect(await available()).toBe(8);
  await seeClaimed(6n);
  expect(await available()).toBe(9);
});
