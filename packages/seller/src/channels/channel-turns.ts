/**
 * The requests of one channel in this process, one after the other. Buyers that call in parallel sign
 * the same total, so those that wait are mostly told the newer total; the wait has bounds all the same.
 */
import type { Hex } from "@farthing/protocol";
import type { Clock } from "../clock.ts";

/** Requests of one channel that wait at once: as many as a browser or a pool of workers sends. */
export const maxWaitingCalls = 16;

/** Requests of all channels that wait at once; each holds its connection and little else. */
const maxWaitingInAll = 4_096;

export interface ChannelTurns {
  /** Resolves with what ends the turn; undefined where too many wait, or the wait is too long. */
  take(id: Hex, waitMs: number): Promise<(() => void) | undefined>;
}

type Waiting = (isTurn: boolean) => void;

export function createChannelTurns(clock: Clock): ChannelTurns {
  const queues = new Map<Hex, Waiting[]>();
  let waitingInAll = 0;

  function end(id: Hex): void {
    const next = queues.get(id)?.shift();
    if (next) next(true);
    else queues.delete(id);
  }

  async function waitIn(queue: Waiting[], waitMs: number): Promise<boolean> {
    const over = new AbortController();
    waitingInAll++;
    try {
      return await new Promise<boolean>((resolve) => {
        queue.push(resolve);
        const endWait = async (): Promise<void> => {
          await clock.sleep(waitMs, undefined, over.signal);
          const at = queue.indexOf(resolve);
          if (at >= 0) queue.splice(at, 1);
          // Without effect where the turn has come.
          resolve(false);
        };
        void endWait();
      });
    } finally {
      waitingInAll--;
      over.abort();
    }
  }

  return {
    async take(id, waitMs) {
      const queue = queues.get(id);
      if (!queue) queues.set(id, []);
      else if (queue.length >= maxWaitingCalls || waitingInAll >= maxWaitingInAll) return undefined;
      else if (!(await waitIn(queue, waitMs))) return undefined;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        end(id);
      };
    },
  };
}
