/** One read at several endpoints: the first reply without errors of the endpoint decides. */
import { waitEnded, type Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import { countEndpointErrors } from "./reply-content.ts";
import type { RpcReply } from "./rpc-endpoint.ts";

export interface ReadFrom {
  /** The index of the endpoint that replied. */
  readonly at: number;
  readonly replies: RpcReply[];
}

export function createReadRace(clock: Clock) {
  const open = new Set<Promise<void>>();
  const late = new Set<number>();
  const full: number[] = [];
  let best: ReadFrom | undefined;
  let fault: unknown;

  const isGood = () => best !== undefined && countEndpointErrors(best.replies) === 0;

  async function note(at: number, asking: Promise<RpcReply[] | undefined>): Promise<void> {
    try {
      const replies = await asking;
      if (!replies) full.push(at);
      else if (!best || countEndpointErrors(replies) < countEndpointErrors(best.replies)) {
        best = { at, replies };
      }
    } catch (error) {
      fault = error;
    }
  }

  function startLimit(ms: number) {
    const ended = new AbortController();
    let isOver = false;
    const end = clock.sleep(Math.max(0, ms), ended.signal).then(() => void (isOver = true));
    return { end, isOver: () => isOver, cancel: () => ended.abort(waitEnded) };
  }

  return {
    /** Whether an endpoint has not replied yet. */
    isOpen: () => open.size > 0,
    add(at: number, asking: Promise<RpcReply[] | undefined>): void {
      if (open.size > 0) late.add(at);
      const noting: Promise<void> = note(at, asking).finally(() => open.delete(noting));
      open.add(noting);
    },
    /** Waits until one has replied well, all have failed, or `ms` have passed. */
    async isDecided(ms?: number): Promise<boolean> {
      const limit = ms === undefined ? undefined : startLimit(ms);
      try {
        while (limit?.isOver() !== true && !isGood() && open.size > 0) {
          await Promise.race(limit ? [limit.end, ...open] : open);
        }
        return isGood();
      } finally {
        limit?.cancel();
      }
    },
    /** Whether this one was asked beside another that had not replied. */
    wasLate: (at: number) => late.has(at),
    get best() {
      return best;
    },
    get full(): readonly number[] {
      return full;
    },
    get fault() {
      return fault;
    },
  };
}

/** What a read without a reply throws; `full` lists the endpoints without capacity. */
export function unansweredBy(full: readonly number[], fault: unknown): Fault {
  if (full.length === 0 && fault instanceof Fault) return fault;
  const text =
    full.length > 0
      ? `No room in time: RPC endpoint ${full.join(" and ")} limits how much we ask`
      : "No RPC endpoint answered";
  return new Fault("rpc_unavailable", text, { cause: fault });
}
