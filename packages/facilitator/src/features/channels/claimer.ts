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
import { chooseDue } from "./choose-due.ts";
import type { KeptVoucher } from "./model.ts";
import { callWaitMs, sendClaims } from "./send-claims.ts";
import type { AccountChannelStore } from "./account-store.ts";
import type { ChannelEventStore } from "./event-store.ts";
import type { VoucherStore } from "./store.ts";

/** A withdrawal takes fifteen minutes at least, so ten seconds are a ninetieth of the time for a claim. */
const lookEveryMs = 10_000;

/** While nothing is unclaimed, only every sixth look asks the node: nobody's money depends on it. */
const quietLooks = 6;

/** Rows of one claim: each takes 25 k gas with the stand-ins, so a claim fits a block many times. */
const rowsMax = 50;

/** Channels that one look considers; what is left comes with the next one. */
const considerMax = 2_000;

/** A process has this long for a claim before another one takes its rows. */
const claimMs = 60_000;

/** Sweeps that one look makes beside those of its claims; the next look goes on. */
const sweepsMax = 20;

/**
 * Looks in a row that find money unsent before it is swept without a claim: a minute, in which whoever
 * claimed it has swept it, and in which a sweep that was sent before is in a block.
 */
const unsentLooks = 6;

/** 0.10 USDC: fifty times what a sweep costs at the gas price that XDC prepares (625 gwei). */
const sweepMinUnits = 100_000n;

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
  /** By network: accounts whose vouchers are claimed with the next look, whatever their sum. */
  const askedOn = new Map<ChainId, Set<string>>(deps.chainIds.map((id) => [id, new Set()]));
  /** By network: in how many looks in a row an account had money that was not sent. */
  const unsentFor = new Map<ChainId, ReadonlyMap<Address, number>>();
  /** Looks at a network since the node was asked. */
  const skipped = new Map<ChainId, number>();
  const listOpen = (chainId: ChainId) => store.listUnclaimed(chainId, clock.nowMs(), considerMax);

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
    const asked = askedOn.get(chainId) ?? new Set();
    const due = chooseDue(await listOpen(chainId), asked, clock.nowMs());
    for (const [account, rows] of Map.groupBy(due, (row) => row.account)) {
      const isAsked = asked.delete(account.toLowerCase());
      let waiting = 0;
      for (let first = 0; first < rows.length; first += rowsMax) {
        waiting += await claim(chainId, rows.slice(first, first + rowsMax));
      }
      // What waits for its signer is taken up again, also where it is due by the account's word alone.
      if (isAsked && waiting > 0) asked.add(account.toLowerCase());
      await sweep(deps, chainId, account);
    }
    await sweepUnsent(chainId);
  }

  /** Sends what was claimed by a transaction that was not in a block when its look ended. */
  async function sweepUnsent(chainId: ChainId): Promise<void> {
    const before = unsentFor.get(chainId);
    const unsent = await store.listUnsent(chainId, sweepMinUnits, sweepsMax);
    const looks = new Map(unsent.map((account) => [account, (before?.get(account) ?? 0) + 1]));
    const due = unsent.filter((account) => looks.get(account) === unsentLooks);
    for (const account of due) looks.delete(account);
    unsentFor.set(chainId, looks);
    for (const account of due) await sweep(deps, chainId, account);
  }

  /** Claims rows of one account that no other process claims. Returns how many wait for their signer. */
  async function claim(chainId: ChainId, rows: readonly KeptVoucher[]): Promise<number> {
    const now = clock.nowMs();
    const ids = rows.map(({ channelId }) => channelId);
    const times = { now, until: now + claimMs };
    const taken = new Set(await store.takeForClaim(chainId, ids, times));
    const ours = rows.filter(({ channelId, charged, balance }) => {
      if (!taken.has(channelId) || charged <= balance) return taken.has(channelId);
      const fields = { event: "channel_short", chainId, channelId };
      log.error(fields, "Channel holds less than was charged; its voucher cannot be claimed");
      return false;
    });
    if (ours.length === 0) return 0;
    const waiting = await sendClaims({ ...deps, watch }, chainId, ours);
    if (waiting.length > 0) {
      await store.giveBack(chainId, waiting, times.until);
      const fields = { event: "channel_claim_waits", chainId, rows: waiting.length };
      log.warn(fields, "Claim of channels waits for its signer; tried again in ten seconds");
    }
    return waiting.length;
  }

  return {
    /** Claims an account's vouchers on these networks with the next look. */
    ask(account: Address, chainIds: readonly ChainId[]): void {
      for (const chainId of chainIds) askedOn.get(chainId)?.add(account.toLowerCase());
    },
    /** Starts to look; returns a function that stops it. */
    start: () => {
      const poll = startPoll({ clock, pauseMs: lookEveryMs, isDelayed: true }, async () => {
        for (const chainId of deps.chainIds) {
          const fields = { event: "channel_claims_failed", chainId };
          const message = "Claims of channels failed; looking again in ten seconds";
          await look(chainId).catch(warning(log, fields, message));
        }
      });
      return () => poll.stop();
    },
  };
}

/** Sends a receiver what was claimed for it, where that is worth the gas. */
async function sweep(
  { store, chain, log }: Pick<ClaimerDeps, "store" | "chain" | "log">,
  chainId: ChainId,
  receiver: Address,
): Promise<void> {
  const { usdc: token } = networkOfChain(chainId);
  const sums = await chain.readReceiver(chainId, { receiver, token });
  const units = sums.totalClaimed - sums.totalSettled;
  await store.recordSettled(receiver, chainId, sums.totalSettled);
  if (units < sweepMinUnits) return;
  const called = await chain.call(chainId, channelCalls.settle(receiver, token), callWaitMs);
  if (called.kind === "mined") {
    const after = await chain.readReceiver(chainId, { receiver, token }, called.blockNumber);
    await store.recordSettled(receiver, chainId, after.totalSettled);
  }
  const transaction = called.kind === "reverts" ? null : called.transaction;
  const fields = { chainId, receiver, transaction, amount: units.toString() };
  log.info(
    { event: "channels_swept", ...fields },
    "Claimed money of channels sent to its receiver",
  );
}
