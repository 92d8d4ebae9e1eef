/** Schedules reads of finality, gas price and wallets: periodically, or when a caller waits. */
import type { BlockHead } from "../reads/block-headers.ts";
import type { Chain } from "../endpoints/chain.ts";
import { promptly } from "../endpoints/repeats.ts";
import {
  conditionCalls,
  readConditions,
  type Conditions,
  type WantedConditions,
} from "./chain-conditions.ts";
import type { BlockInterest } from "./chain-view.ts";

/**
 * Between full reads: XDC's price hardly moves. With something open, also the delay of the first read,
 * since most payments are confirmed earlier.
 */
const idleConditionsMs = 60_000;
const openConditionsMs = 10_000;

/** XDC's rule: what is sent now is final after this many blocks at the earliest. */
const finalityBlocks = 2;

export interface ScheduleDeps {
  readonly chain: Chain;
  /** Wallets whose transaction counts and balances are read periodically. */
  readonly wallets: readonly string[];
  /** Wallets that must be read with each head: their transactions are late or were refused. */
  lateWallets(headNumber: number): ReadonlySet<string>;
  interest(): BlockInterest;
  /** By a clock that never goes back. */
  nowMs(): number;
}

export class ConditionSchedule {
  readonly #deps: ScheduleDeps;
  /** Since when a caller waits for blocks, and the head at that time. */
  #open = nothingOpen;
  /** When the gas price was last read, and with it everything that was due. */
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** The head of the last finality read; such reads are rarer where calls are counted. */
  #finalityAtNumber = 0;

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
  }

  /** Returns what is read when a block of this number is the head. */
  wanted(headNumber: number, isEverythingDue: boolean): WantedConditions {
    const { chain, wallets, lateWallets, interest, nowMs } = this.#deps;
    const isOpen = interest() !== "none";
    const dueMs = isOpen
      ? Math.max(this.#readAtMs, this.#open.sinceMs) + openConditionsMs
      : this.#readAtMs + idleConditionsMs;
    const isAllDue = isEverythingDue || nowMs() >= dueMs;
    const late = lateWallets(headNumber);
    const { countsCalls } = chain.limitsInUse();
    const finalFrom = Math.max(
      this.#open.atNumber + finalityBlocks + 1,
      this.#finalityAtNumber + (countsCalls ? finalityBlocks + 1 : 1),
    );
    return {
      finality: isAllDue || late.size > 0 || (isOpen && headNumber >= finalFrom),
      gasPrice: isAllDue || late.size > 0,
      wallets: isAllDue ? wallets : wallets.filter((wallet) => late.has(wallet)),
    };
  }

  /** Reads what the actual head requires: it may be several blocks ahead of the expected one. */
  async addMissing(
    read: Conditions,
    expected: WantedConditions,
    head: BlockHead,
    isEverythingDue: boolean,
  ): Promise<Conditions> {
    const wanted = this.wanted(head.number, isEverythingDue);
    const missing: WantedConditions = {
      finality: wanted.finality && !expected.finality,
      gasPrice: wanted.gasPrice && !expected.gasPrice,
      wallets: wanted.wallets.filter((wallet) => !expected.wallets.includes(wallet)),
    };
    const calls = conditionCalls(missing);
    if (calls.length === 0) return read;
    const { chain } = this.#deps;
    const more = readConditions(missing, await chain.read(calls, promptly(chain)), head);
    return {
      finalized: read.finalized ?? more.finalized,
      lacksFinality: read.lacksFinality || more.lacksFinality,
      gasPrice: read.gasPrice ?? more.gasPrice,
      wallets: new Map([...read.wallets, ...more.wallets]),
    };
  }

  /** Returns whether a caller waits for blocks. */
  noteInterest(headNumber: number): boolean {
    if (this.#deps.interest() === "none") {
      this.#open = nothingOpen;
      return false;
    }
    if (this.#open === nothingOpen) {
      this.#open = { sinceMs: this.#deps.nowMs(), atNumber: headNumber };
    }
    return true;
  }

  noteRead(read: Conditions, head: BlockHead): void {
    if (read.gasPrice !== undefined) this.#readAtMs = this.#deps.nowMs();
    if (read.finalized) this.#finalityAtNumber = head.number;
  }

  forgetFinality(): void {
    this.#finalityAtNumber = 0;
  }
}

const nothingOpen = { sinceMs: Infinity, atNumber: Infinity };
