/**
 * The order of test files. Without durations from an earlier run, Vitest starts with the largest
 * files, and a small file whose tests take a minute would run at the end beside idle cores.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files whose tests take 20 s and more where others run beside them, the longest first. */
const longFiles = [
  "tools/sim/sim",
  "tools/e2e/dashboard/screens",
  "packages/facilitator/test/crash/crash-postgres",
  "packages/facilitator/test/crash/crash-sqlite",
  "packages/seller/src/payment-records/sqlite/sqlite",
  "tools/soak/soak",
  "packages/conform/src/facilitator/facilitator",
  "tools/e2e/packaging/installed-command",
  "tools/e2e/dashboard/credits",
  "tools/demo/demo",
  "tools/e2e/packaging/chart-run",
  "packages/seller/src/adapters/fastify",
  "tools/e2e/sellers/facilitator-restart",
  "packages/facilitator/test/crash/downtime",
  "packages/facilitator/test/crash/failing-store",
  "packages/seller/src/adapters/next",
  "tools/docs/guides",
  "tools/model/replay",
  "packages/seller/src/adapters/express",
  "packages/seller/src/seller",
  "packages/seller/src/adapters/hono",
  "packages/facilitator/test/operations/doctor",
  "tools/e2e/dashboard/docs-page",
  "packages/facilitator/test/chain/ordinary-nodes",
  "packages/seller/src/adapters/node",
  "tools/e2e/sellers/every-seller-every-buyer",
  "tools/e2e/dashboard/refunds",
  "packages/facilitator/test/operations/shutdown",
  "packages/facilitator/test/chain/ordinary-endpoints",
  "packages/facilitator/test/http/refunds",
  "packages/facilitator/test/chain/rpc-requests",
  "tools/bench/history",
  "tools/docs/site",
  "packages/facilitator/test/stores/account-store",
  "tools/e2e/paywall/paywall",
  "packages/facilitator/test/operations/secrecy",
  "packages/facilitator/src/features/purchases/late-purchases",
  "tools/e2e/dashboard/settlements",
  "packages/facilitator/test/http/polling-sellers",
  "packages/facilitator/test/operations/node-metrics",
  "packages/cli/src/wallet/wallet-command",
  "packages/facilitator/test/chain/several-endpoints",
  "tools/e2e/paywall/wallets",
  "packages/facilitator/test/chain/fair-shares",
  "packages/facilitator/test/chain/unknown-contract-wallets",
  "tools/e2e/sellers/stock-repeats",
  "tools/e2e/paywall/page",
  "tools/e2e/sellers/refunds",
  "packages/seller/src/adapters/next-server",
  "packages/seller/src/payment-records/several-processes/rolling-restart",
  "tools/e2e/sellers/one-payment-one-response",
  "tools/bench/bench",
  "tools/e2e/dashboard/account",
  "packages/facilitator/test/chain/shared-wallets",
  "packages/facilitator/test/stores/statements",
  "packages/facilitator/test/chain/reorganisation",
  "packages/facilitator/test/chain/finality",
  "packages/facilitator/src/features/webhooks/webhooks",
  "packages/seller/src/payment-records/several-processes/several-processes",
  "packages/cli/src/pay/pay",
  "packages/engine/test/stores/postgres-store",
  "tools/e2e/gateway/faults",
];

const rankOf = ({ moduleId }: TestSpecification) => {
  const rank = longFiles.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return rank === -1 ? longFiles.length : rank;
};

/** Whether a file, by its path, is one of the long ones. */
export const isLongFile = (path: string) =>
  longFiles.some((name) => path.endsWith(`${name}.test.ts`));

/**
 * Starts with the long files; the others follow in Vitest's own order. Both parts go through the projects,
 * the second one backwards: a process that has loaded the modules of a project runs its next file as
 * well, and ends where the next file is another project's.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => {
      const areLong = isLongFile(one.moduleId);
      if (areLong !== isLongFile(other.moduleId)) return areLong ? -1 : 1;
      const projects = one.project.name.localeCompare(other.project.name);
      if (projects !== 0) return areLong ? projects : -projects;
      return areLong ? rankOf(one) - rankOf(other) : 0;
    });
  }
}
