/** What happens in a run of `farthing dev`, for its page and its terminal. */

export interface DevEvent {
  /** ISO 8601. */
  readonly time: string;
  readonly kind: "request" | "payment" | "response";
  /** May hold what a stranger sent. */
  readonly text: string;
}

export type DevEvents = ReturnType<typeof createDevEvents>;

/** What a page that is opened later still shows. */
const keptMax = 200;

export function createDevEvents() {
  const kept: DevEvent[] = [];
  const listeners = new Set<(event: DevEvent) => void>();
  return {
    kept: (): readonly DevEvent[] => kept,
    add(kind: DevEvent["kind"], text: string): void {
      const event = { time: new Date().toISOString(), kind, text };
      kept.push(event);
      if (kept.length > keptMax) kept.shift();
      for (const listener of listeners) listener(event);
    },
    /** Returns a function that ends the listening. */
    listen(listener: (event: DevEvent) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
