/** One signal for Ctrl+C and for --max-time; a second Ctrl+C ends the process at once. */
import { UsageError } from "./pay-request.ts";

/** Ctrl+C; exit code 130. */
export class Interruption extends Error {
  override readonly name = "Interruption";
}

/** --max-time is over. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

/** Listens until `end` is called. */
export function stopSignals() {
  const controller = new AbortController();
  const onInterrupt = () => controller.abort(new Interruption("Interrupted."));
  let timer: NodeJS.Timeout | undefined;
  process.once("SIGINT", onInterrupt);
  return {
    signal: controller.signal,
    after(seconds: number | undefined) {
      if (seconds === undefined) return;
      const expire = () => controller.abort(new OutOfTime(`No answer within ${seconds} s.`));
      timer = setTimeout(expire, seconds * 1000);
    },
    end() {
      clearTimeout(timer);
      process.off("SIGINT", onInterrupt);
    },
  };
}

/** The value of --max-time; throws a UsageError. */
export function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds > 0) return seconds;
  throw new UsageError("--max-time is a number of seconds above 0.");
}
