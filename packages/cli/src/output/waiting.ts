/**
 * What a command waits for, on standard error: one line with the time on a terminal, and in a file or
 * a pipe a line for each reason of a longer wait.
 */
import { printableLine } from "@farthing/protocol";

/** Shorter waits are not noticed, and a line that appears and goes would be. */
const delayMs = 400;
const stepMs = 1000;

const carriageReturn = "\r";
const eraseLine = "\u001b[2K";

export interface Waiting {
  /** Names what is waited for now; the time starts again. */
  now(what: string): void;
  /**
   * The same wait has another name; it goes on for `waitSeconds` and ends at `untilMs` at the latest.
   */
  still(what: string, waitSeconds?: number, untilMs?: number): void;
  /** Removes the line before something else is printed; the wait goes on. */
  hide(): void;
  /** Removes the line, also before something else is printed. Any number of times. */
  end(): void;
}

const silent: Waiting = {
  now: () => undefined,
  still: () => undefined,
  hide: () => undefined,
  end: () => undefined,
};

/** Only one line can be shown: what a command waits for within another wait is not named. */
let isTaken = false;

/** Shorter waits need no reason. */
const toldSeconds = 3;

/** Writes a reason once, when a wait for it is noticed. */
function tellReasons(output: NodeJS.WritableStream): Waiting {
  const told = new Set<string>();
  return {
    ...silent,
    still(what, waitSeconds = 0) {
      if (waitSeconds < toldSeconds || told.has(what)) return;
      told.add(what);
      output.write(`farthing: ${printableLine(what)}\n`);
    },
  };
}

/** Starts the line where it can be erased; elsewhere, `isTold` writes the reasons of longer waits. */
export function startWaiting(
  what: string,
  isTold = false,
  output: NodeJS.WriteStream = process.stderr,
): Waiting {
  if (isTaken) return silent;
  // A dumb terminal has no line that could be erased.
  if (!output.isTTY || process.env["TERM"] === "dumb") return isTold ? tellReasons(output) : silent;
  isTaken = true;
  let current = what;
  let startedAt = Date.now();
  let endsAt: number | undefined;
  let isShown = false;
  const show = (): void => {
    const seconds = Math.floor((Date.now() - startedAt) / 1000);
    const most = endsAt === undefined ? "" : ` of ${Math.ceil((endsAt - startedAt) / 1000)} s`;
    const time = ` … ${seconds} s${most}`;
    // A line that wraps could not be erased; the time is what the person watches.
    const room = Math.max(0, (output.columns ?? 80) - 1 - time.length);
    output.write(`${carriageReturn}${eraseLine}${printableLine(current).slice(0, room)}${time}`);
    isShown = true;
  };
  let timer: NodeJS.Timeout | undefined;
  const arm = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      show();
      arm(stepMs);
    }, ms);
    // A wait does not keep the process alive.
    timer.unref();
  };
  arm(delayMs);
  return {
    now(next) {
      startedAt = Date.now();
      this.still(next);
    },
    still(next, _waitSeconds, untilMs) {
      current = next;
      endsAt = untilMs;
      if (isShown) show();
      else arm(delayMs);
    },
    hide() {
      if (isShown) output.write(`${carriageReturn}${eraseLine}`);
      isShown = false;
    },
    end() {
      clearTimeout(timer);
      if (isShown) output.write(`${carriageReturn}${eraseLine}`);
      isShown = false;
      isTaken = false;
    },
  };
}

/** Shows what is waited for until the work has ended. */
export async function whileWaiting<T>(what: string, work: () => Promise<T>): Promise<T> {
  const waiting = startWaiting(what);
  try {
    return await work();
  } finally {
    waiting.end();
  }
}
