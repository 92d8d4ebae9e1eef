/**
 * Purchases, history and webhooks, wired: what the account API needs of them, and who keeps
 * purchases and deliveries going.
 */
import type { ChainId } from "@farthing/protocol";
import { startDeliveries } from "./features/webhooks/deliveries.ts";
import { createHistory } from "./features/history/service.ts";
import { createPurchases } from "./features/purchases/service.ts";
import { createWebhooks } from "./features/webhooks/service.ts";
import type { Clock } from "./base/clock.ts";
import type { Log } from "./base/log.ts";
import type { Config } from "./config.ts";
import type { AccountContext } from "./features/accounts/service.ts";
import { createGuardedPost, webhookReach } from "./http/outbound/guarded-post.ts";
import type { NetworkEngine } from "./network-engine.ts";
import { createPurchaseKeeper, startPurchaseKeeper } from "./features/purchases/worker.ts";
import { createPayPurchase } from "./features/purchases/payment.ts";
import { createReadEnd } from "./features/purchases/authorization-end.ts";
import type { Settle } from "./settlement/settle.ts";
import type { Waiters } from "./settlement/waiters.ts";
import type { Store } from "./storage/store.ts";

/** What the account API takes of it. */
export interface WiredCredits extends Pick<
  AccountContext,
  "purchases" | "payPurchase" | "history" | "webhooks" | "webhookInsecure" | "creditTerms"
> {
  /** Begins to keep purchases and deliveries going; the returned function ends that. */
  start(): () => Promise<void>;
}

/** What they work with. */
export interface CreditDeps {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly waiters: Waiters;
  readonly settle: Settle;
  readonly version: string;
  networkOf(chainId: ChainId): NetworkEngine | undefined;
}

/** Wires them. */
export function wireCredits(deps: CreditDeps): WiredCredits {
  const { config, waiters, networkOf } = deps;
  const { treasury, purchaseMinUnits: minUnits } = config;
  const reviewAboveUnits = config.purchaseReviewAboveUnits;

  const keeper = createPurchaseKeeper({
    ...deps,
    treasury,
    reviewAboveUnits,
    readEnd: createReadEnd(networkOf),
    // Other processes hear it from the store.
    onMoved: ({ id }) => waiters.notifySent([id]),
  });
  const { webhookInsecure } = config;
  const send = createGuardedPost({
    reach: webhookReach(webhookInsecure),
    extraCa: config.outboundCa,
  });
  return {
    purchases: createPurchases({ ...deps, treasury, minUnits }),
    payPurchase: createPayPurchase({
      ...deps,
      treasury,
      marginSeconds: config.settleMarginSeconds,
      networks: config.networks.map(({ network }) => network),
    }),
    history: createHistory(deps),
    creditTerms: { minUnits, reviewAboveUnits, contact: config.contact ?? null },
    webhooks: createWebhooks(deps),
    webhookInsecure,
    start() {
      const stops = [startPurchaseKeeper(keeper, deps), startDeliveries({ ...deps, send })];
      return async () => {
        await Promise.all(stops.map((stop) => stop()));
      };
    },
  };
}
