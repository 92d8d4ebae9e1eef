/**
 * A facilitator that reports every write to its store to its parent, before and after, and waits for
 * permission to continue. Meanwhile it can be killed or stopped.
 */
import { flushCompileCache } from "node:module";
import { readConfig } from "../../src/config/config.ts";
import { createLog } from "@farthing/engine/base";
import { startFacilitator } from "../../src/app.ts";
import { openStore } from "../../src/features/open-store.ts";
import type { StepMessage } from "./stepped-process.testing.ts";

/** What changes nothing, and what happens by the clock whether anything is settled or not. */
const noStep =
  /^(find|list|count|is|read|prune|forget|remove|ping|checkWritable|onChange|close$|renewWalletLease|shortenLostLeases|takeFailuresToLookAt|watchFailedSince)/;

const waiting = new Map<number, () => void>();
let told = 0;

function tell(message: StepMessage): void {
  process.send?.(message);
}

/** Reports a step and waits until the process may continue. */
function step(side: "before" | "after", name: string): Promise<void> {
  const id = ++told;
  tell({ id, side, name });
  return new Promise((resolve) => waiting.set(id, resolve));
}

process.on("message", (id) => {
  const goOn = typeof id === "number" ? waiting.get(id) : undefined;
  if (typeof id === "number") waiting.delete(id);
  goOn?.();
});
// The parent is gone, and no process is left to permit the next step.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));

const config = readConfig();
const log = createLog("info", process.stderr);
const store = await openStore(config.databaseUrl, { log });
const stepping = new Proxy(store, {
  get(target, name) {
    const verb: unknown = Reflect.get(target, name);
    if (typeof name !== "string" || typeof verb !== "function" || noStep.test(name)) return verb;
    return async (...parameters: unknown[]) => {
      const [first] = parameters;
      // A write of nothing is none.
      if (Array.isArray(first) && first.length === 0)
        return Reflect.apply(verb, target, parameters);
      await step("before", name);
      const result: unknown = await Reflect.apply(verb, target, parameters);
      await step("after", name);
      return result;
    };
  },
});
const { url } = await startFacilitator({ config, selfBuilt: true, log, store: stepping });
tell({ url });
// Otherwise written at the end, which never comes in good order.
flushCompileCache();
