/**
 * Durations of the last hour, counted by minute and by upper bound: memory and work stay the same
 * however many there are.
 */
import type { Clock } from "@farthing/engine/base";

const minuteMs = 60_000;

const minutesKept = 60;

export interface DurationSummary {
  readonly count: number;
  /** The bounds within which half of them, and 95 % of them, ended; infinite above `longest`. */
  readonly half: number;
  readonly most: number;
  /** The last bound. */
  readonly longest: number;
}

interface Minute {
  readonly minute: number;
  readonly counts: number[];
}

export class RecentDurations {
  readonly #clock: Clock;
  readonly #bounds: readonly number[];
  readonly #minutes: Minute[] = [];

  /** `bounds` rise. */
  constructor(clock: Clock, bounds: readonly number[]) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  note(duration: number): void {
    const minute = Math.floor(this.#clock.nowMs() / minuteMs);
    const slot = minute % minutesKept;
    const kept = this.#minutes[slot];
    const current =
      kept?.minute === minute ? kept : { minute, counts: this.#bounds.map(() => 0).concat(0) };
    this.#minutes[slot] = current;
    const at = this.#bounds.findIndex((bound) => duration <= bound);
    const index = at < 0 ? this.#bounds.length : at;
    current.counts[index] = (current.counts[index] ?? 0) + 1;
  }

  /** Undefined when there were none. */
  summary(): DurationSummary | undefined {
    const oldest = Math.floor(this.#clock.nowMs() / minuteMs) - minutesKept;
    const recent = this.#minutes.filter((one) => one && one.minute > oldest);
    const counts = this.#bounds
      .concat(Infinity)
      .map((_, index) => recent.reduce((sum, one) => sum + (one.counts[index] ?? 0), 0));
    const count = counts.reduce((sum, one) => sum + one, 0);
    if (count === 0) return undefined;
    return {
      count,
      half: this.#within(counts, count / 2),
      most: this.#within(counts, count * 0.95),
      longest: this.#bounds.at(-1) ?? 0,
    };
  }

  #within(counts: readonly number[], wanted: number): number {
    let sum = 0;
    const index = counts.findIndex((count) => (sum += count) >= wanted);
    return this.#bounds[index] ?? Infinity;
  }
}
