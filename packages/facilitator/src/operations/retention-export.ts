/**
 * Export files of retention: one JSON object per line, a new file for each pass, readable by the
 * owner only. A group is on disk before its removal is committed: after a crash a line may occur
 * twice, and none is missing.
 */
import { randomBytes } from "node:crypto";
import { mkdir, open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { fileMode } from "@farthing/engine/storage";

/** A missing folder is created for its owner only. */
const folderMode = 0o700;

/** Two processes may begin in the same millisecond. */
const nameBytes = 4;

/** Creates the file with its first line. */
export function createExportFile(folder: string, name: string, nowMs: number) {
  let file: FileHandle | undefined;
  const time = new Date(nowMs).toISOString().replaceAll(/[:.]/g, "-");
  const path = join(folder, `${name}-${time}-${randomBytes(nameBytes).toString("hex")}.ndjson`);
  return {
    /** Adds one line per record, and resolves when they are on the disk. */
    async append(records: readonly object[]) {
      if (!file) {
        await mkdir(folder, { recursive: true, mode: folderMode });
        file = await open(path, "ax", fileMode);
      }
      await file.appendFile(
        records.map((record) => `${JSON.stringify(record, asText)}\n`).join(""),
      );
      await file.sync();
    },
    async close() {
      await file?.close();
    },
  };
}

/** Writes amounts and times of authorizations, which may exceed a number, as decimal text. */
function asText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
