/** Failovers of the database, spread over the payments of a soak. */
import type { FailOver } from "@farthing/engine/testing/postgres-pair";
import type { Loss } from "@farthing/lab/audit";
import type { Callers } from "./callers.ts";
import type { SoakDatabase } from "./database.ts";

export interface FailOvers {
  readonly done: readonly FailOver[];
  readonly losses: readonly Loss[];
  /** Resolves when the payment at this place of the list may begin. Rejects when a failover fails. */
  mayBegin(place: number): Promise<void>;
  /** Waits for the last one. */
  end(): Promise<void>;
}

/**
 * One failover begins with each further share of the payments. The next share waits until it is done, so
 * that each of them is one under load.
 */
export function spreadFailOvers(options: {
  readonly database: Pick<SoakDatabase, "failOver">;
  readonly times: number;
  readonly payments: number;
  readonly callers: Pick<Callers, "responses">;
}): FailOvers {
  const { database, times, payments, callers } = options;
  const share = Math.ceil(payments / (times + 1));
  const done: FailOver[] = [];
  const losses: Loss[] = [];
  let begun = 0;
  let running: Promise<void> = Promise.resolve();

  async function failOver(): Promise<void> {
    const result = await database.failOver?.(() => {
      losses.push({ atBlock: 0, atMs: Date.now(), afterResponses: callers.responses.length });
    });
    if (result) done.push(result);
  }

  return {
    done,
    losses,
    async mayBegin(place) {
      const due = Math.min(times, Math.floor(place / share));
      while (begun < due) {
        await running;
        if (begun >= due) break;
        begun++;
        running = failOver();
      }
    },
    end: () => running,
  };
}
