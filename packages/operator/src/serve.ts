/** `farthing serve`: the facilitator as a process. */
import type { Command } from "commander";

/** Adds the command. */
export function register(program: Command): void {
  program
    .command("serve")
    .description(
      "Runs the facilitator: the public surface at / and the hosted one at /api/facilitator. Configured by environment variables or the YAML file of FARTHING_CONFIG, see docs/reference/configuration.md.",
    )
    .option("--self-built", "serve the self-built face alone, without accounts and keys", false)
    .action(async (options: { selfBuilt: boolean }) => {
      const { serve } = await import("@farthing/facilitator");
      await serve(options);
    });
}
