/** The output of a log, which must not stop a service that outlives its reader. */

/** What a standard output of Node.js is: a pipe of it takes every text at once and keeps what is unread. */
export interface Output {
  write(text: string): unknown;
  /** Bytes that the reader has not taken yet. */
  readonly writableLength: number;
}

/** Some ten thousand lines: minutes of a busy service, and little beside its other memory. */
const maxUnreadBytes = 8 * 1024 * 1024;

/**
 * Writes lines to `output` as long as they are read, and drops them while too many are unread.
 * `onDropped` gets the number of lines that were dropped once half of the room is free again.
 */
export function boundedOutput(output: Output, onDropped: (lines: number) => void) {
  let dropped = 0;
  return {
    write(line: string): void {
      const room = dropped === 0 ? maxUnreadBytes : maxUnreadBytes / 2;
      if (output.writableLength > room) {
        dropped++;
        return;
      }
      if (dropped > 0) {
        const lines = dropped;
        dropped = 0;
        onDropped(lines);
      }
      output.write(line);
    },
  };
}
