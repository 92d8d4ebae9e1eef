/**
 * Writes to the database now and then, because a database that takes no writes may answer every read:
 * a standby, one that is set to read only, a full disk, or a synchronous standby that is silent.
 */
import { Fault, steadyClockOf, startPoll, type Runtime } from "@farthing/engine/base";
import { explainDatabaseError, readOnlyProblem } from "@farthing/engine/storage";

/** A balancer takes a process away within two of its own checks, which come every few seconds. */
const pauseMs = 3_000;

/** A write takes milliseconds; with one that takes longer, no payment is settled in time. */
const unconfirmedMsMax = 6_000;

/**
 * How long a start waits for a primary: a failover takes seconds to minutes, and all processes restart
 * during it. After that the process ends, which a manager of processes shows its operator.
 */
const readOnlyMsMax = 10 * 60_000;

export function createWriteWatch(
  deps: Runtime & { readonly store: { checkWritable(): Promise<void> } },
) {
  const { clock, log } = deps;
  const steady = steadyClockOf(clock);
  let refusal: string | undefined;
  let begunAtMs: number | undefined;

  function note(found: string | undefined): void {
    if ((found === undefined) !== (refusal === undefined)) {
      if (found === undefined) {
        log.warn({ event: "database_writable" }, "Database takes writes again");
      } else {
        log.error({ event: "database_not_writable", problem: found }, "Database takes no writes");
      }
    }
    refusal = found;
  }

  async function look(): Promise<void> {
    begunAtMs = steady.nowMs();
    try {
      await deps.store.checkWritable();
      note(undefined);
    } catch (error) {
      const { text, fix } = explainDatabaseError(error);
      note(`the database takes no writes: ${text}; ${fix}`);
    } finally {
      begunAtMs = undefined;
    }
  }

  return {
    /** Why the database takes no writes; undefined while it does. */
    writeProblem(): string | undefined {
      const waitedMs = begunAtMs === undefined ? 0 : steady.nowMs() - begunAtMs;
      if (waitedMs <= unconfirmedMsMax) return refusal;
      return `the database has not confirmed a write for ${Math.round(waitedMs / 1000)} s; look at its synchronous standby, its locks and its disk`;
    },
    /**
     * Opens the database once its server is not read-only. Throws `storage_unavailable` when that
     * lasts, and the signal's reason.
     */
    async openOnPrimary(
      storage: { isReadOnly(): Promise<boolean>; open(): Promise<void> },
      signal: AbortSignal | undefined,
    ): Promise<void> {
      const endMs = steady.nowMs() + readOnlyMsMax;
      // Opening the database reports every other problem.
      while (await storage.isReadOnly().catch(() => false)) {
        const { text, fix } = readOnlyProblem;
        note(`the start waits for the database: ${text}; ${fix}`);
        if (steady.nowMs() >= endMs) {
          throw new Fault("storage_unavailable", `The database cannot be used: ${text}; ${fix}`);
        }
        await clock.sleep(pauseMs, signal);
        signal?.throwIfAborted();
      }
      note(undefined);
      await storage.open();
    },
    startWriting: () => startPoll({ clock, pauseMs }, look),
  };
}
