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
import { isBehindChain } from "../model/lost-commits.ts";
import { createCompareNonces, ownedBy, type Search, type Since } from "./compare-nonces.ts";
import { createReadLost, retryPause, type ReadDeps, type SearchResult } from "./read-lost.ts";

/**
 * Requests wait so long from its beginning for a comparison and for a search, which after a failover take
 * a moment: a broken connection to the database should fail no payment. Then they are refused at once.
 */
const waitMs = 3_000;

/** Between looks whether another process has ended its search, which after a failover takes a moment. */
const elsewherePause: BackOffBounds = { minMs: 250, maxMs: 2_000 };

export class LostTransfers {
  readonly #deps: ReadDeps;
  readonly #nonces: ReturnType<typeof createCompareNonces>;
  readonly #reading: ReturnType<typeof createReadLost>;
  readonly #isOwn: (wallet: Address) => boolean;
  readonly #steady: Clock;
  readonly #stopping = new AbortController();
  #hasCompared = false;
  #search: Search | undefined;
  #running: Promise<void> | undefined;
  /** The nonces have to be compared, or the loss is known and they need not be. */
  #due: "compare" | "search" | undefined;
  /** Another process searches, and this one waits for its end. */
  #isElsewhere = false;
  /** Resolves when nothing is due any more. */
  #comparing: (PromiseWithResolvers<void> & { readonly sinceMs: number }) | undefined;

  constructor(deps: ReadDeps) {
    this.#deps = deps;
    this.#nonces = createCompareNonces(deps);
    this.#reading = createReadLost(deps, this.#stopping.signal);
    this.#isOwn = ownedBy(deps);
    this.#steady = steadyClockOf(deps.clock);
  }

  /** Why nothing is claimed; undefined while the store is not known to be behind. */
  problem(): string | undefined {
    if (this.#search) return textOf(this.#search, this.#isElsewhere);
    const isKnown = this.#hasCompared && this.#comparing === undefined;
    return isKnown ? undefined : "the relayer wallets are compared with the chain";
  }

  /** What was left out of the searches, and how it is searched; undefined where nothing was. */
  unread(): string | undefined {
    return this.#reading.unread();
  }

  /** Throws `storage_behind` while payments are being searched, or the wallets not compared yet. */
  async refuseWhileBehind(): Promise<void> {
    const comparing = this.#comparing;
    const leftMs = (comparing?.sinceMs ?? 0) + waitMs - this.#steady.nowMs();
    if (comparing && this.#hasCompared && leftMs > 0) {
      await within(comparing.promise, leftMs, this.#deps.clock);
    }
    const why = this.problem();
    if (why !== undefined) throw new Fault("storage_behind", why);
  }

  /** At the start, and when the database may have been replaced by an older one. */
  compare(): Promise<void> {
    return this.#look("compare");
  }

  search(): void {
    void this.#look("search");
  }

  onUnknownUse(wallet: Address): void {
    if (this.#isOwn(wallet)) this.search();
  }

  /**
   * Reads again what the wallets sent since then, for as long as that takes, and says what was found.
   * Throws RPC and storage faults.
   */
  async searchSince(since: Since): Promise<SearchResult> {
    const found = await this.#nonces.since(since);
    await this.#reading.repair(found);
    const { fromBlock, toBlock, recovered, unread } = found;
    const stopped = this.#stopping.signal.aborted ? "it was stopped" : undefined;
    return { fromBlock, toBlock, recovered, unread: unread ?? stopped };
  }

  async mayRaise(wallet: Address, count: number): Promise<boolean> {
    if (!this.#isOwn(wallet)) return true;
    if (this.#search) return false;
    const { store, chain } = this.#deps;
    const stored = await store.listNextNonces(chain.network.chainId);
    const known = stored.find((one) => one.wallet.toLowerCase() === wallet.toLowerCase());
    // A wallet that is new to this database may have been used before.
    if (!known || !isBehindChain(known.nextNonce, count)) return true;
    void this.compare();
    return false;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Compares, and reads what is missing; resolves when nothing is. Never rejects. */
  #look(what: "compare" | "search"): Promise<void> {
    this.#due = this.#due === "search" ? this.#due : what;
    this.#comparing ??= { ...Promise.withResolvers<void>(), sinceMs: this.#steady.nowMs() };
    this.#running ??= this.#runToEnd();
    return this.#running;
  }

  async #runToEnd(): Promise<void> {
    do await this.#run();
    while (this.#isDue());
    this.#running = undefined;
    this.#comparing?.resolve();
    this.#comparing = undefined;
  }

  #isDue(): boolean {
    return this.#due !== undefined && !this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    const { chain, log, clock } = this.#deps;
    const fields = { event: "lost_transfers_check_failed", chainId: chain.network.chainId };
    const message = "Relayer wallets not compared with the chain; trying again";
    let looks = 0;
    for (let failures = 0; this.#isDue();) {
      const isLossKnown = this.#due === "search";
      // What becomes due meanwhile is another database than the one that is read now.
      this.#due = undefined;
      try {
        if (!this.#search || this.#isElsewhere) await this.#findLoss(isLossKnown);
        if (this.#search) {
          this.#isElsewhere = !(await this.#repairAlone(this.#search, isLossKnown, ++looks));
          // What was mined meanwhile shows in the nonces.
          this.#due ??= this.#isElsewhere && isLossKnown ? "search" : "compare";
        } else this.#isElsewhere = false;
        if (!this.#isElsewhere) this.#search = undefined;
        this.#hasCompared ||= !this.#isElsewhere;
        failures = 0;
      } catch (error) {
        this.#due ??= isLossKnown ? "search" : "compare";
        warning(log, fields, message)(error);
        await clock.sleep(backOffMs(++failures, retryPause), this.#stopping.signal);
      }
    }
  }

  async #findLoss(isLossKnown: boolean): Promise<void> {
    this.#search = await this.#nonces.findLoss({ isFirst: !this.#hasCompared, isLossKnown });
    if (this.#search && !this.#isElsewhere) this.#nonces.report(this.#search);
  }

  /** Reads what is missing; false while another process does, after a pause. */
  async #repairAlone(found: Search, isLossKnown: boolean, looks: number): Promise<boolean> {
    const { store, chain, clock } = this.#deps;
    const { chainId } = chain.network;
    if (await store.holdSearch(chainId)) {
      try {
        // Another process may have ended its search between the comparison and the lock.
        const isOver = !isLossKnown && !(await this.#nonces.isBehind());
        if (!isOver) await this.#reading.repair(found);
      } finally {
        await store.releaseSearch(chainId);
      }
      return true;
    }
    this.#isElsewhere = true;
    await clock.sleep(backOffMs(looks, elsewherePause), this.#stopping.signal);
    return false;
  }
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
