/** `farthing serve`: the facilitator as a process. */
import type { Command } from "commander";

/** Adds the command. */
export function register(program: Command): void {
  program
    .command("serve")
    .description("verify and settle payments over HTTP; configured by FARTHING_… variables")
    .option("--self-built", "serve the self-built face alone, without accounts and keys", false)
    .action(async (options: { selfBuilt: boolean }) => {
      const { serve } = await import("@farthing/facilitator");
      await serve(options);
    });
}
