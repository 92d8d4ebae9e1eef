/** Watches a file by its folder, because editors and mounts replace the file. */
import { readFileSync, watch } from "node:fs";
import { dirname } from "node:path";

export type FileWatch = ReturnType<typeof watchFile>;

/** Files are written in several steps. Later events of the folder do not extend the delay. */
const settleMs = 100;

/** Calls `onText` with the file's content after each change. */
export function watchFile(path: string, onText: (text: string) => void) {
  let last = readText(path);
  let timer: NodeJS.Timeout | undefined;

  function read(isForced: boolean): void {
    const text = readText(path);
    // During a replacement there may be no file for a moment.
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
  // A removed folder is no longer watched; the active configuration stays.
  watcher.on("error", () => watcher.close());
  return {
    /** Reads the file now, even if it has not changed. */
    readNow: () => read(true),
    stop(): void {
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
