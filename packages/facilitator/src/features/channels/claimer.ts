/**
 * Claims what the vault has: at once where the payer withdraws, and otherwise when enough has gathered
 * or the time has come; then sweeps what was claimed to its receivers. Everything it does is decided by
 * the vault and the chain, so a process that dies leaves nothing but work for the next look.
 */
import { networkOfChain, type Address, type ChainId } from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";
import type { Channels } from "@farthing/engine";
import { startPoll, warning, type Runtime } from "@farthing/engine/base";
import type { ChannelAuthorizer } from "../../payments/channels/context.ts";
import { createChannelWatch } from "./channel-watch.ts";
import { chooseDue, listConsidered } from "./choose-due.ts";
import { batchesOf } from "./claim-batches.ts";
import type { KeptVoucher } from "./model.ts";
import { callWaitMs, sendClaims, type SendClaimsDeps } from "./send-claims.ts";
import type { AccountChannelStore } from "./account-store.ts";
import type { ChannelEventStore } from "./event-store.ts";
import type { VoucherStore } from "./store.ts";

/** A withdrawal takes fifteen minutes at least, so ten seconds are a ninetieth of the time for a claim. */
const lookEveryMs = 10_000;

/** While nothing is unclaimed, only every sixth look asks the node: nobody's money depends on it. */
const quietLooks = 6;

/**
 * No claim begins later in a look: a withdrawal that is started meanwhile is seen by the next one, of
 * which there are several in the shortest delay.
 */
const claimsMs = 60_000;

/** A process has this long for a claim before another one takes its rows. */
const claimMs = 60_000;

/** Sweeps that one look makes beside those of its claims; the next look goes on. */
const sweepsMax = 20;

/** A receiver that the token refuses is one of a list of its issuer, which changes once in a while. */
const refusedMs = 60 * 60_000;

/** Receivers that are left out of the sweeps at once; beyond them, the longest refused is tried again. */
const refusedMax = 1_000;

/**
 * Looks in a row that find money unsent before it is swept without a claim: a minute, in which whoever
 * claimed it has swept it, and in which a sweep that was sent before is in a block.
 */
const unsentLooks = 6;

/** 0.10 USDC: fifty times what a sweep costs at the gas price that XDC prepares (625 gwei). */
const sweepMinUnits = 100_000n;

const failedMessage = "Claims of channels failed; looking again in ten seconds";

export interface ClaimerDeps extends Runtime {
  readonly store: VoucherStore &
    ChannelEventStore &
    Pick<AccountChannelStore, "recordSettled" | "listUnsent">;
  readonly chain: Channels;
  readonly authorizer: ChannelAuthorizer;
  readonly chainIds: readonly ChainId[];
}

export function createClaimer(deps: ClaimerDeps) {
  const { store, clock, log } = deps;
  const watch = createChannelWatch(deps);
  /** By network: in how many looks in a row an account had money that was not sent. */
  const unsentFor = new Map<ChainId, ReadonlyMap<Address, number>>();
  /** By network: receivers to which money could not be sent, and until when they are left out. */
  const refusedOn = new Map<ChainId, Map<Address, number>>();
  /** Looks at a network since the node was asked. */
  const skipped = new Map<ChainId, number>();

  const listOpen = (chainId: ChainId) => listConsidered(store, chainId, clock.nowMs());

  async function look(chainId: ChainId): Promise<void> {
    const open = await listOpen(chainId);
    const isQuiet = open.length === 0;
    if (isQuiet && !(await store.hasOpenChannels(chainId))) {
      watch.rest(chainId);
      return sweepUnsent(chainId);
    }
    const quiet = (skipped.get(chainId) ?? 0) + 1;
    skipped.set(chainId, isQuiet && quiet < quietLooks ? quiet : 0);
    if (skipped.get(chainId) !== 0) return;
    await watch.look(chainId, open);
    await claimDue(chainId, chooseDue(await listOpen(chainId), clock.nowMs()));
    await sweepUnsent(chainId);
  }

  async function claimDue(chainId: ChainId, due: readonly KeptVoucher[]): Promise<void> {
    const endsAtMs = clock.nowMs() + claimsMs;
    const claimed = new Set<Address>();
    for (const batch of batchesOf(due)) {
      const account = batch[0]?.account;
      if (account === undefined || clock.nowMs() >= endsAtMs) continue;
      if (await claimApart({ ...deps, watch }, chainId, batch)) claimed.add(account);
    }
    for (const account of claimed) {
      if (clock.nowMs() < endsAtMs) await sweepTo(chainId, account);
    }
  }

  /** Sends what was claimed by a transaction that was not in a block when its look ended. */
  async function sweepUnsent(chainId: ChainId): Promise<void> {
    const before = unsentFor.get(chainId);
    const left = [...leftOut(chainId).keys()];
    const unsent = await store.listUnsent(chainId, sweepMinUnits, { limit: sweepsMax, left });
    const looks = new Map(unsent.map((account) => [account, (before?.get(account) ?? 0) + 1]));
    const due = unsent.filter((account) => looks.get(account) === unsentLooks);
    for (const account of due) looks.delete(account);
    unsentFor.set(chainId, looks);
    for (const account of due) await sweepTo(chainId, account);
  }

  /** The longest refused first, without those whose time is over. */
  function leftOut(chainId: ChainId): Map<Address, number> {
    const refused = refusedOn.get(chainId) ?? new Map<Address, number>();
    refusedOn.set(chainId, refused);
    for (const [account, untilMs] of refused) {
      if (untilMs > clock.nowMs() && refused.size <= refusedMax) break;
      refused.delete(account);
    }
    return refused;
  }

  async function sweepTo(chainId: ChainId, receiver: Address): Promise<void> {
    const refused = leftOut(chainId);
    refused.delete(receiver);
    const isSent = await sweep(deps, chainId, receiver);
    if (!isSent) refused.set(receiver, clock.nowMs() + refusedMs);
  }

  return {
    /** Starts to look; returns a function that stops it. */
    start: () => {
      const poll = startPoll({ clock, pauseMs: lookEveryMs, isDelayed: true }, async () => {
        for (const chainId of deps.chainIds) {
          const fields = { event: "channel_claims_failed", chainId };
          await look(chainId).catch(warning(log, fields, failedMessage));
        }
      });
      return () => poll.stop();
    },
  };
}

