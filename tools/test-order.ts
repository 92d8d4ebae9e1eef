/**
 * The order of test files. Without durations from an earlier run, Vitest starts with the largest
 * files, and a small file whose tests take a minute would run at the end beside idle cores.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files whose tests take 20 s and more where others run beside them, the longest first. */
const longFiles = [
  "tools/sim/sim",
  "packages/conform/src/facilitator/facilitator",
  "packages/facilitator/test/crash/crash-postgres",
  "tools/bench/requests/requests",
  "tools/docs/site",
  "tools/e2e/buyers/dead-facilitator",
  "tools/e2e/dashboard/screens",
  "tools/demo/demo",
  "packages/facilitator/test/crash/crash-sqlite",
  "tools/docs/guides",
  "tools/model/replay",
  "packages/facilitator/test/chain/lost-commits",
  "tools/e2e/dashboard/credits",
  "tools/bench/history",
  "packages/facilitator/test/stores/account-store",
  "tools/e2e/examples/examples",
  "packages/facilitator/test/chain/fair-shares",
  "packages/facilitator/test/operations/write-watch",
  "tools/sim/channels/channels",
  "packages/conform/src/seller/seller",
  "packages/facilitator/test/crash/failing-store",
  "tools/e2e/dashboard/docs-page",
  "packages/facilitator/test/operations/doctor",
  "packages/facilitator/test/chain/unknown-contract-wallets",
  "packages/engine/test/stores/postgres-store",
  "packages/facilitator/test/chain/ordinary-nodes",
  "packages/facilitator/test/chain/ordinary-endpoints",
  "packages/facilitator/test/crash/downtime",
  "tools/e2e/sellers/refunds",
  "packages/cli/src/wallet/wallet-command",
  "tools/e2e/sellers/facilitator-restart",
  "tools/e2e/sellers/every-seller-every-buyer",
  "packages/cli/src/account/account",
  "packages/facilitator/test/chain/several-endpoints",
  "packages/seller/src/payment-records/several-processes/rolling-restart",
  "packages/facilitator/test/chain/rpc-requests",
  "packages/facilitator/test/operations/shutdown",
  "packages/facilitator/test/stores/statements",
  "packages/seller/src/payment-records/several-processes/several-processes",
  "tools/e2e/channels/gateway-channels",
  "packages/facilitator/test/http/exchanges",
  "packages/facilitator/src/features/channels/account-channels",
  "packages/facilitator/src/features/credits/credits",
  "packages/cli/src/ledger/ledger",
  "tools/e2e/dashboard/refunds",
  "tools/e2e/paywall/paywall",
  "tools/model/model",
  "packages/cli/src/pay/pay",
  "packages/facilitator/test/operations/secrecy",
  "packages/facilitator/test/http/refunds",
  "packages/facilitator/test/chain/shared-wallets",
  "tools/e2e/dashboard/account",
  "packages/seller/src/payment-records/several-processes/channels",
  "packages/facilitator/test/chain/reorganisation",
  "packages/seller/src/payment-records/several-processes/shared-stores",
  "tools/e2e/dashboard/integrate",
  "packages/facilitator/src/features/purchases/late-purchases",
  "packages/facilitator/test/chain/watched-failures",
  "packages/facilitator/test/chain/stuck-transactions",
  "packages/operator/src/relayer",
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
