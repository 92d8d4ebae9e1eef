import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { LongFilesFirst } from "./tools/test-order.ts";

// Workspaces are reached as TypeScript source, so no build has to run before the tests.
const ssr = { resolve: { conditions: ["@farthing/source"] } };

const shared = {
  // The buyer's library asks public nodes unless told otherwise; no test may.
  setupFiles: ["tools/no-internet.testing.ts"],
  // Tests on a local chain wait for real blocks, and several start processes: what takes ten seconds
  // alone takes five times as long where other files use all cores. Only a test that hangs waits.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // The same for conditions that are looked for again and again; the default is a second.
  expect: { poll: { timeout: 60_000 } },
};

/**
 * Two hundred short files. A process of its own for each would cost more than most of their tests; for
 * each file of the tools it cost a second and a quarter of CPU time, which loads the same modules again.
 */
const inSharedProcesses = "packages/!(facilitator)/{src,test}/**/*.test.ts";

/**
 * Those which import most of the service: to load it again takes longer than the tests of most files.
 * They have processes of their own, so that none meets what the tests of other packages leave behind.
 */
const ofTheService = "packages/facilitator/{src,test}/**/*.test.ts";

/**
 * Files that keep all cores busy by themselves: each runs several services, nodes or browsers at once.
 * Together they made a service so slow that its lease on a wallet ran out, and a page so slow that its
 * test did, so there are never more of them than cores. They come first and have the cores for
 * themselves.
 */
const manyProcesses = [
  "packages/facilitator/test/crash/crash-{postgres,sqlite}.test.ts",
  "packages/facilitator/test/crash/downtime.test.ts",
  "tools/sim/sim.test.ts",
  "tools/model/replay.test.ts",
  "tools/soak/soak.test.ts",
  "tools/demo/demo.test.ts",
  "tools/e2e/dashboard/screens.test.ts",
  "tools/e2e/packaging/installed-command.test.ts",
];

const cores = availableParallelism();

/**
 * The tests of the service wait for blocks, and four at once left a third to two thirds of two cores
 * idle. Six leave a reserve.
 */
const waiting = { maxWorkers: Math.min(12, 3 * cores), sequence: { groupOrder: 1 } };

/** For all other files. */
const afterwards = { groupOrder: 2 };

export default defineConfig({
  test: {
    projects: [
      {
        ssr,
        test: {
          ...shared,
          name: "many processes",
          include: manyProcesses,
          maxWorkers: cores,
          sequence: { groupOrder: 0 },
        },
      },
      {
        ssr,
        test: {
          ...shared,
          name: "packages",
          include: [inSharedProcesses],
          isolate: false,
          sequence: afterwards,
        },
      },
      {
        ssr,
        test: {
          ...shared,
          name: "facilitator",
          include: [ofTheService],
          exclude: [...configDefaults.exclude, ...manyProcesses],
          isolate: false,
          ...waiting,
        },
      },
      {
        ssr,
        test: {
          ...shared,
          name: "tools",
          include: ["tools/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...manyProcesses],
          isolate: false,
          sequence: afterwards,
        },
      },
    ],
    // Says at the end which tests were left out for want of a browser, a Redis, a Prometheus, a
    // PgBouncer or a Helm.
    // And gives the tests one folder for their files, which goes with them.
    globalSetup: [
      "tools/e2e/support/browser-notice.testing.ts",
      "packages/seller/src/payment-records/redis/redis-notice.testing.ts",
      "packages/facilitator/test/support/prometheus-notice.testing.ts",
      "packages/facilitator/test/support/pgbouncer-notice.testing.ts",
      "tools/e2e/packaging/helm-notice.testing.ts",
      "tools/e2e/support/temporary-folder.testing.ts",
      // Below that folder, so it comes after it.
      "tools/e2e/support/program-bundles.testing.ts",
    ],
    sequence: { sequencer: LongFilesFirst },
    // Half of a test's time is waiting, for blocks and time limits, so two files more than there are
    // cores do no harm. A third made a test of the benchmark too slow for its window.
    maxWorkers: Math.min(8, cores + 2),
    retry: 0,
  },
});
