/**
 * The queue of all requests to an endpoint. It applies no limit until the endpoint refuses
 * something, then keeps what it learned for the life of the process. Requests wait by priority,
 * until their deadline.
 */
import { waitEnded, type Clock } from "../../base/clock.ts";
import { RequestPace, type Permit } from "./request-pace.ts";

export type RpcPriority = "send" | "outcome" | "verification";

/**
 * A request of this priority goes before requests that came up to this many ms earlier. Outcomes do
 * not always go before verifications: polling repeats, and would starve them at a slow endpoint.
 */
const headStartMs: Record<RpcPriority, number> = { send: 60_000, outcome: 1_000, verification: 0 };

/** Limits learned from refusals; undefined where none was met. */
export interface EndpointLimits {
  /** Requests a second, or calls a second where `countsCalls`. */
  readonly requestsPerSecond: number | undefined;
  /** True if the endpoint counts the calls inside a request. */
  readonly countsCalls: boolean;
  readonly batchCalls: number | undefined;
  readonly logRangeBlocks: number | undefined;
  readonly bodyBytes: number | undefined;
}

export interface Turn {
  readonly calls: number;
  readonly priority: RpcPriority;
  readonly untilMs: number;
}

/** Far more than any limit lets through before their deadlines. */
const waitingMax = 1_000;

/** A noticeable wait: a quarter of XDC's block period. */
const longWaitMs = 500;

type Size = "batchCalls" | "logRangeBlocks" | "bodyBytes";

interface Waiting {
  readonly turn: Turn;
  readonly sinceMs: number;
  readonly rankMs: number;
  readonly ended: AbortController;
  resolve(permit: Permit | undefined): void;
}

export class EndpointLimiter {
  readonly #clock: Clock;
  readonly #onLearned: (limits: EndpointLimits) => void;
  readonly #pace: RequestPace;
  readonly #sizes = new Map<Size, number>();
  readonly #waiting: Waiting[] = [];
  #isAsleep = false;

  /** `onLearned` receives all limits whenever one of them is learned. */
  constructor(clock: Clock, onLearned: (limits: EndpointLimits) => void = () => {}) {
    this.#clock = clock;
    this.#onLearned = onLearned;
    this.#pace = new RequestPace(clock, () => onLearned(this.limits()));
  }

  limits(): EndpointLimits {
    const { rate, countsCalls } = this.#pace.learned();
    return {
      requestsPerSecond: rate,
      countsCalls,
      batchCalls: this.#sizes.get("batchCalls"),
      logRangeBlocks: this.#sizes.get("logRangeBlocks"),
      bodyBytes: this.#sizes.get("bodyBytes"),
    };
  }

  /** Whether a request waits for its turn, because the endpoint refused to take more. */
  hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  callsMax(): number {
    return Math.min(this.#pace.callsMax(), this.#sizes.get("batchCalls") ?? Infinity);
  }

  waitMs(priority: RpcPriority): number {
    const own = this.#rankMs(priority);
    const queuedMs = this.#waiting
      .filter(({ rankMs }) => rankMs <= own)
      .reduce((sum, { turn }) => sum + this.#pace.spacingMs(turn.calls), 0);
    return Math.max(0, this.#pace.freeAtMs() - this.#clock.nowMs()) + queuedMs;
  }

  /** Undefined when there is no turn in time; then nothing may be sent. */
  take(turn: Turn): Promise<Permit | undefined> {
    const nowMs = this.#clock.nowMs();
    const isFree = this.#pace.freeAtMs() <= nowMs && !this.#pace.isOnTrial();
    if (isFree && this.#waiting.length === 0) return Promise.resolve(this.#pace.spend(turn.calls));
    if (nowMs + this.waitMs(turn.priority) > turn.untilMs || !this.#makeRoom(turn)) {
      this.#pace.noteLongWait();
      return Promise.resolve(undefined);
    }
    return new Promise((resolve) => this.#enqueue(turn, nowMs, resolve));
  }

  /** The endpoint accepted the request, whatever it replied to the calls. */
  noteTaken(permit: Permit): void {
    this.#pace.noteTaken(permit);
    this.#startNext();
  }

  /** The endpoint refused the request for its rate, and may ask for a pause. */
  noteRefused(permit: Permit, retryAfterMs?: number): void {
    this.#pace.noteRefused(permit, retryAfterMs);
    this.#startNext();
  }

  /** The endpoint accepted only this many calls of the request, for its rate. */
  notePartlyRefused(permit: Permit, takenCalls: number): void {
    this.#pace.notePartlyRefused(permit, takenCalls);
    this.#startNext();
  }

  noteUnanswered(permit: Permit): void {
    this.#pace.noteUnanswered(permit);
    this.#startNext();
  }

  /** The endpoint refused this size: later requests use half of it. */
  learnSize(size: Size, refused: number): void {
    const half = Math.max(1, Math.floor(refused / 2));
    if (half >= (this.#sizes.get(size) ?? Infinity)) return;
    this.#sizes.set(size, half);
    this.#onLearned(this.limits());
  }

  #rankMs(priority: RpcPriority): number {
    return this.#clock.nowMs() - headStartMs[priority];
  }

  #enqueue(turn: Turn, sinceMs: number, resolve: (permit: Permit | undefined) => void): void {
    const rankMs = this.#rankMs(turn.priority);
    const entry: Waiting = { turn, sinceMs, rankMs, ended: new AbortController(), resolve };
    const before = this.#waiting.findIndex((other) => other.rankMs > rankMs);
    this.#waiting.splice(before < 0 ? this.#waiting.length : before, 0, entry);
    const { signal } = entry.ended;
    void this.#clock.sleep(turn.untilMs - sinceMs, signal).then(() => this.#abandon(entry));
    this.#startNext();
  }

  #abandon(entry: Waiting): void {
    const at = this.#waiting.indexOf(entry);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.#pace.noteLongWait();
    entry.ended.abort(waitEnded);
    entry.resolve(undefined);
  }

  /** Frees a place in the queue, if need be that of a less urgent request. */
  #makeRoom({ priority }: Turn): boolean {
    if (this.#waiting.length < waitingMax) return true;
    const last = this.#waiting.at(-1);
    if (!last || last.rankMs <= this.#rankMs(priority)) return false;
    this.#abandon(last);
    return true;
  }

  /** Starts the requests whose turn it is, and schedules the next. */
  #startNext(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (this.#pace.isOnTrial() || this.#isAsleep) return;
      const nowMs = this.#clock.nowMs();
      const leftMs = this.#pace.freeAtMs() - nowMs;
      if (leftMs > 0) return void this.#wakeLater(leftMs);
      this.#waiting.shift();
      if (nowMs - next.sinceMs > longWaitMs) this.#pace.noteLongWait();
      next.ended.abort(waitEnded);
      next.resolve(this.#pace.spend(next.turn.calls));
    }
  }

  async #wakeLater(ms: number): Promise<void> {
    this.#isAsleep = true;
    await this.#clock.sleep(Math.ceil(ms));
    this.#isAsleep = false;
    this.#startNext();
  }
}
