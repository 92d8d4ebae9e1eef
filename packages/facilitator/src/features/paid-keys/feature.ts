/** API keys that are sold with credits to callers without a browser. */
import type { VerifyOptions } from "@farthing/engine";
import type { Feature, RunningFeature } from "../feature.ts";
import { createPayPurchase } from "../purchases/payment.ts";
import type { PurchaseFeatureDeps } from "../purchases/feature.ts";
import { createPurchases } from "../purchases/service.ts";
import { registerPaidKeys, type PaidKeyRouteDeps } from "./routes.ts";
import { createSellKey, type PaidKeyDeps } from "./service.ts";
import { createPaidKeyStore } from "./store.ts";

export interface PaidKeyFeatureDeps
  extends
    Omit<PurchaseFeatureDeps, "store">,
    Omit<PaidKeyDeps, "verifyOptions" | "purchases" | "payPurchase" | "waiters">,
    Pick<PaidKeyRouteDeps, "site"> {
  readonly store: PurchaseFeatureDeps["store"] & PaidKeyDeps["store"];
}

export const paidKeys = {
  name: "paid-keys",
  createStore: createPaidKeyStore,
  create,
} satisfies Feature;

function create(deps: PaidKeyFeatureDeps): RunningFeature {
  const marginSeconds = deps.config.settleMarginSeconds;
  const verifyOptions: VerifyOptions = {
    served: (version, network) => version === 2 && deps.networks.includes(network),
    marginSeconds,
    unitsMin: 0n,
  };
  const purchases = createPurchases({ ...deps, minUnits: deps.creditTerms.minUnits });
  const payPurchase = createPayPurchase({ ...deps, marginSeconds });
  const sellKey = createSellKey({ ...deps, verifyOptions, purchases, payPurchase });
  return {
    routes: {
      keyed: (server, { makeLimit }) => registerPaidKeys(server, { ...deps, sellKey, makeLimit }),
    },
  };
}
