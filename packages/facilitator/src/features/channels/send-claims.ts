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
import { Fault, type Runtime } from "@farthing/engine/base";
import { callOrUndo } from "../../payments/channels/call-or-undo.ts";
import type { ChannelAuthorizer } from "../../payments/channels/context.ts";
import type { ChannelWatch } from "./channel-watch.ts";
import type { KeptVoucher } from "./model.ts";
import type { VoucherStore } from "./store.ts";

/** What a look waits for a claim to be in a block: ten blocks, or three and a slow node. */
export const callWaitMs = 20_000;

/** A row that is refused alone is tried again after a third of the shortest delay. */
const refusedMs = 5 * 60_000;

export interface SendClaimsDeps extends Runtime {
  readonly store: Pick<VoucherStore, "restoreReservations" | "spendReservations" | "takeForClaim">;
  readonly chain: Pick<Channels, "call">;
  readonly authorizer: ChannelAuthorizer;
  readonly watch: Pick<ChannelWatch, "refresh">;
}

/** Returns the channels that nobody signs for now, of which nothing was sent. */
export async function sendClaims(
  deps: SendClaimsDeps,
  chainId: ChainId,
  given: readonly KeptVoucher[],
): Promise<readonly Hex[]> {
  const { store, chain, watch, clock, log } = deps;
  const { data, rows, waiting } = await encodeClaims(deps, chainId, given);
  if (data === undefined) return waiting;
  const ids = rows.map(({ channelId }) => channelId);
  // Before anything is sent: another look may see the claim in a block before this one hears of it, and
  // this process may end meanwhile. A claim that has to be made again is then made for nothing.
  const spent = await store.spendReservations(chainId, ids);
  const called = await callOrUndo(
    () => chain.call(chainId, data, callWaitMs),
    () => store.restoreReservations(chainId, spent, clock.nowMs()),
  );
  const fields = { chainId, account: rows[0]?.account, rows: rows.length };
  if (called.kind === "reverts") {
    log.warn({ event: "channel_claim_refused", ...fields }, "Claim of channels would revert");
    await watch.refresh(chainId, ids);
    // One row may have lost its balance since it was read; the others must not wait for it.
    const half = Math.ceil(rows.length / 2);
    if (rows.length === 1) {
      // Left alone for a while, so that rows that are always refused do not take the others' time.
      const now = clock.nowMs();
      await store.takeForClaim(chainId, ids, { now, until: now + refusedMs });
      return waiting;
    }
    const first = await sendClaims(deps, chainId, rows.slice(0, half));
    const second = await sendClaims(deps, chainId, rows.slice(half));
    return [...waiting, ...first, ...second];
  }
  const { transaction } = called;
  if (called.kind === "mined") {
    await watch.refresh(chainId, ids, called.blockNumber);
    const message = "Vouchers of channels claimed";
    log.info({ event: "channels_claimed", transaction, ...fields }, message);
  } else {
    const message = "Claim of channels not in a block yet";
    log.info({ event: "channel_claim_pending", transaction, ...fields }, message);
  }
  return waiting;
}

/** A call, its rows, and the channels that are left out of it. */
interface EncodedClaims {
  /** Undefined where no row can be claimed now. */
  readonly data: Hex | undefined;
  readonly rows: readonly KeptVoucher[];
  readonly waiting: readonly Hex[];
}

/**
 * One call for the rows that can be signed now: those of each authorizer of ours together, and each that
 * its seller has signed. No call where none can.
 */
async function encodeClaims(
  { authorizer }: Pick<SendClaimsDeps, "authorizer">,
  chainId: ChainId,
  given: readonly KeptVoucher[],
): Promise<EncodedClaims> {
  const calls: Hex[] = [];
  const rows: KeptVoucher[] = [];
  const waiting: Hex[] = [];
  const unsigned: KeptVoucher[] = [];
  for (const row of given) {
    if (row.claimSignature === null) {
      unsigned.push(row);
      continue;
    }
    calls.push(channelCalls.claimWithSignature([claimOf(row)], row.claimSignature));
    rows.push(row);
  }
  const groups = Map.groupBy(unsigned, ({ config }) => config.receiverAuthorizer);
  for (const group of groups.values()) {
    const [first] = group;
    const entries = group.map((row) => entryOf(chainId, row));
    const signature = first && (await signNow(authorizer, chainId, first, entries));
    if (signature === undefined) {
      waiting.push(...group.map(({ channelId }) => channelId));
      continue;
    }
    calls.push(channelCalls.claimWithSignature(group.map(claimOf), signature));
    rows.push(...group);
  }
  const [only] = calls;
  return { data: calls.length > 1 ? channelCalls.multicall(calls) : only, rows, waiting };
}

/** Undefined while the key service that signs for the channels fails. */
async function signNow(
  authorizer: ChannelAuthorizer,
  chainId: ChainId,
  { config }: KeptVoucher,
  entries: readonly ClaimEntry[],
): Promise<Hex | undefined> {
  try {
    return await authorizer.signClaims(chainId, config, entries);
  } catch (error) {
    if (error instanceof Fault && error.code === "signer_unavailable") return undefined;
    throw error;
  }
}

function claimOf(row: KeptVoucher): VoucherClaim {
  const { config, maxClaimableAmount, signature } = row;
  return { config, maxClaimableAmount, signature, totalClaimed: claimableOf(row) };
}

/** What is charged, or all that the channel holds where that is less. */
function claimableOf({ charged, balance }: KeptVoucher): bigint {
  return charged < balance ? charged : balance;
}

function entryOf(chainId: ChainId, row: KeptVoucher): ClaimEntry {
  return {
    channelId: channelIdOf(networkOfChain(chainId), row.config),
    maxClaimableAmount: row.maxClaimableAmount,
    totalClaimed: claimableOf(row),
  };
}
