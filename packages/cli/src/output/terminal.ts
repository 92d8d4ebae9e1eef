/** Untrusted bytes on their way to a terminal, and pipes that their reader closes early. */
import { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { printableText } from "@farthing/protocol/output";

/** Whether a write failed because the reader has closed the pipe. */
export function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}

/**
 * A stream that makes bytes of text printable, piece by piece as they come. It ends the last line,
 * so that the shell's prompt does not stand behind it.
 */
export function printableBytes(): Transform {
  const decoder = new StringDecoder("utf8");
  let isLineOpen = false;
  const printed = (text: string): string => {
    if (text !== "") isLineOpen = !text.endsWith("\n");
    return printableText(text);
  };
  // A carriage return at the end of a piece may be half of a line end.
  let held = "";
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = held + decoder.write(chunk);
      held = text.endsWith("\r") ? "\r" : "";
      done(null, printed(text.slice(0, text.length - held.length)));
    },
    flush(done) {
      const rest = printed(held + decoder.end());
      done(null, isLineOpen ? `${rest}\n` : rest);
    },
  });
}
