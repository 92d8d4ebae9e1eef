/**
 * What befalls the fleet: every few seconds one process is killed, or now and then frozen for longer
 * than a lease, so that it comes back believing that it still works its wallets. The last one that
 * serves is spared.
 */
import type { SeededRandom } from "../sim/seeded-random.ts";
import type { ServerProcess } from "@farthing/lab/server-process";
import type { Fleet } from "./fleet.ts";

/** One blow. */
export interface Blow {
  readonly what: "kill" | "freeze";
  readonly pid: number;
  /** Milliseconds of `performance.now()`. */
  readonly atMs: number;
}

/** The blows of a soak. */
export interface Kills {
  readonly blows: readonly Blow[];
  /** Ends the kills, and waits until frozen processes continue. */
  stop(): Promise<void>;
}

/** How to deal them. */
export interface KillsOptions {
  readonly fleet: Fleet;
  readonly random: SeededRandom;
  readonly killEveryMs: number;
  readonly freezeOneIn: number;
}

/** A lease runs for 15 s: another process has the wallets before this one continues. */
export const freezeMs = 18_000;

/** Starts dealing blows; with `killEveryMs` 0 there are none. */
export function startKills(options: KillsOptions): Kills {
  const { fleet, random, killEveryMs, freezeOneIn } = options;
  const blows: Blow[] = [];
  const freezing = new Set<Promise<void>>();

  function deal(): void {
    const serving = fleet.serving();
    // Drawn in any case: the next victim does not depend on how fast this one came back.
    const isFreeze = freezeOneIn > 0 && random.whole(1, freezeOneIn) === 1;
    if (serving.length < 2) return;
    const victim = random.pick(serving);
    const what = isFreeze ? "freeze" : "kill";
    blows.push({ what, pid: victim.pid, atMs: performance.now() });
    if (isFreeze) freeze(victim);
    else void victim.kill();
  }

  function freeze(victim: ServerProcess): void {
    const frozen = victim.freeze(freezeMs).finally(() => freezing.delete(frozen));
    freezing.add(frozen);
  }

  const timer = killEveryMs > 0 ? setInterval(deal, killEveryMs) : undefined;
  return {
    blows,
    async stop() {
      clearInterval(timer);
      await Promise.all(freezing);
    },
  };
}
