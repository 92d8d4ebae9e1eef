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

/** A clock that stands still: each wait ends when the test looks on. */
function createStoppedClock() {
  const waiting: (() => void)[] = [];
  const clock: Clock = {
    nowMs: () => 1_000,
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        waiting.push(resolve);
        signal?.addEventListener("abort", () => resolve());
      }),
  };
  return { clock, go: () => waiting.splice(0).forEach((resolve) => resolve()) };
}

/** A chain on which each channel is as its voucher says, and on which no call is in a block yet. */
function createChain() {
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
    readReceiver: async () => ({ totalClaimed: 0n, totalSettled: 0n }),
    headOf: () => head,
    events: async () => [],
    async call(chainId) {
      called.push(chainId);
      return { kind: "pending", transaction: `0x${"77".repeat(32)}` };
    },
  };
  return { chain, called };
}

test("each network that was asked for is claimed, and no other", async () => {
  const store = await openStore("sqlite::memory:");
  onTestFinished(() => store.close());
  const grant = { account, kind: "grant", credits: 9, actor: "test", note: null } as const;
  await store.grantCredits(grant, 1);
  // Signed by the seller, so that nobody else has to sign.
  const claimSignature = `0x${"22".repeat(65)}` as const;
  for (const { chainId } of [xdc, apothem]) {
    const voucher = voucherOf(account, { chainId, claimSignature });
    await store.keepVouchers([voucher], { credits: 1, freeCredits: 0 }, 1);
  }
  const { clock, go } = createStoppedClock();
  const { chain, called } = createChain();
  const chainIds = [xdc.chainId, apothem.chainId];
  const deps = { store, chain, chainIds, authorizer: noAuthorizer, clock, log: silentLog };
  const claimer = createClaimer(deps);
  claimer.ask(account, [apothem.chainId]);
  const stop = claimer.start();
  onTestFinished(() => stop());
  go();
  await expect.poll(() => called).toEqual([apothem.chainId]);
  claimer.ask(account, chainIds);
  await expect
    .poll(() => {
      go();
      return called;
    })
    .toContain(xdc.chainId);
});
