/** Structured logs, one JSON line per state change. Callers pass no secrets; see the list below. */
import { boundedOutput, isObject } from "@farthing/protocol";
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

const secretNames: ReadonlySet<string> = new Set([
  "signature",
  "raw",
  "authorization",
  "apiKey",
  "key",
  "secret",
  "url",
  "headers",
]);

const censored = "[secret]";

/** `destination` is for tests. */
export function createLog(level: LogLevel, destination?: { write(line: string): void }): Log {
  const log: Log = pino(
    {
      level,
      base: null,
      // Pino's `redact` parses its paths again for each line, which took longer than the line itself.
      formatters: { log: (fields) => withTrace(withoutSecrets(fields)) },
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

type Fields = Readonly<Record<string, unknown>>;

/** Replaces secrets among the fields and within each; most lines have none and stay as they are. */
function withoutSecrets(fields: Fields): Record<string, unknown> {
  let safe: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const shown = shownOf(name, isObject(value) ? withoutSecretMembers(value) : value);
    if (shown !== value) (safe ??= { ...fields })[name] = shown;
  }
  return safe ?? fields;
}

function withoutSecretMembers(value: Fields): Fields {
  if (!Object.keys(value).some((name) => secretNames.has(name))) return value;
  const members = Object.entries(value).map(([name, member]) => [name, shownOf(name, member)]);
  return Object.fromEntries(members);
}

/** What is undefined stays so, and is left out of the line. */
function shownOf(name: string, value: unknown): unknown {
  return value !== undefined && secretNames.has(name) ? censored : value;
}

/** Names the trace of the request that a line is about, where requests are traced. */
function withTrace(fields: Record<string, unknown>): Record<string, unknown> {
  const traceId = activeTraceId();
  return traceId === undefined ? fields : { traceId, ...fields };
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
