/** Looks now and then at who works which relayer wallet, and notes when that changes. */
import type { Client } from "pg";
import { freezeMs, type Blow } from "./kills.ts";

/** A wallet that another process works from now on. */
export interface TakeOver {
  readonly lane: string;
  /** From the death or the freezing of the one before; undefined when that one lives and gave it up. */
  readonly afterMs: number | undefined;
}

/** The watch. */
export interface LaneWatch {
  readonly takeOvers: readonly TakeOver[];
  stop(): Promise<void>;
}

/** Pause between looks: a small part of the 15 s that a lease runs. */
const lookMs = 100;

/** Starts watching; `blows` grows meanwhile. */
export function watchLanes(client: Client, blows: readonly Blow[]): LaneWatch {
  const takeOvers: TakeOver[] = [];
  const owners = new Map<string, string>();
  const stopping = new AbortController();

  async function look(): Promise<void> {
    const { rows } = await client.query<{ lane: string; lease_owner: string | null }>(
      "select lane, lease_owner from lanes",
    );
    for (const { lane, lease_owner: owner } of rows) {
      if (owner === null) continue;
      const before = owners.get(lane);
      owners.set(lane, owner);
      if (before === undefined || before === owner) continue;
      const blow = blows.findLast(({ pid }) => pid === pidOf(before));
      const afterMs = blow && performance.now() - blow.atMs;
      // Who has thawed is alive again.
      const isAlive = blow?.what === "freeze" && (afterMs ?? 0) > freezeMs;
      takeOvers.push({ lane, afterMs: isAlive ? undefined : afterMs });
    }
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }

  const watching = watch();
  return {
    takeOvers,
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}

/** A lease names its holder as host/process/chance. */
function pidOf(owner: string): number {
  return Number(owner.split("/")[1]);
}
