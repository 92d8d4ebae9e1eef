/** The output of a log, which must not stop a service that outlives its reader. */

/** What a standard output of Node.js is: a pipe of it takes every text at once and keeps what is unread. */
export interface Output {
  write(text: string, done?: (error?: Error | null) => void): unknown;
  /** Bytes that the reader has not taken yet. */
  readonly writableLength: number;
}

/** Some ten thousand lines: minutes of a busy service, and little beside its other memory. */
const maxUnreadBytes = 8 * 1024 * 1024;

/**
 * Writes lines to `output` as long as they are read, and drops them while too many are unread. A line
 * that cannot be written, as on a full disk, counts as dropped. `onDropped` gets the number of lines
 * that were dropped once half of the room is free again, or a line was written again.
 */
export function boundedOutput(output: Output, onDropped: (lines: number) => void) {
  let unread = 0;
  let unwritten = 0;
  const noteWritten = (error?: Error | null): void => {
    if (error) {
      unwritten++;
    } else if (unwritten > 0) {
      const lines = unwritten;
      unwritten = 0;
      onDropped(lines);
    }
  };
  return {
    write(line: string): void {
      const room = unread === 0 ? maxUnreadBytes : maxUnreadBytes / 2;
      if (output.writableLength > room) {
        unread++;
        return;
      }
      if (unread > 0) {
        const lines = unread;
        unread = 0;
        onDropped(lines);
      }
      output.write(line, noteWritten);
    },
  };
}
