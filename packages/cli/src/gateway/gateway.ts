/** `farthing gateway`: sells an existing API as a configuration file describes. */
import type { Command } from "commander";
import { registerChannels } from "./channels.ts";
import { registerCheck } from "./check.ts";
import { registerExplain } from "./explain.ts";
import { registerImport } from "./import.ts";
import { registerRun } from "./run.ts";

export function register(program: Command): void {
  const gateway = program
    .command("gateway")
    .description(
      "Sells an API that does not handle payments: --to names the API, --price its price and --pay-to your address, or a YAML file (-c) has routes, prices and the rest; see docs/reference/gateway.md. Without a command, the gateway runs; `farthing gateway run --help` lists its options.",
    );
  registerRun(gateway);
  registerCheck(gateway);
  registerExplain(gateway);
  registerImport(gateway);
  registerChannels(gateway);
}
