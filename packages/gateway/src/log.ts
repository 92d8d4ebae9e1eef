/** Structured logs, without credentials, signatures, bodies and paths. */
import { boundedOutput } from "@farthing/protocol";
import { pino } from "pino";

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export function createGatewayLog(): Log {
  // Neither a reader that is slow or gone nor a full disk may stop the gateway.
  process.stdout.on("error", () => undefined);
  const output = boundedOutput(process.stdout, (lines) => {
    log.warn(
      { event: "log_lines_dropped", lines },
      "Log lines dropped; the reader of the log was too slow, or its disk was full",
    );
  });
  const log: Log = pino({ base: null }, output);
  return log;
}

export const silentLog: Log = { info() {}, warn() {}, error() {} };
