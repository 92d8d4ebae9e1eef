/**
 * Watches a file by its folder: editors and mounted configurations put another file in its place,
 * and a watch on the file itself would stay with the one that is gone.
 */
import { readFileSync, watch } from "node:fs";
import { dirname } from "node:path";

/** A watch that runs. */
export interface FileWatch {
  /** Reads the file now, whether it has changed or not. */
  readNow(): void;
  stop(): void;
}

/**
 * From the first sign of a change to the reading, in milliseconds: files are written in several
 * steps. Not put off by further signs, since other files of the folder, such as the gateway's own
 * database, may change all the time; a save that takes longer is read twice.
 */
const settleMs = 100;

/** Calls `onText` with what is in the file after each change of it; not with what is there now. */
export function watchFile(path: string, onText: (text: string) => void): FileWatch {
  let last = readText(path);
  let timer: NodeJS.Timeout | undefined;

  function read(isForced: boolean): void {
    const text = readText(path);
    // Between two steps of a replacement there may be no file for a moment.
    if (text === undefined || (!isForced && text === last)) return;
    last = text;
    onText(text);
  }

  const watcher = watch(dirname(path), () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      read(false);
    }, settleMs);
  });
  // A folder that is taken away is not watched any more; the configuration in force stays.
  watcher.on("error", () => watcher.close());
  return {
    readNow: () => read(true),
    stop() {
      clearTimeout(timer);
      watcher.close();
    },
  };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
