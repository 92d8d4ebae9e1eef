/**
 * The order of test files. Without durations from an earlier run, Vitest starts with the largest
 * files, and a small file whose tests take a minute would run at the end beside idle cores.
 */
import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take half a minute and more, the longest first. */
const longFiles = [
  "sim",
  "crash-postgres",
  "screens",
  "crash-sqlite",
  "facilitator-restart",
  "credits",
  "shutdown",
  "failing-store",
  "guides",
  "ordinary-nodes",
  "ordinary-endpoints",
  "downtime",
  "wallet-command",
  "every-seller-every-buyer",
  "doctor",
  "fair-shares",
  "demo",
  "defects",
  "account-store",
  "ledger",
  "pay",
  "rolling-restart",
];

const rankOf = ({ moduleId }: TestSpecification) => {
  const rank = longFiles.indexOf(basename(moduleId, ".test.ts"));
  return rank === -1 ? longFiles.length : rank;
};

/** Starts with the long files; the others follow in Vitest's own order. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
