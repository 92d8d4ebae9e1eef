/** Structured logs, without credentials, signatures, bodies and paths. */
import { pino } from "pino";

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export function createGatewayLog(): Log {
  // Written synchronously, so that nothing is left to flush at the end.
  const output = pino.destination({ dest: 1, sync: true });
  // A closed pipe must not end the gateway.
  output.on("error", () => undefined);
  return pino({ base: null }, output);
}

export const silentLog: Log = { info() {}, warn() {}, error() {} };
