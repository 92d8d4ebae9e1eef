/**
 * Groups single requests. A request starts at once when nothing runs; while groups run, requests
 * wait briefly to fill a group. An idle system adds no delay and a loaded one makes few, large
 * groups.
 */
import { context, type Context } from "@opentelemetry/api";
import { assert } from "./assert.ts";
import { Fault } from "./fault.ts";
import { sharedContext } from "./tracing.ts";

export interface BatcherOptions<In, Out> {
  /** Processes a group and returns one result per item, in order. A throw fails the whole group. */
  run(items: readonly In[]): Promise<readonly Out[]>;
  itemsMax: number;
  inFlightMax: number;
  /** One more waiting item is refused with the fault `queue_full`. */
  waitingMax: number;
  /** How long the next, incomplete group waits for more items while another runs; default 0. */
  gatherMs?: number;
  /** A smaller group also starts once it is half of what is in flight, to overlap their waits. */
  worthItems?: number;
  /**
   * How long after the start of a group the next, incomplete one starts at the earliest, while there is
   * a load; default 0. Each group costs as much as many items, so a loaded system makes fewer.
   */
  paceMs?: number;
}

/**
 * So many in one group show a load, more than the callers of one busy seller; from then on it lasts while
 * the groups have a dozen, each of which would cost more alone than all of them together.
 */
const loadBeginsAt = 64;
const loadLastsAt = 16;

export type Batcher<In, Out> = (item: In) => Promise<Out>;

interface Waiting<In, Out> {
  readonly item: In;
  /** Where its caller is traced. */
  readonly context: Context;
  resolve(value: Out): void;
  reject(reason: unknown): void;
}

export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): Batcher<In, Out> {
  const {
    itemsMax,
    inFlightMax,
    waitingMax,
    gatherMs = 0,
    worthItems = itemsMax,
    paceMs = 0,
  } = options;
  let waiting: Waiting<In, Out>[] = [];
  let inFlight = 0;
  let itemsInFlight = 0;
  let isScheduled = false;
  let gathering: NodeJS.Timeout | undefined;
  let pacing: NodeJS.Timeout | undefined;
  let isLoaded = false;

  async function runGroup(group: readonly Waiting<In, Out>[]): Promise<void> {
    inFlight++;
    itemsInFlight += group.length;
    try {
      const results = await context.with(sharedContext(group.map((one) => one.context)), () =>
        options.run(group.map(({ item }) => item)),
      );
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

  function isDue(): boolean {
    const isFree = waiting.length > 0 && inFlight < inFlightMax;
    const worth = Math.min(itemsMax, Math.max(worthItems, itemsInFlight / 2));
    return isFree && (inFlight === 0 || waiting.length >= worth || gatherMs === 0);
  }

  function flush(): void {
    isScheduled = false;
    if (pacing && waiting.length < itemsMax) return;
    while (isDue()) start();
    if (waiting.length > 0 && gatherMs > 0) gathering ??= setTimeout(start, gatherMs);
  }

  function start(): void {
    clearTimeout(gathering);
    gathering = undefined;
    if (waiting.length === 0 || inFlight >= inFlightMax) return;
    const group = waiting.slice(0, itemsMax);
    waiting = waiting.slice(itemsMax);
    isLoaded = group.length >= (isLoaded ? loadLastsAt : loadBeginsAt);
    if (paceMs > 0 && isLoaded) pace();
    void runGroup(group);
  }

  function pace(): void {
    clearTimeout(pacing);
    pacing = setTimeout(() => {
      pacing = undefined;
      flush();
    }, paceMs);
  }

  return (item) =>
    new Promise<Out>((resolve, reject) => {
      if (waiting.length >= waitingMax) {
        return reject(new Fault("queue_full", "Too many requests are waiting; try again shortly."));
      }
      waiting.push({ item, context: context.active(), resolve, reject });
      if (isScheduled) return;
      isScheduled = true;
      // Items that arrive in the same turn of the event loop join the same group.
      setImmediate(flush);
    });
}
