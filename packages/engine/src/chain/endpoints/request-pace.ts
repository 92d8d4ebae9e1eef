/**
 * Learns the rate of an endpoint from its refusals: unlimited until the first, then slightly less
 * than was accepted before it, spread evenly, so that limits by second, bucket and burst all hold.
 * After each refusal requests pause, longer each time; then a single one tests the endpoint.
 * Decision 0027 gives the reasons. The clock must not go back (`steadyClockOf`).
 */
import type { Clock } from "../../base/clock.ts";

/** The end of the request has to be recorded. */
export interface Permit {
  readonly calls: number;
  readonly atMs: number;
}

export interface Pace {
  /** Requests or, where `countsCalls`, calls a second; undefined before the first refusal. */
  readonly rate: number | undefined;
  /** True if the endpoint counts the calls inside a request. */
  readonly countsCalls: boolean;
}

/** Public endpoints allow 5, and a single refusal of a slower service may have any reason. */
const firstRateMin = 5;

/** The lowest rate: an endpoint that allows less is of no use. */
const rateMin = 1;

/** Rates are reported in hundredths: more would be noise in logs and metrics. */
const rateFraction = 100;

/** Share of the rate accepted in the second before the first refusal. */
const firstShare = 0.9;

/** Share of a rate that is kept after a refusal. */
const keptShare = 0.8;

/** Below this share of the rate a refusal is attributed to something else. */
const blamedShare = 0.7;

/** First and longest pause after refusals: most limits count by the second. */
const pauseMsMin = 1_000;
const pauseMsMax = 30_000;

/** Jitter keeps processes from retrying all at once. */
const jitterShare = 0.25;

/** Longest `Retry-After` that is obeyed; a longer one may be a provider's mistake. */
const retryAfterMsMax = 600_000;

/** Refusals in a row for this long mean that the endpoint counts by the minute. */
const longRunMsMin = 5_000;
const longRunMsMax = 120_000;

/** A minute with fewer requests says nothing about a limit by the minute. */
const busyMinuteMin = 30;

/** A higher rate is tried while requests wait too long; each failure makes the next four times as late. */
const raiseShare = 1.1;
const raiseAfterMsMin = 10_000;
const raiseAfterMsMax = 3_600_000;

const secondMs = 1_000;
const minuteMs = 60_000;

type Unit = "calls" | "requests";

/** Counts of the recent past, in a ring of equal time spans. */
class RecentCounts {
  readonly #spanMs: number;
  readonly #counts: number[];
  readonly #spans: number[];

  constructor(spanMs: number, spans: number) {
    this.#spanMs = spanMs;
    this.#counts = Array.from({ length: spans }, () => 0);
    this.#spans = Array.from({ length: spans }, () => -1);
  }

  add(atMs: number, count: number): void {
    const span = Math.floor(atMs / this.#spanMs);
    const index = span % this.#counts.length;
    if (this.#spans[index] !== span) {
      this.#spans[index] = span;
      this.#counts[index] = 0;
    }
    this.#counts[index] = (this.#counts[index] ?? 0) + count;
  }

  /** The sum over the spans that begin after `fromMs`, up to the one that contains `toMs`. */
  sum(fromMs: number, toMs: number): number {
    return this.#spans.reduce((sum, span, index) => {
      const startMs = span * this.#spanMs;
      return startMs > fromMs && startMs <= toMs ? sum + (this.#counts[index] ?? 0) : sum;
    }, 0);
  }
}

class UnitCounts {
  readonly #counts = { calls: spans(), requests: spans() };

  add({ atMs, calls }: Permit): void {
    for (const [unit, count] of [
      ["requests", 1],
      ["calls", calls],
    ] as const) {
      this.#counts[unit].short.add(atMs, count);
      this.#counts[unit].long.add(atMs, count);
    }
  }

  sum(unit: Unit, fromMs: number, toMs: number): number {
    return this.#counts[unit].short.sum(fromMs, toMs);
  }

  sumOfMinute(unit: Unit, toMs: number): number {
    return this.#counts[unit].long.sum(toMs - minuteMs, toMs);
  }
}

function spans() {
  return { short: new RecentCounts(100, 20), long: new RecentCounts(secondMs, 120) };
}

export class RequestPace {
  readonly #clock: Clock;
  readonly #onLearned: (pace: Pace) => void;
  readonly #sent = new UnitCounts();
  readonly #taken = new UnitCounts();

