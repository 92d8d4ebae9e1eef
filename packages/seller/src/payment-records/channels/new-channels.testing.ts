/** Channels for the tests of stores, with a balance of 10,000 base units. */
import {
  apothem,
  channelIdOf,
  type ChannelConfig,
  type ChannelState,
  type Hex,
} from "@farthing/protocol";
import type { NewChannel } from "./channels.ts";

const channelConfig: ChannelConfig = {
  payer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  payerAuthorizer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  receiver: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  receiverAuthorizer: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  token: apothem.usdc,
  withdrawDelay: 86_400,
  salt: `0x${"07".repeat(32)}`,
};

export const state: ChannelState = {
  balance: 10_000n,
  totalClaimed: 0n,
  withdrawing: 0n,
  withdrawRequestedAt: 0,
  refundNonce: 0n,
};

/** A channel that is not known yet; each number has another one. */
export function opened(nth = 1, more: Partial<ChannelState> = {}): NewChannel {
  const salt: Hex = `0x${nth.toString(16).padStart(64, "0")}`;
  const config = { ...channelConfig, salt };
  const id = channelIdOf(apothem, config);
  const voucher = voucherOf(id, 1_000n);
  return { id, network: apothem.id, config, voucher, state: { ...state, ...more } };
}

export function voucherOf(channelId: Hex, maxClaimableAmount: bigint) {
  return { channelId, maxClaimableAmount, signature: `0x${"ab".repeat(64)}1b` } as const;
}
