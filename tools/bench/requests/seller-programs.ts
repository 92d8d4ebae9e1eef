/** Sellers as programs of their own, in front of a facilitator for which every payment is good. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programFile } from "@farthing/lab/programs";
import { cores, pin, startServer, type Server } from "../processes.ts";
import type { Role } from "./peer-server.ts";
import { startYesFacilitator } from "./yes-facilitator.ts";

/** What sellers are asked for. */
export const salePaths = { paid: "/paid/1", pass: "/pass/1", balance: "/balance/1" } as const;

/** Where no test run has bundled it, it runs from source, as its imports do. */
const program = [
  "--conditions=@farthing/source",
  programFile(new URL("./peer-server.ts", import.meta.url)),
];

/** Leaves the other core to the programs, and ends all of it with the stack. */
export async function openSellerPrograms(stack: AsyncDisposableStack) {
  pin(process.pid, cores.others);
  const facilitator = await startYesFacilitator();
  stack.defer(() => facilitator.close());
  const folder = mkdtempSync(join(tmpdir(), "farthing-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  return {
    /** For the files of the stores. */
    folder,
    /** `store` names its payment records. */
    async start(role: Role, store?: string): Promise<Server> {
      const own = store === undefined ? [] : [store];
      const server = await startServer([...program, role, facilitator.url, ...own], {});
      stack.defer(async () => void (await server.stop()));
      return server;
    },
  };
}
