/** Runs an action: its exit code, or that of what it throws, said in one line. */
import type { ExitCode } from "./exit-codes.ts";
import { showError } from "./response-output.ts";

/** Runs it and sets the exit code of the process. An error goes to standard error. */
export async function runCommand(run: () => Promise<ExitCode>): Promise<void> {
  try {
    process.exitCode = await run();
  } catch (error) {
    process.exitCode = showError(error, { isPlain: true }, { isSigned: false });
  }
}
