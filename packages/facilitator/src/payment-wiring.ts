/** What the payment routes are given: the engine's steps, the limits, and the fee. */
import { readFileSync } from "node:fs";
import { isObject, type ChainId } from "@farthing/protocol";
import {
  gasPriceFloorWei,
  type DigestSigner,
  type NetworkState,
  type SettlementEngine,
} from "@farthing/engine";
import type { Runtime } from "@farthing/engine/base";
import type { Config } from "./config/config.ts";
import type { Metrics } from "./operations/metrics.ts";
import type { ServiceStore } from "./features/open-store.ts";
import { authenticate } from "./features/api-keys/key-text.ts";
import { createCatalogue } from "./features/listings/extension-responses.ts";
import { surfacesOf } from "./http/access/surface.ts";
import { createAttestor } from "./payments/attestation.ts";
import { createCallOnce } from "./payments/channels/call-once.ts";
import { createAuthorizer } from "./payments/channels/authorizer.ts";
import { valueAt } from "./payments/by-gas-price.ts";
import { createSmallestPayment } from "./payments/keyless/smallest-payment.ts";
import { createPresentFee, type PresentFee } from "./payments/present-fee.ts";
import { settlementCost } from "./payments/settlement-cost.ts";
import { createFeeRule, paidGasPrice } from "./payments/settlement-fee.ts";
import type { XdcPrice } from "./payments/xdc-price.ts";
import type { PaymentContext } from "./payments/context.ts";
import type { ServiceHistory } from "./payments/service-history.ts";
import { batchKeylessChecks } from "./payments/keyless/batched-checks.ts";

export interface PaymentWiring extends Runtime {
  readonly selfBuilt: boolean;
  /** False for a service that is called only from its own process, which has no limits. */
  readonly listens: boolean;
  readonly config: Config;
  readonly store: ServiceStore;
  readonly engine: SettlementEngine;
  /** Signs for channels from outside of the process. */
  readonly channelKey: DigestSigner | undefined;
  readonly metrics: Metrics;
  readonly xdcPrice: XdcPrice;
  readonly presentFee: PresentFee;
  writeProblem(): string | undefined;
  readonly history: Pick<ServiceHistory, "read">;
}

/** Creates the dependencies of the payment routes; sends no request yet. */
export function createPaymentContext(wiring: PaymentWiring): PaymentContext {
  const { selfBuilt, config, clock, log, store, engine, metrics, xdcPrice, presentFee } = wiring;
  const { channelSecret: secret } = config;
  const { networks } = engine.status();
  const areTestKeysFree = networks.some(({ network }) => network.chainId === 50);
  return {
    version: versionOf(),
    clock,
    log,
    surfaces: surfacesOf({
      selfBuilt,
      networks: networks.map(({ network }) => network),
      publicNetworks: config.publicNetworks,
      testNetworks: config.testNetworks,
      hostedAuth: config.hostedAuth,
    }),
    networks,
    limits: limitsOf(wiring),
    observer: metrics.http,
    ...engine.steps,
    // The self-built surface has no accounts, and therefore no listings.
    catalogue: createCatalogue(selfBuilt ? undefined : store),
    waiters: engine.waiters,
    channels: {
      chain: engine.channels,
      authorizer: createAuthorizer({ secret, remote: wiring.channelKey, clock, log }),
    },
    settleMarginSeconds: config.settleMarginSeconds,
    ...presentFee,
    freeCredits: config.freeCredits,
    areTestKeysFree,
    attestor: createAttestor({ ...config, clock }),
    findSettlement: engine.find,
    listRefunds: (ids) => store.listRefunds(ids),
    saleKindOf: async (id) => (await store.findBooks([id])).get(id)?.opens,
    authenticate: (text) => authenticate(store, clock, text),
    planOf: async (account) => (await store.findAccount(account))?.plan,
    pingStore: async () => store.ping(),
    writeProblem: wiring.writeProblem,
    readHistory: wiring.history.read,
    startStep() {
      const { step } = engine.status();
      return step === "chain" || step === "database" ? step : "done";
    },
    ...batchKeylessChecks({ store, clock }),
    callOnce: createCallOnce(clock),
    payForClaims: (claims) => {
      const price = { credits: presentFee.fee(), freeCredits: config.freeCredits };
      return store.payForClaims(claims, price, clock.nowMs());
    },
    returnClaimCredits: (account, credits) =>
      store.returnClaimCredits(account, credits, clock.nowMs()),
    spendReservations: store.spendReservations,
    restoreReservations: (chainId, spent) =>
      store.restoreReservations(chainId, spent, clock.nowMs()),
    gasOf: engine.estimateGas,
    costOf({ network, gasPrice }) {
      // Beside mainnet, coins of a test network are worth nothing, and its keys pay nothing.
      const isSold = network.chainId === 50 || !areTestKeysFree;
      const credits = isSold && !selfBuilt ? presentFee.fee() : 0;
      const price = isSold ? xdcPrice.now() : undefined;
      return settlementCost(gasPrice().wei, { xdcPrice: price, credits });
    },
    viewOf: engine.viewOf,
  };
}

/** Returns the limits of the surfaces; most do not apply to a service that opens no port. */
function limitsOf({ listens, config, engine, xdcPrice, clock }: PaymentWiring) {
  const { networks } = engine.status();
  const gasPriceWei = () => paidGasPrice(networks);
  const smallest = createSmallestPayment({ ...config, xdcPrice, gasPriceWei, clock });
  return {
    requestsMax: listens ? config.rateLimit : 0,
    unitsMin: () => (listens ? smallest.now() : 0n),
    unitsMinRecently: () => (listens ? smallest.recent() : 0n),
    payerCapUnits: listens ? config.payerCapUnits : null,
    payerCountMax: listens ? config.payerCountMax : null,
    keylessGasGwei: gasBudgetsOf({ config, listens, networks: () => networks }).keylessGasGwei,
    headAgeMaxSeconds: config.headAgeMaxSeconds,
  } satisfies PaymentContext["limits"];
}

/** The budgets of a day at the present gas price of a network, in gwei; null for no bound. */
export function gasBudgetsOf(deps: {
  readonly config: Pick<Config, "keylessGas" | "revertedGas">;
  readonly listens: boolean;
  networks(): readonly NetworkState[];
}) {
  const { config, listens, networks } = deps;
  const priceOf = (chainId: ChainId) =>
    networks()
      .find(({ network }) => network.chainId === chainId)
      ?.gasPrice().wei;
  const at = (setting: Config["keylessGas"], chainId: ChainId) =>
    valueAt(setting, () => priceOf(chainId) ?? gasPriceFloorWei);
  return {
    keylessGasGwei: (chainId: ChainId) => (listens ? at(config.keylessGas, chainId) : null),
    revertedGasGwei: (chainId: ChainId) => at(config.revertedGas, chainId),
  };
}

/** The fee by the settings, from the database's row. */
export function presentFeeOf(
  deps: Pick<PaymentWiring, "config" | "store" | "xdcPrice" | "clock" | "log"> & {
    networks(): readonly NetworkState[];
  },
) {
  const { config, xdcPrice, networks } = deps;
  const gasPriceWei = () => paidGasPrice(networks());
  return createPresentFee({ ...deps, rule: createFeeRule({ ...config, xdcPrice, gasPriceWei }) });
}

/** Returns the version of the package, which all packages share. */
export function versionOf(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const manifest: unknown = JSON.parse(text);
  return isObject(manifest) ? String(manifest["version"]) : "";
}
