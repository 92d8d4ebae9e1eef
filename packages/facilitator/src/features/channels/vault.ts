/**
 * Takes vouchers of sellers into the vault: each is checked as a payment is, so that what the vault has
 * acknowledged can be claimed, also when its seller never comes back.
 */
import {
  channelIdOf,
  checkChannel,
  checkTotal,
  checkVoucher,
  claimBatchDigest,
  hasSignedForContract,
  type Address,
  type ChannelConfig,
  type ChannelRefusal,
  type ChannelState,
  type Hex,
  type Network,
  type SoldPart,
} from "@farthing/protocol";
import type { Channels } from "@farthing/engine";
import type { Runtime } from "@farthing/engine/base";
import type { ChannelAuthorizer } from "../../payments/channels/context.ts";
import type { KeptVoucher, NewVoucher } from "./model.ts";
import type { ClaimPrice } from "./reservations.ts";
import type { VoucherStore } from "./store.ts";

/** A row as a seller hands it over. */
export interface VoucherRow {
  readonly config: ChannelConfig;
  readonly maxClaimableAmount: bigint;
  readonly signature: Hex;
  /** What the seller has charged in all, in base units. */
  readonly charged: bigint;
  /** Over the claim of exactly this row, where the channel's authorizer is not the facilitator's. */
  readonly claimSignature: Hex | undefined;
  /** What the newest charges were for; empty where the seller does not say it. */
  readonly sold: readonly SoldPart[];
}

export type VaultResult =
  | { readonly channelId: Hex; readonly kept: KeptVoucher }
  | { readonly channelId: Hex; readonly refusal: VaultRefusal };

/** The scheme has no name for an account without credits. */
export type VaultRefusal =
  | ChannelRefusal
  | { readonly code: "insufficient_facilitator_credits"; readonly message: string };

/**
 * The contract is asked again for a channel that was read longer ago than this: withdrawals are also
 * seen by their events, so this only bounds what a missed event could hide.
 */
const readAgainMs = 5 * 60_000;

export interface VaultDeps extends Runtime {
  readonly store: Pick<VoucherStore, "findVouchers" | "keepVouchers">;
  readonly chain: Pick<Channels, "read">;
  readonly authorizer: ChannelAuthorizer;
  /** What the claim of a voucher costs now. */
  priceOf(network: Network): ClaimPrice;
}

export function createVault({ store, chain, authorizer, clock, priceOf }: VaultDeps) {
  /** Keeps vouchers of one account on one network; the results are in the order of the rows. */
  return async (
    account: Address,
    network: Network,
    rows: readonly VoucherRow[],
  ): Promise<readonly VaultResult[]> => {
    const checked = await Promise.all(
      rows.map((row) => checkRow(row, { account, network, authorizer })),
    );
    const ids = checked.map(({ channelId }) => channelId);
    const known = await store.findVouchers(network.chainId, ids);
    const now = clock.nowMs();
    const asked = rows.flatMap((row, index) => {
      const { channelId, refusal } = checked[index] ?? {};
      if (!channelId || refusal) return [];
      const kept = known.get(channelId);
      // Vouchers are handed over again, in case they were lost; what is kept was read for them.
      if (kept && row.charged <= kept.charged) return [];
      const isFresh = kept && kept.readAt > now - readAgainMs && row.charged <= kept.balance;
      return isFresh ? [] : [channelId];
    });
    const states = await chain.read(network.chainId, asked);
    const stateOf = new Map(asked.map((id, index) => [id, states[index]]));
    const results = rows.map((row, index): NewVoucher | VaultResult => {
      const { channelId, refusal } = checked[index] ?? { channelId: noId };
      if (refusal) return { channelId, refusal };
      const kept = known.get(channelId);
      const read = stateOf.get(channelId);
      const state = read ?? (kept && stateOfKept(kept));
      if (!state) return { channelId, refusal: unread };
      const total = checkTotal(row.charged, state, { isRefund: true });
      if (!total.ok) return { channelId, refusal: total.refusal };
      const { claimSignature = null, ...signed } = row;
      return {
        ...signed,
        claimSignature,
        chainId: network.chainId,
        channelId,
        account,
        balance: state.balance,
        claimed: state.totalClaimed,
        withdrawRequestedAt: state.withdrawRequestedAt,
        readAt: read ? now : (kept?.readAt ?? now),
      };
    });
    const accepted = results.filter((one): one is NewVoucher => "charged" in one);
    const unpaid = await store.keepVouchers(accepted, priceOf(network), now);
    const after = await store.findVouchers(network.chainId, ids);
    return results.map((one) => {
      const kept = after.get(one.channelId);
      if (!("charged" in one)) return one;
      if (unpaid.has(one.channelId)) return { channelId: one.channelId, refusal: noCredits };
      return kept
        ? { channelId: one.channelId, kept }
        : { channelId: one.channelId, refusal: unread };
    });
  };
}

const noCredits: VaultRefusal = {
  code: "insufficient_facilitator_credits",
  message: "The account has no credits for the claim of this voucher; buy credits.",
};

const noId: Hex = "0x";

const unread: ChannelRefusal = {
  code: "verification_state_unavailable",
  message: "The channel's state could not be read; hand the voucher over again.",
};

function stateOfKept({ balance, claimed, withdrawRequestedAt }: KeptVoucher): ChannelState {
  return { balance, totalClaimed: claimed, withdrawRequestedAt, withdrawing: 0n, refundNonce: 0n };
}

/** What needs no chain: the channel is the account's, both parties have signed, and we can claim it. */
async function checkRow(
  row: VoucherRow,
  of: {
    readonly account: Address;
    readonly network: Network;
    readonly authorizer: ChannelAuthorizer;
  },
): Promise<{ readonly channelId: Hex; readonly refusal?: ChannelRefusal }> {
  const { account, network, authorizer } = of;
  const { config, maxClaimableAmount, charged } = row;
  const channelId = channelIdOf(network, config);
  const fits = checkChannel(config, { network, asset: network.usdc, payTo: account });
  if (!fits.ok) return { channelId, refusal: fits.refusal };
  const signed = checkVoucher(network, config, { ...row, channelId });
  if (!signed.ok) return { channelId, refusal: signed.refusal };
  if (charged > maxClaimableAmount) {
    const message = `charged is ${charged} base units, the voucher is for ${maxClaimableAmount}.`;
    return { channelId, refusal: { code: "charge_exceeds_signed_cumulative", message } };
  }
  const entry = { channelId, maxClaimableAmount, totalClaimed: charged };
  const digest = claimBatchDigest(network.chainId, [entry]);
  const { claimSignature } = row;
  if (claimSignature && hasSignedForContract(config.receiverAuthorizer, digest, claimSignature)) {
    return { channelId };
  }
  // Signed once it is claimed, so that a key service that fails keeps no voucher out.
  if (authorizer.canSign(config)) return { channelId };
  const message =
    "The channel's receiverAuthorizer is not this facilitator's; send claimSignature, over the claim of exactly this row.";
  return { channelId, refusal: { code: "authorizer_not_configured", message } };
}
