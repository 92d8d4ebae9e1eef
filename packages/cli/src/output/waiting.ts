/** One line on a terminal's standard error while a command waits: for what, and for how long. */
import { printableLine } from "@farthing/protocol";

/** Shorter waits are not noticed, and a line that appears and goes would be. */
const delayMs = 400;
const stepMs = 1000;

const carriageReturn = "\r";
const eraseLine = "\u001b[2K";

export interface Waiting {
  /** Names what is waited for now; the time starts again. */
  now(what: string): void;
  /** The same wait has another name; it ends at `untilMs` at the latest. */
  still(what: string, untilMs?: number): void;
  /** Removes the line, also before something else is printed. Any number of times. */
  end(): void;
}

const silent: Waiting = { now: () => undefined, still: () => undefined, end: () => undefined };

/** Only one line can be shown: what a command waits for within another wait is not named. */
let isTaken = false;

/** Starts the line; it is on a terminal only, where standard error belongs to a person. */
export function startWaiting(what: string, output: NodeJS.WriteStream = process.stderr): Waiting {
  // A dumb terminal has no line that could be erased.
  if (isTaken || !output.isTTY || process.env["TERM"] === "dumb") return silent;
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
    still(next, untilMs) {
      current = next;
      endsAt = untilMs;
      if (isShown) show();
      else arm(delayMs);
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
