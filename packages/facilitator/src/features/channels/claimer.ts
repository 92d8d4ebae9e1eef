/**
 * Claims what the vault has: at once where the payer withdraws, and otherwise when enough has gathered
 * or the time has come; then sweeps what was claimed to its receivers. Everything it does is decided by
 * the vault and the chain, so a process that dies leaves nothing but work for the next look.
 */
import {
  channelIdOf,
  networkOfChain,
  type Address,
  type ChainId,
  type ClaimEntry,
  type Hex,
  type VoucherClaim,
} from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";
import type { Channels } from "@farthing/engine";
import { startPoll, warning, type Runtime } from "@farthing/engine/base";
import type { ChannelAuthorizer } from "../../payments/channels/context.ts";
import { chooseDue } from "./choose-due.ts";
import type { KeptVoucher } from "./model.ts";
import type { ChannelStore } from "./store.ts";

/** A withdrawal takes fifteen minutes at least, so ten seconds are a ninetieth of the time for a claim. */
const lookEveryMs = 10_000;

/** Rows of one claim: about 4 M gas, a third of what one call of the relayer may take. */
const rowsMax = 50;

/** Channels that one look considers; what is left comes with the next one. */
const considerMax = 2_000;

/** Channels of one read, of three calls each. */
const readMax = 100;

/** Blocks whose events are read at once; after a longer absence every open channel is read instead. */
const eventBlocksMax = 200;

/** Blocks that are read again, since they may have been replaced: XDC makes a block final within five. */
const replacedBlocks = 8;

/** A process has this long for a claim before another one takes its rows. */
const claimMs = 60_000;

/** What a look waits for a claim to be in a block: three blocks and a slow node. */
const callWaitMs = 20_000;

/** 0.10 USDC: fifty times what a sweep costs at the gas price that XDC prepares (625 gwei). */
const sweepMinUnits = 100_000n;

export interface ClaimerDeps extends Runtime {
  readonly store: ChannelStore;
  readonly chain: Channels;
  readonly authorizer: ChannelAuthorizer;
  readonly chainIds: readonly ChainId[];
}

export function createClaimer(deps: ClaimerDeps) {
  const { store, chain, clock, log } = deps;
  /** The newest block whose events are known, by network. */
  const readUpTo = new Map<ChainId, number>();
  /** Accounts whose vouchers are claimed with the next look, whatever their sum. */
  const asked = new Set<string>();

  async function refresh(chainId: ChainId, ids: readonly Hex[], block = 0): Promise<void> {
    for (let first = 0; first < ids.length; first += readMax) {
      const some = ids.slice(first, first + readMax);
      const states = await chain.read(chainId, some, block);
      const read = some.flatMap((channelId, index) => {
        const state = states[index];
        return state ? [{ channelId, state }] : [];
      });
      await store.recordChannels(chainId, read, clock.nowMs());
    }
  }

  /** Reads the channels that have changed since the last look. */
  async function watch(chainId: ChainId, open: readonly KeptVoucher[]): Promise<void> {
    const head = chain.headOf(chainId);
    if (head === undefined) return;
    const before = readUpTo.get(chainId);
    if (before === undefined || head - before > eventBlocksMax) {
      const ids = open.map(({ channelId }) => channelId);
      await refresh(chainId, ids);
    } else {
      const events = await chain.events(chainId, Math.max(0, before - replacedBlocks), head);
      const touched = [...new Set(events.map(({ channelId }) => channelId))];
      const known = await store.findVouchers(chainId, touched);
      await refresh(chainId, [...known.keys()]);
    }
    readUpTo.set(chainId, head);
  }

  async function look(chainId: ChainId): Promise<void> {
    const before = await store.listUnclaimed(chainId, clock.nowMs(), considerMax);
    // Nothing is at stake, so the node is left alone, and asked for everything later.
    if (before.length === 0) return void readUpTo.delete(chainId);
    await watch(chainId, before);
    const now = clock.nowMs();
    const due = chooseDue(await store.listUnclaimed(chainId, now, considerMax), asked, now);
    for (const [account, rows] of Map.groupBy(due, (row) => row.account)) {
      asked.delete(account.toLowerCase());
      for (let first = 0; first < rows.length; first += rowsMax) {
        await claim(chainId, rows.slice(first, first + rowsMax));
      }
      await sweep(chainId, account);
    }
  }

  /** Claims rows of one account. */
  async function claim(chainId: ChainId, rows: readonly KeptVoucher[]): Promise<void> {
    const now = clock.nowMs();
    const ids = rows.map(({ channelId }) => channelId);
    const taken = new Set(await store.takeForClaim(chainId, ids, { now, until: now + claimMs }));
    const ours = rows.filter(({ channelId, charged, balance }) => {
      if (charged > balance) noteShort(chainId, channelId);
      return taken.has(channelId) && charged <= balance;
    });
    if (ours.length > 0) await send(chainId, ours);
  }

  function noteShort(chainId: ChainId, channelId: Hex): void {
    const fields = { event: "channel_short", chainId, channelId };
    log.error(fields, "Channel holds less than was charged; its voucher cannot be claimed");
  }

  async function send(chainId: ChainId, rows: readonly KeptVoucher[]): Promise<void> {
    const ids = rows.map(({ channelId }) => channelId);
    const data = await encodeClaims(deps, chainId, rows);
    const called = await chain.call(chainId, data, callWaitMs);
    const fields = { chainId, account: rows[0]?.account, rows: rows.length };
    if (called.kind === "reverts") {
      // One row may have lost its balance since it was read; the others must not wait for it.
      log.warn({ event: "channel_claim_refused", ...fields }, "Claim of channels would revert");
      await refresh(chainId, ids);
      const half = Math.ceil(rows.length / 2);
      if (rows.length > 1) {
        await send(chainId, rows.slice(0, half));
        await send(chainId, rows.slice(half));
      }
      return;
    }
    const { transaction } = called;
    if (called.kind === "mined") await refresh(chainId, ids, called.blockNumber);
    const event = called.kind === "mined" ? "channels_claimed" : "channel_claim_pending";
    log.info({ event, transaction, ...fields }, "Vouchers of channels claimed");
  }

  async function sweep(chainId: ChainId, receiver: Address): Promise<void> {
    const { usdc: token } = networkOfChain(chainId);
    const sums = await chain.readReceiver(chainId, { receiver, token });
    const units = sums.totalClaimed - sums.totalSettled;
    if (units < sweepMinUnits) return;
    const called = await chain.call(chainId, channelCalls.settle(receiver, token), callWaitMs);
    const transaction = called.kind === "reverts" ? null : called.transaction;
    const fields = { chainId, receiver, transaction, amount: units.toString() };
    log.info(
      { event: "channels_swept", ...fields },
      "Claimed money of channels sent to its receiver",
    );
  }

  return {
    /** Claims an account's vouchers with the next look. */
    ask: (account: Address) => void asked.add(account.toLowerCase()),
    look,
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

/** One call for all rows: those that we sign together, and each that its seller has signed. */
async function encodeClaims(
  { authorizer }: Pick<ClaimerDeps, "authorizer">,
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
