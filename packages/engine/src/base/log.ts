/** Structured logs, one JSON line per state change. Callers pass no secrets; see the list below. */
import type { Clock } from "./clock.ts";
import { pino } from "pino";
import { messageOf } from "./fault.ts";

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];

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

/** `destination` is for tests. */
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

/** Nothing has to be flushed at exit, and a closed pipe must not stop the service. */
function standardOutput() {
  const output = pino.destination({ dest: 1, sync: true });
  output.on("error", () => undefined);
  return output;
}

/** Returns a handler that logs an error as a warning, for a step that is repeated or optional. */
export function warning(
  log: Log,
  fields: { readonly event: string; readonly [field: string]: unknown },
  message: string,
) {
  return (error: unknown): undefined => {
    log.warn({ ...fields, problem: messageOf(error) }, message);
  };
}

/** The clock and the log of a process. */
export interface Runtime {
  readonly clock: Clock;
  readonly log: Log;
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
