/** What the channel's routes need, beside what the payment routes are given. */
import type { Channels } from "@farthing/engine";
import type {
  Address,
  ChainId,
  ChannelConfig,
  ClaimEntry,
  Hex,
  RefundTerms,
} from "@farthing/protocol";

/**
 * Signs for sellers that leave it to the facilitator: claims, which only ever pay the seller, and
 * refunds, which need the seller's key.
 */
export interface ChannelAuthorizer {
  /** The address for an account; undefined where the surface offers none. */
  addressOf(account: Address | null): Address | undefined;
  /** Whether the channel's authorizer is one of ours. */
  canSign(config: ChannelConfig): boolean;
  /**
   * Undefined where the channel's authorizer is not one of ours. Throws the fault `signer_unavailable`
   * while its key service fails, as a refund does.
   */
  signClaims(
    chainId: ChainId,
    config: ChannelConfig,
    claims: readonly ClaimEntry[],
  ): Promise<Hex | undefined>;
  signRefund(
    chainId: ChainId,
    config: ChannelConfig,
    refund: RefundTerms,
  ): Promise<Hex | undefined>;
}

/** Where no authorizer is configured: sellers sign for themselves. */
export const noAuthorizer: ChannelAuthorizer = {
  addressOf: () => undefined,
  canSign: () => false,
  signClaims: async () => undefined,
  signRefund: async () => undefined,
};

/** Channels that an account has claimed by one call. */
export interface ClaimedChannels {
  readonly account: Address;
  readonly chainId: ChainId;
  readonly channelIds: readonly Hex[];
}

/** What was reserved for the claim of a channel, and is spent. */
export interface SpentReservation {
  readonly channelId: Hex;
  readonly account: Address;
  readonly credits: number;
}

export interface ChannelContext {
  readonly chain: Channels;
  readonly authorizer: ChannelAuthorizer;
}
