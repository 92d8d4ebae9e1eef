/** Purchases of credits: an account pays the treasury through the service's own engine. */
import type { Explorers } from "../../http/site/explorers.ts";
import type { SettlementEngine, Waiters } from "@farthing/engine";
import type { PurchaseBudget } from "../../payments/keyless/terms.ts";
import type { CreditTerms } from "../credits/routes.ts";
import { createPurchaseStore } from "./store.ts";
import { purchasesParticipant } from "./participant.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import { migrations } from "./migrations.ts";
import { createReadEnd } from "./authorization-end.ts";
import { createFindPurchase } from "./lost-purchases.ts";
import { createPayPurchase, type PayDeps } from "./payment.ts";
import { registerPurchases } from "./routes.ts";
import { createPurchases, type PurchaseDeps } from "./service.ts";
import { createPurchaseWorker, startPurchaseWorker, type WorkerDeps } from "./worker.ts";

export interface PurchaseFeatureDeps extends Omit<PayDeps, "marginSeconds"> {
  readonly config: { readonly settleMarginSeconds: bigint };
  readonly store: WorkerDeps["store"] & PurchaseDeps["store"] & PayDeps["store"];
  readonly waiters: Waiters;
  readonly creditTerms: CreditTerms;
  readonly budget: PurchaseBudget;
  readonly explorers: Explorers;
  readonly engine: Pick<SettlementEngine, "readAuthorizationEnd" | "refuseWhileBehind">;
}

export const purchases = {
  name: "purchases",
  participant: purchasesParticipant,
  createStore: createPurchaseStore,
  migrations,
  create,
} satisfies Feature;

function create(deps: PurchaseFeatureDeps): RunningFeature {
  const { waiters, creditTerms } = deps;
  const { minUnits, reviewAboveUnits } = creditTerms;
  const marginSeconds = deps.config.settleMarginSeconds;
  const worker = createPurchaseWorker({
    ...deps,
    reviewAboveUnits,
    readEnd: createReadEnd(deps.engine),
    // The store notifies other processes.
    onMoved: ({ id }) => waiters.notifySent([id]),
  });
  const service = createPurchases({ ...deps, minUnits });
  const payPurchase = createPayPurchase({ ...deps, marginSeconds });
  const findPurchase = createFindPurchase(deps);
  const shared = { ...deps, purchases: service, payPurchase, findPurchase };
  return {
    routes: {
      account: (server, { makeLimit }) => registerPurchases(server, { ...shared, makeLimit }),
    },
    jobs: [() => startPurchaseWorker(worker, deps)],
  };
}
