/** `farthing gateway`: sells an existing API as a configuration file describes. */
import type { Command } from "commander";
import { registerCheck } from "./gateway-check.ts";
import { registerExplain } from "./gateway-explain.ts";
import { registerImport } from "./gateway-import.ts";
import { registerRun } from "./gateway-run.ts";

export function register(program: Command): void {
  const gateway = program
    .command("gateway")
    .description(
      "Sells the routes of an API that does not handle payments. One YAML file configures routes, prices and the API behind them; see docs/reference/gateway.md. Without a command, the gateway runs.",
    )
    .helpCommand(false);
  registerRun(gateway);
  registerCheck(gateway);
  registerExplain(gateway);
  registerImport(gateway);
}
