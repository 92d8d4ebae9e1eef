/** `farthing gateway`: sells an existing API by a configuration file. */
import type { Command } from "commander";
import { registerCheck } from "./gateway-check.ts";
import { registerExplain } from "./gateway-explain.ts";
import { registerImport } from "./gateway-import.ts";
import { registerRun } from "./gateway-run.ts";

export function register(program: Command): void {
  const gateway = program
    .command("gateway")
    .description(
      "Sells the routes of an API that knows nothing of payments. Routes, prices and the API behind them stand in one YAML file, see docs/reference/gateway.md. Without a command it runs.",
    )
    .helpCommand(false);
  registerRun(gateway);
  registerCheck(gateway);
  registerExplain(gateway);
  registerImport(gateway);
}
