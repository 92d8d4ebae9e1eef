/** Claims rows of one account: one call for all of them, and smaller ones where the contract refuses it. */
import {
  channelIdOf,
  networkOfChain,
  type ChainId,
  type ClaimEntry,
  type Hex,
  type VoucherClaim,
} from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";
import type { Channels } from "@farthing/engine";
import type { Runtime } from "@farthing/engine/base";
import type { ChannelAuthorizer } from "../../payments/channels/context.ts";
import type { ChannelWatch } from "./channel-watch.ts";
import type { KeptVoucher } from "./model.ts";
import type { VoucherStore } from "./store.ts";

/** What a look waits for a claim to be in a block: ten blocks, or three and a slow node. */
export const callWaitMs = 20_000;

export interface SendClaimsDeps extends Runtime {
  readonly store: Pick<VoucherStore, "spendReservations">;
  readonly chain: Pick<Channels, "call">;
  readonly authorizer: ChannelAuthorizer;
  readonly watch: Pick<ChannelWatch, "refresh">;
}

export async function sendClaims(
  deps: SendClaimsDeps,
  chainId: ChainId,
  rows: readonly KeptVoucher[],
): Promise<void> {
  const { chain, watch, log } = deps;
  const ids = rows.map(({ channelId }) => channelId);
  const called = await chain.call(chainId, await encodeClaims(deps, chainId, rows), callWaitMs);
  const fields = { chainId, account: rows[0]?.account, rows: rows.length };
  if (called.kind === "reverts") {
    log.warn({ event: "channel_claim_refused", ...fields }, "Claim of channels would revert");
    await watch.refresh(chainId, ids);
    // One row may have lost its balance since it was read; the others must not wait for it.
    const half = Math.ceil(rows.length / 2);
    if (rows.length === 1) return;
    await sendClaims(deps, chainId, rows.slice(0, half));
    await sendClaims(deps, chainId, rows.slice(half));
    return;
  }
  const { transaction } = called;
  await deps.store.spendReservations(chainId, ids);
  if (called.kind === "mined") {
    await watch.refresh(chainId, ids, called.blockNumber);
    const message = "Vouchers of channels claimed";
    log.info({ event: "channels_claimed", transaction, ...fields }, message);
  } else {
    const message = "Claim of channels not in a block yet";
    log.info({ event: "channel_claim_pending", transaction, ...fields }, message);
  }
}

/** One call for all rows: those that we sign together, and each that its seller has signed. */
async function encodeClaims(
  { authorizer }: Pick<SendClaimsDeps, "authorizer">,
  chainId: ChainId,
  rows: readonly KeptVoucher[],
): Promise<Hex> {
  const calls: Hex[] = [];
  const signed: KeptVoucher[] = [];
  for (const row of rows) {
    if (row.claimSignature === null) signed.push(row);
    else calls.push(channelCalls.claimWithSignature([claimOf(row)], row.claimSignature));
  }
  const [first] = signed;
  if (first) {
    const entries = signed.map((row) => entryOf(chainId, row));
    const signature = await authorizer.signClaims(chainId, first.config, entries);
    if (signature) calls.push(channelCalls.claimWithSignature(signed.map(claimOf), signature));
  }
  const [only] = calls;
  return only !== undefined && calls.length === 1 ? only : channelCalls.multicall(calls);
}

function claimOf({ config, maxClaimableAmount, signature, charged }: KeptVoucher): VoucherClaim {
  return { config, maxClaimableAmount, signature, totalClaimed: charged };
}

function entryOf(chainId: ChainId, row: KeptVoucher): ClaimEntry {
  return {
    channelId: channelIdOf(networkOfChain(chainId), row.config),
    maxClaimableAmount: row.maxClaimableAmount,
    totalClaimed: row.charged,
  };
}
