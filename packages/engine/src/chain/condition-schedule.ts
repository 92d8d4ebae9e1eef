/**
 * When finality, the gas price and the wallets are read beside the head: all of them now and then, and
 * some of them as soon as something waits for blocks.
 */
import type { BlockHead } from "./block-headers.ts";
import type { Chain } from "./chain.ts";
import {
  conditionCalls,
  readConditions,
  type Conditions,
  type WantedConditions,
} from "./chain-conditions.ts";
import type { BlockInterest } from "./chain-view.ts";

/**
 * Between reads of the gas price and of all wallets with nothing open: only other software changes
 * those, and XDC's price hardly changes. And while something is open, where the first such read waits
 * as long: most payments are confirmed before.
 */
const idleConditionsMs = 60_000;
const openConditionsMs = 10_000;

/** Blocks after which what was sent now can be final at the earliest, by XDC's rule. */
const finalityBlocks = 2;

/** What the schedule depends on; times are of a clock that never goes back. */
export interface ScheduleDeps {
  readonly chain: Chain;
  /** Wallets whose transaction counts and balances are read now and then. */
  readonly wallets: readonly string[];
  /** Those that must be read with a head: what they have sent is late then, or was refused. */
  lateWallets(headNumber: number): ReadonlySet<string>;
  interest(): BlockInterest;
  nowMs(): number;
}

/** Decides what is read with a head. */
export class ConditionSchedule {
  readonly #deps: ScheduleDeps;
  /** Since when something waits for blocks, and the head of that time. */
  #open = nothingOpen;
  /** When the gas price was read last, and with it everything that was due. */
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** The head with which finality was read last; read seldom where calls are counted. */
  #finalityAtNumber = 0;

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
  }

  /** Returns what has to be known when a block of this number is the head. */
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

  /** Reads what the head itself makes necessary: it may be more than a block ahead of the last one. */
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
    const more = readConditions(missing, await this.#deps.chain.read(calls), head);
    return {
      finalized: read.finalized ?? more.finalized,
      lacksFinality: read.lacksFinality || more.lacksFinality,
      gasPrice: read.gasPrice ?? more.gasPrice,
      wallets: new Map([...read.wallets, ...more.wallets]),
    };
  }

  /** Notes since when something waits for blocks; returns whether something does. */
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

  /** Notes what was read with a head. */
  noteRead(read: Conditions, head: BlockHead): void {
    if (read.gasPrice !== undefined) this.#readAtMs = this.#deps.nowMs();
    if (read.finalized) this.#finalityAtNumber = head.number;
  }

  /** Reads finality with the next block again. */
  forgetFinality(): void {
    this.#finalityAtNumber = 0;
  }
}

/** The time at which something began to wait for blocks. */
interface OpenSince {
  readonly sinceMs: number;
  readonly atNumber: number;
}

const nothingOpen: OpenSince = {
  sinceMs: Number.POSITIVE_INFINITY,
  atNumber: Number.POSITIVE_INFINITY,
};
