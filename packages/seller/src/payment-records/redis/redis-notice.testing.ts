/** Says at the end of a test run which tests were left out for want of a Redis, and the remedy. */
import type { TestProject } from "vitest/node";
import { findRedisServer } from "./redis-server.testing.ts";

/** Tests of the store in Redis: all of the first file, half of the others. */
const files = /\/(redis|several-processes|rolling-restart|store)\.test\.ts$/;

/** Runs around all tests; gives what to do after them. */
export default function watchForLeftOut(project: TestProject): () => void {
  return () => {
    if (findRedisServer() !== undefined) return;
    const names = project.vitest.state.getFiles().map(({ name }) => name);
    const leftOut = names.filter((name) => files.test(name));
    if (leftOut.length === 0) return;
    process.stdout.write(
      [
        "",
        "LEFT OUT: the tests of payment records in Redis, because there is no redis-server on this machine:",
        ...leftOut.map((name) => `  ${name}`),
        "To run them: apt-get install redis-server, or set REDIS_SERVER_PATH to one, then",
        "  npx vitest run packages/seller/src/payment-records/redis packages/seller/src/payment-records/several-processes",
        "",
        "",
      ].join("\n"),
    );
  };
}
