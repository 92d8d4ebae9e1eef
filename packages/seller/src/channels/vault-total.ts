/**
 * What the vault keeps of a channel that is about to be refunded. Records that have lost charges would give
 * back what was sold: the vault's total is taken over before, and a refund is never below it.
 */
import { findNetwork, type Hex } from "@farthing/protocol";
import type { FacilitatorFailure } from "../facilitator-order.ts";
import type { Channels, HeldChannel } from "../payment-records/channels/channels.ts";
import type { ChannelAuthority } from "./channel-authorizers.ts";
import type { VoucherVault } from "./voucher-vault.ts";

export interface VaultQuestion {
  readonly vault: Pick<VoucherVault, "find">;
  /** Undefined where no facilitator keeps vouchers of the channel. */
  readonly authority: ChannelAuthority | undefined;
  readonly deadlineMs: number;
}

/**
 * Base units, 0 where nothing is kept, or why the vault could not be asked. The records take a higher total
 * over unless a request holds the channel.
 */
export async function totalBeforeRefund(
  channels: Pick<Channels, "find">,
  id: Hex,
  { vault, authority, deadlineMs }: VaultQuestion,
): Promise<bigint | FacilitatorFailure> {
  const channel = await channels.find(id);
  const network = channel && findNetwork(channel.network);
  if (!network || !authority) return 0n;
  const kept = await vault.find(channel, network, authority, deadlineMs);
  if (!kept) return 0n;
  return "kind" in kept ? kept : kept.charged;
}

/** Whether the vault's total was not taken over, because another request held the channel. */
export function isBehindVault({ channel }: HeldChannel, total: bigint): boolean {
  return channel.charged < total;
}
