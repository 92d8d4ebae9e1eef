/** Runs the action of a command: an error is printed, and becomes the exit code of the process. */
import { InterruptedError, TimeoutError, UsageError } from "./command-errors.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { showError } from "./failure-output.ts";
import type { PaymentProgress } from "../output/payment-report.ts";

/** An action that returns no exit code has succeeded. */
export async function runCommand(run: () => Promise<ExitCode | void>): Promise<void> {
  try {
    process.exitCode = (await run()) ?? exitCodes.success;
  } catch (error) {
    process.exitCode = showError(error, { isPlain: true }, { isSigned: false });
  }
}

/** Ctrl+C stops the run, and --max-time after `prepare`; a second Ctrl+C ends the process. */
export async function runRequest<T>(
  flags: { readonly json?: boolean; readonly maxTime?: string },
  progress: PaymentProgress,
  prepare: () => T,
  run: (prepared: T, signal: AbortSignal) => Promise<ExitCode>,
): Promise<void> {
  const controller = new AbortController();
  const interrupt = () => controller.abort(new InterruptedError("Interrupted."));
  process.once("SIGINT", interrupt);
  let timer: NodeJS.Timeout | undefined;
  try {
    const prepared = prepare();
    const seconds = readSeconds(flags.maxTime);
    if (seconds !== undefined) {
      const expire = () => controller.abort(new TimeoutError(`No response within ${seconds} s.`));
      timer = setTimeout(expire, seconds * 1000);
    }
    process.exitCode = await run(prepared, controller.signal);
  } catch (error) {
    process.exitCode = showError(error, flags, progress, controller.signal);
  } finally {
    clearTimeout(timer);
    process.off("SIGINT", interrupt);
  }
}

function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds > 0) return seconds;
  throw new UsageError("--max-time must be a number of seconds above 0.");
}
