/** The part of the scenario that keeps and claims vouchers of channels. */
import type { Address, Hex } from "@farthing/protocol";
import type { ServiceStore } from "../../src/features/open-store.ts";
import type { NewVoucher } from "../../src/features/channels/model.ts";
import { chainId, next } from "./store-values.testing.ts";

/** A voucher of a channel that nobody else has, charged with 5 base units of 9. */
export function voucherOf(account: Address, changes: Partial<NewVoucher> = {}): NewVoucher {
  const channelId: Hex = `0x${next().toString(16).padStart(64, "0")}`;
  return {
    chainId,
    channelId,
    account,
    config: {
      payer: account,
      payerAuthorizer: account,
      receiver: account,
      receiverAuthorizer: account,
      token: account,
      withdrawDelay: 900,
      salt: channelId,
    },
    maxClaimableAmount: 9n,
    signature: `0x${"11".repeat(65)}`,
    charged: 5n,
    claimSignature: null,
    sold: [{ resource: "https://shop.example/r", route: "GET /r", units: 5n }],
    balance: 9n,
    claimed: 0n,
    withdrawRequestedAt: 0,
    readAt: 1,
    ...changes,
  };
}

export async function keepChannels(
  store: ServiceStore,
  { account, now }: { readonly account: Address; readonly now: number },
): Promise<void> {
  const voucher = voucherOf(account);
  const { channelId } = voucher;
  const price = { credits: 1, freeCredits: 0 };
  await store.grantCredits({ account, kind: "grant", credits: 9, actor: "test", note: null }, now);
  await store.keepVouchers([voucher], price, now);
  await store.keepVouchers([{ ...voucher, charged: 6n }], price, now);
  await store.findVouchers(chainId, [channelId]);
  await store.listAccountVouchers(account, { chainId, after: "0x", limit: 3 });
  await store.makeDue(account, chainId, now);
  await store.listUnclaimed(chainId, now, 3);
  await store.listUnclaimedOf(chainId, [account], { now, limit: 3 });
  await store.listAccountsAtRisk(chainId, 1n, 20);
  await store.hasOpenChannels(chainId);
  await store.takeForClaim(chainId, [channelId], { now, until: now + 1 });
  await store.giveBack(chainId, [channelId], now + 1);
  const spent = await store.spendReservations(chainId, [channelId]);
  await store.restoreReservations(chainId, spent, now);
  await store.spendReservations(chainId, [channelId]);
  const claims = { account, chainId, channelIds: [channelId] };
  const paid = await store.payForClaims(claims, price, now);
  await store.returnClaimCredits(account, paid ?? 0, now);
  const gas = { budgetGwei: 1_000_000, plainGwei: 1, contractGwei: 1 };
  const call = { chainId, payTo: account, callerNetwork: "10.0.0.0", gas, gwei: 1 };
  await store.chargeKeylessCall(call, now);
  await store.returnKeylessCall(call, "open");
  const left = { totalClaimed: 6n, withdrawing: 0n, withdrawRequestedAt: 0, refundNonce: 0n };
  const states = [{ channelId, state: { ...left, balance: 9n } }];
  await store.recordChannels(chainId, states, now);
  const event = { channelId, transactionHash: channelId, position: 0, blockNumber: 7 };
  const refunded = { ...event, kind: "refunded" as const, amount: 3n };
  const closed = [{ channelId, state: { ...left, balance: 6n } }];
  const look = { chainId, block: 7, events: [refunded], reorganised: [], states: closed };
  await store.recordLook(look, now);
  await store.recordLook(look, now);
  const [recorded] = await store.listEventsBetween(chainId, 7, 7);
  await store.recordLook({ ...look, events: [], reorganised: recorded ? [recorded] : [] }, now);
  await store.findWatchedBlock(chainId);
  await store.listChannelEvents(chainId, channelId, 3);
  await store.listChannels(account, { chainId, state: undefined }, { limit: 3 });
  await store.listChannels(account, { chainId, state: "open" }, { limit: 3 });
  const from = { createdAt: now, id: channelId };
  await store.listChannels(account, { chainId, state: "closed" }, { limit: 3, from });
  await store.findChannel(account, channelId);
  await store.sumChannels(account, chainId);
  await store.listChannelDays(account, chainId, 0);
  await store.recordSettled(account, chainId, 6n);
  await store.listUnsent(chainId, 1n, { limit: 20, left: [] });
}
