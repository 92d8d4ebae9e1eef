/** Structured logs, without credentials, signatures, bodies and paths. */
import { boundedOutput, type Output } from "@farthing/protocol";
import { pino } from "pino";

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export function createGatewayLog(): Log {
  // Neither a reader that is slow or gone nor a full disk may stop the gateway.
  process.stdout.on("error", () => undefined);
  const output = boundedOutput(inBatches(process.stdout), (lines) => {
    log.warn(
      { event: "log_lines_dropped", lines },
      "Log lines dropped; the reader of the log was too slow, or its disk was full",
    );
  });
  const log: Log = pino({ base: null }, output);
  return log;
}

/** Characters that are written at once: what a pipe takes. */
const batchCharsMax = 64 * 1024;

/** Writes the lines of one turn of the event loop together: each write of its own is a system call. */
export function inBatches(output: Output): Output {
  let text = "";
  let written: (((error?: Error | null) => void) | undefined)[] = [];
  function flush(): void {
    if (text === "") return;
    const [batch, done] = [text, written];
    text = "";
    written = [];
    output.write(batch, (error) => {
      for (const one of done) one?.(error);
    });
  }
  process.on("exit", flush);
  return {
    get writableLength() {
      return output.writableLength + text.length;
    },
    write(line, done) {
      if (text === "") setImmediate(flush);
      text += line;
      written.push(done);
      if (text.length >= batchCharsMax) flush();
    },
  };
}

export const silentLog: Log = { info() {}, warn() {}, error() {} };
