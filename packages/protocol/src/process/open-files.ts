/** How many connections a server gives to its callers, of the files that its process may have open. */
import { isObject } from "../encoding/json.ts";

/**
 * File descriptors that callers do not get: a database has ten connections at most, a node or an
 * upstream some tens, and Node.js itself about thirty.
 */
const ownDescriptors = 128;

/**
 * Reads the limit of open files from a report of Node.js (`process.report.getReport()`); undefined
 * where the platform does not tell.
 */
export function openFilesIn(report: unknown): number | undefined {
  const limits = isObject(report) ? report["userLimits"] : undefined;
  const files = isObject(limits) ? limits["open_files"] : undefined;
  const soft = isObject(files) ? files["soft"] : undefined;
  return typeof soft === "number" ? soft : undefined;
}

/** At least half of the descriptors are for callers. */
export function connectionsWithin(filesMax: number): number {
  return Math.max(Math.floor(filesMax / 2), filesMax - ownDescriptors);
}
