/**
 * Structured logs: one JSON line for each request and each change of state. Credentials, signatures,
 * bodies and paths are never passed to it.
 */
import { pino } from "pino";

/** What the gateway needs of a logger. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Creates the logger that writes to standard output. */
export function createGatewayLog(): Log {
  // Written as it comes, so that nothing is left to flush at the end.
  const output = pino.destination({ dest: 1, sync: true });
  // A reader that is gone (a pipe into `head`) must not take the gateway with it.
  output.on("error", () => undefined);
  return pino({ base: null }, output);
}

/** Says nothing. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };
