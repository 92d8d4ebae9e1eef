/** Structured logs, one JSON line per state change. Callers pass no secrets; see the list below. */
import { boundedOutput } from "@farthing/protocol";
import { pino } from "pino";
import type { Clock } from "./clock.ts";
import { messageOf } from "./fault.ts";
import { activeTraceId } from "./tracing.ts";

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
  const log: Log = pino(
    {
      level,
      base: null,
      mixin: traceFields,
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: "[secret]" },
    },
    destination ??
      standardOutput((lines) => {
        log.warn(
          { event: "log_lines_dropped", lines },
          "Log lines dropped; the reader of the log was too slow, or its disk was full",
        );
      }),
  );
  return log;
}

/** Names the trace of the request that a line is about, where requests are traced. */
function traceFields(): object {
  const traceId = activeTraceId();
  return traceId === undefined ? {} : { traceId };
}

/** Neither a reader that is slow or gone nor a full disk may stop the service. */
function standardOutput(onDropped: (lines: number) => void) {
  process.stdout.on("error", () => undefined);
  return boundedOutput(process.stdout, onDropped);
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
