/**
 * Structured logs: one line per change of state, JSON on standard error's sibling stdout.
 * Signatures, keys and URLs are never passed to it; the list below is the net under that rule.
 */
import { pino } from "pino";

/** What the program needs of a logger. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Levels a person can ask for. */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];

/** Names under which a secret could slip in; their values are replaced. */
const secretNames = [
  "signature",
  "raw",
  "authorization",
  "apiKey",
  "key",
  "secret",
  "url",
  "headers",
];

/** Creates the logger; `destination` is for tests. */
export function createLog(level: LogLevel, destination?: { write(line: string): void }): Log {
  return pino(
    {
      level,
      base: null,
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: "[secret]" },
    },
    destination ?? standardOutput(),
  );
}

/**
 * Written as it comes, so that nothing is left to flush at the end. A reader that is gone (a pipe
 * into `head`) takes the lines with it and must not take the service.
 */
function standardOutput() {
  const output = pino.destination({ dest: 1, sync: true });
  output.on("error", () => undefined);
  return output;
}

/** Says nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
