/**
 * The features of the service in one list; each imports only earlier ones. What an earlier feature
 * needs of a later one is an argument here.
 */
import type { Address, Network } from "@farthing/protocol";
import type { Settle, SettlementEngine, Verifier, Waiters } from "@farthing/engine";
import type { Runtime } from "@farthing/engine/base";
import type { Database, EngineStore, Migrations } from "@farthing/engine/storage";
import type { RefundContext } from "../payments/refunds.ts";
import type { PresentFee } from "../payments/present-fee.ts";
import type { PurchaseBudget } from "../payments/keyless/terms.ts";
import type { ApiKey } from "./api-keys/model.ts";
import { accounts } from "./accounts/feature.ts";
import { createAccounts } from "./accounts/service.ts";
import { apiKeys } from "./api-keys/feature.ts";
import { workingKeysMax } from "./api-keys/service.ts";
import { books } from "./books/feature.ts";
import { channels, type ChannelFeatureDeps } from "./channels/feature.ts";
import { credits } from "./credits/feature.ts";
import { email, type EmailFeatureDeps } from "./email/feature.ts";
import type { Feature } from "./feature.ts";
import { history } from "./history/feature.ts";
import { members } from "./members/feature.ts";
import { listings, type ListingFeatureDeps } from "./listings/feature.ts";
import { paidKeys } from "./paid-keys/feature.ts";
import { purchases, type PurchaseFeatureDeps } from "./purchases/feature.ts";
import { refunds } from "./refunds/feature.ts";
import { requestLog } from "./request-log/feature.ts";
import { revenue } from "./revenue/feature.ts";
import { signIn } from "./sign-in/feature.ts";
import type { SiteAddress } from "../http/site/site.ts";
import { statusHistory } from "./status-history/feature.ts";
import { walletsMax } from "./sign-in/wallets.ts";
import { webhooks, type WebhookFeatureDeps } from "./webhooks/feature.ts";

export const features = [
  accounts,
  signIn,
  members,
  books,
  webhooks,
  email,
  apiKeys,
  credits,
  purchases,
  paidKeys,
  listings,
  history,
  refunds,
  revenue,
  requestLog,
  channels,
  statusHistory,
] as const satisfies readonly Feature[];

type StoreOf<F> = F extends { readonly createStore: (database: Database) => infer Store }
  ? (store: Store) => void
  : never;

export type FeatureStores =
  StoreOf<(typeof features)[number]> extends (store: infer Stores) => void ? Stores : never;

export function createFeatureStores(database: Database): FeatureStores {
  const stores = features.map(({ createStore }: Feature) => createStore?.(database));
  return Object.assign({}, ...stores);
}

export function migrationsOf(list: readonly Feature[]): Migrations {
  return Object.fromEntries(
    list.flatMap(({ name, migrations = {} }) =>
      Object.entries(migrations).map(([step, up]) => [`${name}/${step}`, up]),
    ),
  );
}

export const featureTags = features.flatMap(({ tags = [] }: Feature) => tags);

export interface FeaturesDeps extends Runtime, PresentFee {
  readonly config: WebhookFeatureDeps["config"] &
    EmailFeatureDeps["config"] &
    PurchaseFeatureDeps["config"] &
    ListingFeatureDeps["config"] & {
      readonly networks: readonly {
        readonly network: Network;
        readonly explorerUrl: string | undefined;
      }[];
      readonly treasury: Address | undefined;
      readonly freeCredits: number;
      readonly purchaseMinUnits: bigint;
      readonly purchaseReviewAboveUnits: bigint;
    };
  readonly store: FeatureStores &
    Pick<EngineStore, "findSettlement" | "findSettlementsByKey" | "listRefunds">;
  readonly site: SiteAddress["site"];
  readonly waiters: Waiters;
  readonly version: string;
  readonly settle: Settle;
  readonly verifier: Pick<Verifier, "verify" | "checkSignature">;
  /** Requests of one account in a window; null for no limit. */
  readonly requestsMax: number | null;
  readonly budget: PurchaseBudget;
  readonly channels: ChannelFeatureDeps["channels"];
  readonly payments: RefundContext;
  readonly metrics: EmailFeatureDeps["metrics"];
  authenticate(text: string): Promise<ApiKey | undefined>;
  readonly engine: SettlementEngine;
}

export type Features = ReturnType<typeof createFeatures>;

export function createFeatures(wiring: FeaturesDeps) {
  const { config, store } = wiring;
  const { treasury, freeCredits } = config;
  const deps = {
    ...wiring,
    treasury,
    freeCredits,
    networks: config.networks.map(({ network }) => network),
    explorers: new Map(
      config.networks.flatMap(({ network: { chainId }, explorerUrl }) =>
        explorerUrl === undefined ? [] : [[chainId, explorerUrl] as const],
      ),
    ),
    accounts: createAccounts(store),
    findCredits: (account: Address) => store.findCredits(account),
    creditTerms: {
      minUnits: config.purchaseMinUnits,
      reviewAboveUnits: config.purchaseReviewAboveUnits,
      contact: config.contact ?? null,
    },
    limits: { requests: wiring.requestsMax, keys: workingKeysMax, wallets: walletsMax },
  };
  const actions = features.flatMap(({ stepUps = [] }: Feature) => stepUps);
  const session = signIn.create({ ...deps, actions });
  const all = { ...deps, actions, stepUp: session.stepUp };
  const list = features.map((feature) => (feature === signIn ? session : feature.create(all)));
  return {
    list,
    guard: session.guard,
    callObservers: list.flatMap(({ observe = [] }) => observe),
    /** Starts all background jobs; returns a function that stops them. */
    start() {
      const stops = list.flatMap(({ jobs = [] }) => jobs.map((job) => job()));
      return async () => {
        await Promise.all(stops.map((stop) => stop()));
      };
    },
  };
}
