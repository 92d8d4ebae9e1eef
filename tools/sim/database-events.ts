/** What happens to the database: it takes no writes for a while, or loses its last commits. */
import { checkEngineSteps } from "../model/traces/check-engine-steps.ts";
import type { SimEnvironment } from "./environment.ts";
import type { Event } from "./plan.ts";
import type { PutBack } from "./stored-copies.ts";

/** An event at the database. */
export type DatabaseEvent = Extract<
  Event,
  { what: "read-only" | "writable" | "copy" | "fail-over" | "restore" }
>;

/**
 * Blocks of 2 s after which a service knows that its database takes no writes: it writes every 3 s and
 * waits up to 6 s for it; a request takes its own time.
 */
export const readOnlyBlocksMin = 8;

/** Prepares the events of the database. */
export function createDatabaseEvents(environment: SimEnvironment) {
  const { trace, processes, observedFaults, database, world } = environment;
  let readOnlySince: number | undefined;
  let putBack: PutBack | undefined;

  async function setReadOnly(isReadOnly: boolean): Promise<void> {
    const since = readOnlySince;
    if (isReadOnly === (since !== undefined)) return;
    if (since !== undefined && world.head() - since >= readOnlyBlocksMin) await askWhetherReady();
    readOnlySince = isReadOnly ? world.head() : undefined;
    await database.setReadOnly(isReadOnly);
    if (isReadOnly) observedFaults.note("database: read-only");
  }

  const killAll = () => Promise.all(processes.map((one) => one.kill()));

  function startAside(): void {
    for (const one of processes) one.start().catch((error: unknown) => trace.note(String(error)));
  }

  async function lose(event: "restore" | "fail-over"): Promise<void> {
    if (!putBack || readOnlySince !== undefined) return;
    // No standby takes over from a file; it is put back while no process has it open.
    const isRestore = event === "restore" || environment.plan.service.database === "sqlite";
    if (isRestore) await killAll();
    environment.engineSteps.push(await checkEngineSteps(database.steps()));
    const before = (await database.read()).settlements.length;
    await putBack();
    observedFaults.note("loss: settlements", before - (await database.read()).settlements.length);
    environment.losses.push({
      atBlock: world.head(),
      atMs: environment.clock.nowMs(),
      afterResponses: environment.callers.responses.length,
    });
    if (isRestore) startAside();
  }

  /** Of processes that cannot write, none may be ready. */
  async function askWhetherReady(): Promise<void> {
    for (const url of processes.flatMap((one) => one.url() ?? [])) {
      const status = await fetch(`${url}/ready`).then(
        (response) => response.status,
        () => 0,
      );
      trace.note(`read-only: /ready of ${url} → ${status}`);
      if (status === 200) environment.falselyReady.push(`${url} while the database is read-only`);
    }
  }

  return {
    async inject(event: DatabaseEvent): Promise<void> {
      switch (event.what) {
        case "read-only":
        case "writable":
          return setReadOnly(event.what === "read-only");
        case "copy":
          putBack = await database.copy();
          return;
        case "fail-over":
        case "restore":
          return lose(event.what);
        default:
          return event satisfies never;
      }
    },
    /** Lets it take writes. */
    heal: () => setReadOnly(false),
  };
}
