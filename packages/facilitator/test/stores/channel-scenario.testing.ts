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
    signature: "0x",
    charged: 5n,
    claimSignature: null,
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
  await store.keepVouchers([voucher], now);
  await store.keepVouchers([{ ...voucher, charged: 6n }], now);
  await store.findVouchers(chainId, [channelId]);
  await store.listAccountVouchers(account, { chainId, after: "0x", limit: 3 });
  await store.listUnclaimed(chainId, now, 3);
  await store.takeForClaim(chainId, [channelId], { now, until: now + 1 });
  const state = { balance: 9n, totalClaimed: 6n, withdrawing: 0n, withdrawRequestedAt: 0 };
  await store.recordChannels(chainId, [{ channelId, state: { ...state, refundNonce: 0n } }], now);
}
