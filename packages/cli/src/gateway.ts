/** `farthing gateway`: sells an existing API by a configuration file. */
import type { Command } from "commander";
import { registerRun } from "./gateway-run.ts";

/** Adds the command and its own commands. */
export function register(program: Command): void {
  const gateway = program
    .command("gateway")
    .summary("sell an existing API: a reverse proxy that charges")
    .description("Sells the routes of an API that knows nothing of payments.");
  registerRun(gateway);
}
