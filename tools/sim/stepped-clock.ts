/**
 * The error of a process's clock, which its parent changes: the parent writes it into a file and sends
 * a signal, and a process that starts later reads it too.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Tells a process to read its file again. */
export const clockSignal = "SIGUSR2";

/** The parent's side. */
export interface ClockFile {
  readonly path: string;
  /** Seconds that the clock is ahead of the time. */
  write(seconds: number): void;
  remove(): void;
}

/** Creates a file for a clock that is right. */
export function createClockFile(): ClockFile {
  const folder = mkdtempSync(join(tmpdir(), "farthing-clock-"));
  const path = join(folder, "seconds");
  const write = (seconds: number) => writeFileSync(path, `${seconds}`);
  write(0);
  return { path, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The process's side: returns the present error in milliseconds. */
export function followClockFile(path: string): () => number {
  let errorMs = 0;
  const read = () => {
    errorMs = Number(readFileSync(path, "utf8")) * 1_000;
  };
  process.on(clockSignal, read);
  read();
  return () => errorMs;
}
