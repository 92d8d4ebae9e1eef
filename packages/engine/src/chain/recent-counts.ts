/** Counts of the recent past, in a ring of equal time spans. */
export class RecentCounts {
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
    const place = span % this.#counts.length;
    if (this.#spans[place] !== span) {
      this.#spans[place] = span;
      this.#counts[place] = 0;
    }
    this.#counts[place] = (this.#counts[place] ?? 0) + count;
  }

  /** The sum over the spans that begin after `fromMs`, up to the one that contains `toMs`. */
  sum(fromMs: number, toMs: number): number {
    return this.#spans.reduce((sum, span, place) => {
      const startMs = span * this.#spanMs;
      return startMs > fromMs && startMs <= toMs ? sum + (this.#counts[place] ?? 0) : sum;
    }, 0);
  }
}
