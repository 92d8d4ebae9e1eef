/**
 * Finds payments that the database has lost: after a failover to a standby that lagged behind, or the
 * restoration of a backup, it knows fewer nonces of the relayer wallets than the chain. What the wallets
 * sent is then read from the chain and recorded before anything new is claimed.
 */
import type { Address } from "@farthing/protocol";
import { backOffMs, type BackOffBounds } from "../base/back-off.ts";
import { steadyClockOf, type Clock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import { warning } from "../base/log.ts";
import { createCompareNonces, ownedBy, type Search, type Since } from "./compare-nonces.ts";
import { createReadLost, retryPause, type ReadDeps, type SearchResult } from "./read-lost.ts";

/**
 * Requests wait so long from its beginning for a comparison and for a search, which after a failover take
 * a moment: a broken connection to the database should fail no payment. Then they are refused at once.
 */
const waitMs = 3_000;

/** Between looks whether another process has ended its search, which after a failover takes a moment. */
const elsewherePause: BackOffBounds = { minMs: 250, maxMs: 2_000 };

export type LostTransfers = ReturnType<typeof createLostTransfers>;

export function createLostTransfers(deps: ReadDeps) {
  const { chain, store, log, clock } = deps;
  const { chainId } = chain.network;
  const nonces = createCompareNonces(deps);
  const isOwn = ownedBy(deps);
  const steady = steadyClockOf(clock);
  const stopping = new AbortController();
  const { repair, unread } = createReadLost(deps, stopping.signal);
  let hasCompared = false;
  let search: Search | undefined;
  let running: Promise<void> | undefined;
  /** The nonces have to be compared, or the loss is known and they need not be. */
  let due: "compare" | "search" | undefined;
  /** Another process searches, and this one waits for its end. */
  let isElsewhere = false;
  /** Resolves when nothing is due any more. */
  let comparing: (PromiseWithResolvers<void> & { readonly sinceMs: number }) | undefined;

  function problem(): string | undefined {
    if (search) return textOf(search, isElsewhere);
    const isKnown = hasCompared && comparing === undefined;
    return isKnown ? undefined : "the relayer wallets are compared with the chain";
  }

  async function run(): Promise<void> {
    let looks = 0;
    for (let failures = 0; due !== undefined && !stopping.signal.aborted;) {
      const isLossKnown = due === "search";
      // What becomes due meanwhile is another database than the one that is read now.
      due = undefined;
      try {
        if (!search || isElsewhere) {
          search = await nonces.findLoss({ isFirst: !hasCompared, isLossKnown });
          if (search && !isElsewhere) nonces.report(search);
        }
        isElsewhere = search !== undefined && !(await repairAlone(search, isLossKnown, ++looks));
        if (search) {
          // What was mined meanwhile shows in the nonces.
          due ??= isElsewhere && isLossKnown ? "search" : "compare";
        }
        if (!isElsewhere) search = undefined;
        hasCompared ||= !isElsewhere;
        failures = 0;
      } catch (error) {
        due ??= isLossKnown ? "search" : "compare";
        const event = "lost_transfers_check_failed";
        const message = "Relayer wallets not compared with the chain; trying again";
        warning(log, { event, chainId }, message)(error);
        await clock.sleep(backOffMs(++failures, retryPause), stopping.signal);
      }
    }
  }

  async function runToEnd(): Promise<void> {
    do await run();
    while (due !== undefined && !stopping.signal.aborted);
    running = undefined;
    comparing?.resolve();
    comparing = undefined;
  }

  /** Reads what is missing; false while another process does, after a pause. */
  async function repairAlone(found: Search, isLossKnown: boolean, looks: number): Promise<boolean> {
    if (await store.holdSearch(chainId)) {
      try {
        // Another process may have ended its search between the comparison and the lock.
        const isOver = !isLossKnown && !(await nonces.isBehind());
        if (!isOver) await repair(found);
      } finally {
        await store.releaseSearch(chainId);
      }
      return true;
    }
    isElsewhere = true;
    await clock.sleep(backOffMs(looks, elsewherePause), stopping.signal);
    return false;
  }

  /** Compares, and reads what is missing; resolves when nothing is. Never rejects. */
  function look(what: "compare" | "search"): Promise<void> {
    due = due === "search" ? due : what;
    comparing ??= { ...Promise.withResolvers<void>(), sinceMs: steady.nowMs() };
    running ??= runToEnd();
    return running;
  }

  return {
    /** Why nothing is claimed; undefined while the store is not known to be behind. */
    problem,
    /** What was left out of the searches, and how it is searched; undefined where nothing was. */
    unread,
    /** Throws `storage_behind` while payments are being searched, or the wallets not compared yet. */
    async refuseWhileBehind(): Promise<void> {
      const leftMs = (comparing?.sinceMs ?? 0) + waitMs - steady.nowMs();
      if (comparing && hasCompared && leftMs > 0) await within(comparing.promise, leftMs, clock);
      const why = problem();
      if (why !== undefined) throw new Fault("storage_behind", why);
    },
    /** At the start, and when the database may have been replaced by an older one. */
    compare: () => look("compare"),
    search: () => void look("search"),
    onUnknownUse: (wallet: Address) => void (isOwn(wallet) && look("search")),
    /**
     * Reads again what the wallets sent since then, for as long as that takes, and says what was found.
     * Throws RPC and storage faults.
     */
    async searchSince(since: Since): Promise<SearchResult> {
      const found = await nonces.since(since);
      await repair(found);
      const { fromBlock, toBlock, recovered, unread } = found;
      const stopped = stopping.signal.aborted ? "it was stopped" : undefined;
      return { fromBlock, toBlock, recovered, unread: unread ?? stopped };
    },
    async mayRaise(wallet: Address, count: number): Promise<boolean> {
      if (!isOwn(wallet)) return true;
      if (search) return false;
      const stored = await store.listNextNonces(chainId);
      const known = stored.find((one) => one.wallet.toLowerCase() === wallet.toLowerCase());
      // A wallet that is new to this database may have been used before.
      if (!known || known.nextNonce >= count) return true;
      void look("compare");
      return false;
    },
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}

function textOf({ fromBlock, toBlock, position }: Search, isElsewhere: boolean): string {
  const progress = isElsewhere
    ? `by another process, blocks ${fromBlock} to ${toBlock}`
    : `at block ${position} of ${fromBlock} to ${toBlock}`;
  return `the database has lost payments that the relayer wallets sent; they are read from the chain, ${progress}, and nothing is claimed before`;
}

async function within(ended: Promise<void>, ms: number, clock: Clock): Promise<void> {
  const waited = new AbortController();
  await Promise.race([ended, clock.sleep(ms, waited.signal)]);
  waited.abort();
}
