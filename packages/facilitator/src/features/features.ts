/**
 * The features of the service: one list, in which a feature imports only earlier ones. What an
 * earlier feature needs of a later one is an argument here.
 */
import type { Address, ChainId, Network } from "@farthing/protocol";
import type { Chain, ChainView, Settle, Waiters } from "@farthing/engine";
import type { Clock, Log } from "@farthing/engine/base";
import type { PurchaseBudget } from "../payments/keyless/terms.ts";
import type { ApiKey } from "./api-keys/model.ts";
import { accountsFeature } from "./accounts/feature.ts";
import type { AccountStore } from "./accounts/store.ts";
import type { CreditStore } from "./credits/store.ts";
import { createAccounts } from "./accounts/service.ts";
import { keysFeature, type KeyFeatureDeps } from "./api-keys/feature.ts";
import { workingKeysMax } from "./api-keys/service.ts";
import { creditsFeature } from "./credits/feature.ts";
import type { Feature } from "./feature.ts";
import { historyFeature, type HistoryFeatureDeps } from "./history/feature.ts";
import { listingsFeature, type ListingFeatureDeps } from "./listings/feature.ts";
import { purchasesFeature, type PurchaseFeatureDeps } from "./purchases/feature.ts";
import { signInFeature, type SignInFeature, type SignInFeatureDeps } from "./sign-in/feature.ts";
import { createSiteAddress } from "./sign-in/site.ts";
import { walletsMax } from "./sign-in/wallets.ts";
import { webhooksFeature, type WebhookFeatureDeps } from "./webhooks/feature.ts";

/** What the features need of the service. */
export interface FeaturesDeps {
  readonly config: Parameters<typeof createSiteAddress>[0] &
    WebhookFeatureDeps["config"] &
    PurchaseFeatureDeps["config"] &
    ListingFeatureDeps["config"] & {
      readonly networks: readonly { readonly network: Network }[];
      readonly treasury: Address | undefined;
      readonly creditsPerSettlement: number;
      readonly purchaseMinUnits: bigint;
      readonly purchaseReviewAboveUnits: bigint;
    };
  readonly store: Pick<CreditStore, "findCredits" | "listCreditEntries"> &
    Pick<AccountStore, "findAccount" | "updateAccount"> &
    KeyFeatureDeps["store"] &
    SignInFeatureDeps["store"] &
    WebhookFeatureDeps["store"] &
    PurchaseFeatureDeps["store"] &
    ListingFeatureDeps["store"] &
    HistoryFeatureDeps["store"];
  readonly clock: Clock;
  readonly log: Log;
  readonly waiters: Waiters;
  readonly version: string;
  readonly settle: Settle;
  /** Requests that one account may make in a window; null for no limit. */
  readonly requestsMax: number | null;
  readonly budget: PurchaseBudget;
  authenticate(text: string): Promise<ApiKey | undefined>;
  networkOf(chainId: ChainId): { readonly chain: Chain; view(): ChainView | undefined } | undefined;
}

/** The features, and what the service tells them. */
export interface Features {
  readonly list: readonly Feature[];
  readonly guard: SignInFeature["guard"];
  /** Takes the address at which the service listens. */
  listensAt(url: string): void;
  /** Starts all background jobs; the returned function stops them. */
  start(): () => Promise<void>;
}

/** Creates the features. */
export function createFeatures(given: FeaturesDeps): Features {
  const { config, store } = given;
  const { treasury, creditsPerSettlement } = config;
  const { site, listensAt } = createSiteAddress(config);
  const deps = {
    ...given,
    site,
    treasury,
    creditsPerSettlement,
    networks: config.networks.map(({ network }) => network),
    accounts: createAccounts(store),
    findCredits: (account: Address) => store.findCredits(account),
    creditTerms: {
      minUnits: config.purchaseMinUnits,
      reviewAboveUnits: config.purchaseReviewAboveUnits,
      contact: config.contact ?? null,
    },
    limits: { requests: given.requestsMax, keys: workingKeysMax, wallets: walletsMax },
  };
  const signIn = signInFeature(deps);
  const { stepUp } = signIn;
  const list: readonly Feature[] = [
    accountsFeature(deps),
    signIn,
    webhooksFeature({ ...deps, stepUp }),
    keysFeature({ ...deps, stepUp }),
    creditsFeature(deps),
    purchasesFeature(deps),
    listingsFeature(deps),
    historyFeature(deps),
  ];
  return {
    list,
    guard: signIn.guard,
    listensAt,
    start() {
      const stops = list.flatMap(({ jobs = [] }) => jobs.map((job) => job()));
      return async () => {
        await Promise.all(stops.map((stop) => stop()));
      };
    },
  };
}