type ClaimDeps = SendClaimsDeps & Pick<ClaimerDeps, "store">;

/** A claim that fails keeps nobody else's from being made. Returns whether one was made. */
async function claimApart(
  deps: ClaimDeps,
  chainId: ChainId,
  rows: readonly KeptVoucher[],
): Promise<boolean> {
  const fields = { event: "channel_claims_failed", chainId, account: rows[0]?.account };
  const failed = warning(deps.log, fields, failedMessage);
  const waiting = await claim(deps, chainId, rows).catch(failed);
  return waiting !== undefined && waiting < rows.length;
}

/** Claims rows of one account that no other process claims. Returns how many wait for their signer. */
async function claim(
  deps: ClaimDeps,
  chainId: ChainId,
  rows: readonly KeptVoucher[],
): Promise<number> {
  const { store, clock, log } = deps;
  const now = clock.nowMs();
  const ids = rows.map(({ channelId }) => channelId);
  const times = { now, until: now + claimMs };
  const taken = new Set(await store.takeForClaim(chainId, ids, times));
  const ours = rows.filter(({ channelId }) => taken.has(channelId));
  for (const { channelId, charged, balance } of ours) {
    if (charged <= balance) continue;
    const fields = { event: "channel_short", chainId, channelId };
    log.error(fields, "Channel holds less than was charged; what it holds is claimed");
  }
  if (ours.length === 0) return 0;
  const waiting = await sendClaims(deps, chainId, ours);
  if (waiting.length > 0) {
    await store.giveBack(chainId, waiting, times.until);
    const fields = { event: "channel_claim_waits", chainId, rows: waiting.length };
    log.warn(fields, "Claim of channels waits for its signer; tried again in ten seconds");
  }
  return waiting.length;
}

/** Sends a receiver what was claimed for it, where that is worth the gas; false where it is refused. */
async function sweep(
  { store, chain, log }: Pick<ClaimerDeps, "store" | "chain" | "log">,
  chainId: ChainId,
  receiver: Address,
): Promise<boolean> {
  const { usdc: token } = networkOfChain(chainId);
  const sums = await chain.readReceiver(chainId, { receiver, token });
  const units = sums.totalClaimed - sums.totalSettled;
  await store.recordSettled(receiver, chainId, sums.totalSettled);
  if (units < sweepMinUnits) return true;
  const called = await chain.call(chainId, channelCalls.settle(receiver, token), callWaitMs);
  if (called.kind === "mined") {
    const after = await chain.readReceiver(chainId, { receiver, token }, called.blockNumber);
    await store.recordSettled(receiver, chainId, after.totalSettled);
  }
  const fields = { chainId, receiver, amount: units.toString() };
  if (called.kind === "reverts") {
    const message =
      "Claimed money of channels cannot be sent to its receiver; tried again in an hour";
    log.warn({ event: "channel_sweep_refused", ...fields }, message);
    return false;
  }
  const { transaction } = called;
  log.info(
    { event: "channels_swept", transaction, ...fields },
    "Claimed money of channels sent to its receiver",
  );
  return true;
}
