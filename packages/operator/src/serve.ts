/** `farthing serve`: runs the facilitator. */
import { serve } from "@farthing/facilitator";
import type { Command } from "commander";

export function register(program: Command): void {
  program
    .command("serve")
    .description(
      "Runs the facilitator: the public surface at / and the hosted one at /api/facilitator. Its settings are environment variables or the YAML file that FARTHING_CONFIG names; see docs/reference/configuration.md.",
    )
    .option("--self-built", "serve only the self-built surface, without accounts and keys", false)
    .action((options: { selfBuilt: boolean }) => serve(options));
}
