/**
 * Gathers single asks into groups. An ask that finds nothing running starts at once; asks that
 * arrive while the allowed number of groups is running wait for the next group. So an idle system
 * adds no delay and a loaded one makes few, large groups.
 */
import { assert } from "./assert.ts";
import { Fault } from "./fault.ts";

/** How a batcher works. */
export interface BatcherOptions<In, Out> {
  /** Serves a group; gives one result per item, in order. A throw fails the whole group. */
  run(items: readonly In[]): Promise<readonly Out[]>;
  /** Most items of one group. */
  itemsMax: number;
  /** Most groups running at the same time. */
  inFlightMax: number;
  /** Most items waiting; one more is refused with the fault `queue_full`. */
  waitingMax: number;
}

/** Hands one item in and gives its result. */
export type Batcher<In, Out> = (item: In) => Promise<Out>;

interface Waiting<In, Out> {
  readonly item: In;
  resolve(value: Out): void;
  reject(reason: unknown): void;
}

/** Creates a batcher. */
export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): Batcher<In, Out> {
  let waiting: Waiting<In, Out>[] = [];
  let inFlight = 0;
  let isScheduled = false;

  async function runGroup(group: readonly Waiting<In, Out>[]): Promise<void> {
    inFlight++;
    try {
      const results = await options.run(group.map(({ item }) => item));
      assert(results.length === group.length, "a group has one result per item");
      for (const [index, result] of results.entries()) group[index]?.resolve(result);
    } catch (error) {
      for (const entry of group) entry.reject(error);
    } finally {
      inFlight--;
      flush();
    }
  }

  function flush(): void {
    isScheduled = false;
    while (waiting.length > 0 && inFlight < options.inFlightMax) {
      const group = waiting.slice(0, options.itemsMax);
      waiting = waiting.slice(options.itemsMax);
      void runGroup(group);
    }
  }

  return (item) =>
    new Promise<Out>((resolve, reject) => {
      if (waiting.length >= options.waitingMax) {
        return reject(new Fault("queue_full", "Too many requests are waiting; try again shortly."));
      }
      waiting.push({ item, resolve, reject });
      if (isScheduled) return;
      isScheduled = true;
      // What arrives in the same turn of the event loop joins the same group.
      setImmediate(flush);
    });
}