  #rate: number | undefined;
  #countsCalls = false;

  /** When the next request may go: by the rate, and by the last refusal. */
  #nextAtMs = 0;
  #pausedUntilMs = 0;

  #refusedInRow = 0;
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  #runSinceMs = 0;
  /** While refusals go on, one request at a time tests whether they have ended. */
  #trial: Permit | undefined;
  /** When the first refused request was sent; replies of the same burst may come after it. */
  #firstLessonAtMs: number | undefined;
  /** The smallest batch that was refused since one of its size was accepted. */
  #suspect: { readonly calls: number; isSmallerTaken: boolean } | undefined;

  #rateSinceMs = 0;
  #rateBeforeRaise: number | undefined;
  #raiseAfterMs = raiseAfterMsMin;
  #longWaitAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, onLearned: (pace: Pace) => void) {
    this.#clock = clock;
    this.#onLearned = onLearned;
  }

  learned(): Pace {
    return { rate: this.#rate, countsCalls: this.#countsCalls };
  }

  callsMax(): number {
    return this.#countsCalls ? Math.max(1, Math.floor(this.#rate ?? 1)) : Infinity;
  }

  freeAtMs(): number {
    return Math.max(this.#nextAtMs, this.#pausedUntilMs);
  }

  /** True while the result of a test request is outstanding. */
  isOnTrial(): boolean {
    return this.#trial !== undefined;
  }

  /** How long a request with this many calls delays the next one. */
  spacingMs(calls: number): number {
    if (this.#rate === undefined) return 0;
    return ((this.#countsCalls ? calls : 1) / this.#rate) * secondMs;
  }

  spend(calls: number): Permit {
    const permit = { calls, atMs: this.#clock.nowMs() };
    this.#raise(permit.atMs);
    this.#sent.add(permit);
    if (this.#refusedInRow > 0) this.#trial = permit;
    if (this.#rate !== undefined) {
      this.#nextAtMs = Math.max(this.#nextAtMs, permit.atMs) + this.spacingMs(calls);
    }
    return permit;
  }

  /** A request waited too long for its turn, or got none. */
  noteLongWait(): void {
    this.#longWaitAtMs = this.#clock.nowMs();
  }

  noteUnanswered(permit: Permit): void {
    if (this.#trial === permit) this.#trial = undefined;
  }

  /** The endpoint accepted this many calls of the request, whatever it replied to them. */
  noteTaken(permit: Permit, calls = permit.calls): void {
    this.noteUnanswered(permit);
    const { atMs } = permit;
    this.#taken.add({ atMs, calls });
    if (this.#suspect) {
      if (calls >= this.#suspect.calls) this.#suspect = undefined;
      else this.#suspect.isSmallerTaken = true;
    }
    const lesson = this.#firstLessonAtMs;
    if (lesson !== undefined && atMs <= lesson) this.#setRate(this.#firstRate(lesson));
    if (atMs > this.#refusedAtMs && this.#refusedInRow > 0) this.#endRun();
  }

  noteRefused(permit: Permit, retryAfterMs = 0): void {
    this.noteUnanswered(permit);
    // A request sent before the last refusal teaches nothing new, except for the pause.
    if (permit.atMs <= this.#refusedAtMs) return this.#pause(retryAfterMs);
    if (this.#refusedInRow === 0) {
      this.#runSinceMs = this.#clock.nowMs();
      this.#lower(permit);
    }
    this.#backOff(retryAfterMs);
  }

  notePartlyRefused(permit: Permit, takenCalls: number): void {
    const isKnown = this.#countsCalls;
    this.noteTaken(permit, takenCalls);
    if (isKnown) return this.noteRefused(permit);
    this.#countCalls(Math.max(firstRateMin, this.#takenCallsBefore(permit)));
    this.#runSinceMs = this.#clock.nowMs();
    this.#backOff(0);
  }

  #backOff(retryAfterMs: number): void {
    const backOffMs = Math.min(pauseMsMax, pauseMsMin * 2 ** this.#refusedInRow);
    this.#pause(Math.max(retryAfterMs, backOffMs * (1 + Math.random() * jitterShare)));
    this.#refusedInRow = Math.min(this.#refusedInRow + 1, 16);
    this.#refusedAtMs = this.#clock.nowMs();
  }

  #pause(ms: number): void {
    const untilMs = this.#clock.nowMs() + Math.min(ms, retryAfterMsMax);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
  }

  get #unit(): Unit {
    return this.#countsCalls ? "calls" : "requests";
  }

  /** Attributes a first refusal to the rate, to the batch size, or to neither. */
  #lower(permit: Permit): void {
    const rate = this.#rate;
    if (this.#isForCalls(permit)) {
      return this.#countCalls(Math.max(permit.calls / 2, this.#takenCallsBefore(permit)));
    }
    if (rate === undefined) {
      this.#firstLessonAtMs = permit.atMs;
      return this.#setRate(this.#firstRate(permit.atMs));
    }
    this.#firstLessonAtMs = undefined;
    if (this.#rateBeforeRaise !== undefined) {
      this.#raiseAfterMs = Math.min(raiseAfterMsMax, this.#raiseAfterMs * 4);
      return this.#setRate(this.#rateBeforeRaise);
    }
    if (this.#isAtPace(permit.atMs, rate)) this.#setRate(Math.max(rateMin, rate * keptShare));
  }

  /** True if the endpoint twice refuses a batch, and in between accepts only smaller requests. */
  #isForCalls({ calls }: Permit): boolean {
    if (this.#countsCalls) return false;
    const before = this.#suspect;
    if (before?.isSmallerTaken === true && calls >= before.calls) return true;
    // A smaller one is refused as well, so the size is not the reason.
    if (calls < (before?.calls ?? 2)) this.#suspect = undefined;
    else this.#suspect ??= { calls, isSmallerTaken: false };
    return false;
  }

  #takenCallsBefore({ atMs }: Permit): number {
    return this.#taken.sum("calls", ...secondTo(atMs));
  }

  #firstRate(atMs: number): number {
    const taken = this.#taken.sum(this.#unit, ...secondTo(atMs));
    return Math.max(firstRateMin, taken) * firstShare;
  }

  /** True if recent requests came at nearly the full rate. */
  #isAtPace(atMs: number, rate: number): boolean {
    const fromMs = Math.max(atMs - secondMs, this.#pausedUntilMs - 1);
    const sent = this.#sent.sum(this.#unit, fromMs, atMs);
    return sent >= (blamedShare * rate * (atMs - fromMs)) / secondMs;
  }

  #countCalls(callsPerSecond: number): void {
    this.#countsCalls = true;
    this.#suspect = undefined;
    this.#firstLessonAtMs = undefined;
    this.#setRate(Math.max(rateMin, callsPerSecond * firstShare));
  }

  #endRun(): void {
    const lastedMs = this.#refusedAtMs - this.#runSinceMs;
    this.#refusedInRow = 0;
    if (this.#rate === undefined || lastedMs < longRunMsMin || lastedMs > longRunMsMax) return;
    if (this.#taken.sumOfMinute("requests", this.#runSinceMs) < busyMinuteMin) return;
    const taken = this.#taken.sumOfMinute(this.#unit, this.#runSinceMs);
    const byMinute = Math.max(rateMin, (taken / minuteMs) * secondMs * firstShare);
    if (byMinute < this.#rate) this.#setRate(byMinute);
  }

  #raise(nowMs: number): void {
    if (this.#rate === undefined || this.#refusedInRow > 0) return;
    if (nowMs - this.#rateSinceMs < this.#raiseAfterMs) return;
    if (this.#rateBeforeRaise !== undefined) {
      // The last raise was accepted all this while.
      this.#rateBeforeRaise = undefined;
      this.#raiseAfterMs = Math.max(raiseAfterMsMin, this.#raiseAfterMs / 2);
    }
    if (this.#longWaitAtMs <= this.#rateSinceMs) return;
    const before = this.#rate;
    this.#setRate(before * raiseShare);
    this.#rateBeforeRaise = before;
  }

  #setRate(wanted: number): void {
    const rate = Math.floor(wanted * rateFraction) / rateFraction;
    this.#rateSinceMs = this.#clock.nowMs();
    this.#rateBeforeRaise = undefined;
    if (rate === this.#rate) return;
    this.#rate = rate;
    this.#onLearned(this.learned());
  }
}

function secondTo(atMs: number): [number, number] {
  return [atMs - secondMs, atMs];
}
