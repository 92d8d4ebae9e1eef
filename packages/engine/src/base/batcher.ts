/**
 * Gathers single asks into groups. An ask that finds nothing running starts at once; asks that
 * arrive while groups are running wait a moment for company, or until there is room for another
 * group. So an idle system adds no delay and a loaded one makes few, large groups.
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
  /**
   * While a group is running, how many milliseconds the next one waits for company; 0 if left out.
   * It goes at once when it is full or worth it, or when nothing runs any more.
   */
  gatherMs?: number;
  /**
   * A group is worth it with so many items and half as many as are on their way already: the work
   * on one group then overlaps with the wait for another. As many as `itemsMax` if left out.
   */
  worthItems?: number;
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
  const { itemsMax, inFlightMax, waitingMax, gatherMs = 0, worthItems = itemsMax } = options;
  let waiting: Waiting<In, Out>[] = [];
  let inFlight = 0;
  let itemsInFlight = 0;
  let isScheduled = false;
  let gathering: NodeJS.Timeout | undefined;

  async function runGroup(group: readonly Waiting<In, Out>[]): Promise<void> {
    inFlight++;
    itemsInFlight += group.length;
    try {
      const results = await options.run(group.map(({ item }) => item));
      assert(results.length === group.length, "a group has one result per item");
      for (const [index, result] of results.entries()) group[index]?.resolve(result);
    } catch (error) {
      for (const entry of group) entry.reject(error);
    } finally {
      inFlight--;
      itemsInFlight -= group.length;
      flush();
    }
  }

  /** Whether a group starts now, and does not wait to be filled. */
  function isDue(): boolean {
    const isFree = waiting.length > 0 && inFlight < inFlightMax;
    const worth = Math.min(itemsMax, Math.max(worthItems, itemsInFlight / 2));
    return isFree && (inFlight === 0 || waiting.length >= worth || gatherMs === 0);
  }

  function flush(): void {
    isScheduled = false;
    while (isDue()) start();
    if (waiting.length > 0 && gatherMs > 0) gathering ??= setTimeout(start, gatherMs);
  }

  function start(): void {
    clearTimeout(gathering);
    gathering = undefined;
    if (waiting.length === 0 || inFlight >= inFlightMax) return;
    const group = waiting.slice(0, itemsMax);
    waiting = waiting.slice(itemsMax);
    void runGroup(group);
  }

  return (item) =>
    new Promise<Out>((resolve, reject) => {
      if (waiting.length >= waitingMax) {
        return reject(new Fault("queue_full", "Too many requests are waiting; try again shortly."));
      }
      waiting.push({ item, resolve, reject });
      if (isScheduled) return;
      isScheduled = true;
      // What arrives in the same turn of the event loop joins the same group.
      setImmediate(flush);
    });
}
