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
  /** Undefined where the channel's authorizer is not one of ours. */
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
  signClaims: async () => undefined,
  signRefund: async () => undefined,
};

export interface ChannelContext {
  readonly chain: Channels;
  readonly authorizer: ChannelAuthorizer;
}
