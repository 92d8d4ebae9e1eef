/** What the routes work with, wired over the store and the networks; nothing is asked yet. */
import { readFileSync } from "node:fs";
import { isObject, type ChainId } from "@farthing/protocol";
import { authenticate } from "./features/api-keys/key-text.ts";
import {
  type Admit,
  type Claim,
  createAdmission,
  createExchanges,
  createRefuseIdentifier,
  createRefuseUsed,
  createSettle,
  createVerifier,
  type NetworkEngine,
  type Pair,
  type RefuseIdentifier,
  type RefuseUsed,
  type SettleDeps,
  type Settlement,
  type Verifier,
  type Waiters,
} from "@farthing/engine";
import { type Clock, createBatcher, type Log, messageOf } from "@farthing/engine/base";
import type { ClaimResult } from "@farthing/engine/storage";
import type { Config } from "./config/config.ts";
import type { StartStep } from "./http/server.ts";
import type { PaymentContext } from "./payments/context.ts";
import { surfacesOf } from "./http/surface.ts";
import { createCatalogue } from "./features/listings/extension-responses.ts";
import type { Metrics } from "./operations/metrics.ts";
import type { ServiceStore } from "./features/open-store.ts";
import { wireKeyless } from "./wire-keyless.ts";

/** Claims of one transaction, and claims that may wait for one. */
const claimsMax = 200;
const claimsWaitingMax = 10_000;

/** What it is wired over. */
export interface HttpWiring {
  readonly selfBuilt: boolean;
  /** Whether callers come through a socket; those from within the process have no limits. */
  readonly listens: boolean;
  /** What the start still has to do. */
  startStep(): StartStep;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: ServiceStore;
  readonly waiters: Waiters;
  readonly engines: ReadonlyMap<ChainId, NetworkEngine>;
  readonly metrics: Metrics;
}

/** Wires it. */
export function wireHttp(wiring: HttpWiring): PaymentContext {
  const { selfBuilt, config, clock, log, store, waiters, engines, metrics } = wiring;
  const networks = config.networks.map(({ network }) => network);
  const findByPair = createBatcher<Pair, Settlement | undefined>({
    run: (pairs) => store.findSettlementsByPair(pairs),
    itemsMax: claimsMax,
    inFlightMax: 1,
    waitingMax: claimsWaitingMax,
  });
  const networkOf = (chainId: ChainId) => engines.get(chainId);
  const viewOf = (chainId: ChainId) => engines.get(chainId)?.view();
  const refuseUsed = createRefuseUsed({ clock, networkOf });
  const { revertedGasOf, ...keyless } = wireKeyless({ config, store, clock, viewOf });
  const admit = createAdmission({ clock, store, networkOf, revertedGasOf });
  const exchanges = createExchanges({ store, clock, log, policy: config.repeatAfterSuccess });
  const refuseIdentifier = createRefuseIdentifier({ store, clock });
  const verifier = createVerifier({
    clock,
    findByPair,
    openExchange: exchanges.open,
    refuseUsed,
    chainOf: networkOf,
  });
  return {
    version: versionOf(),
    clock,
    log,
    surfaces: surfacesOf({
      selfBuilt,
      networks,
      publicNetworks: config.publicNetworks,
      hostedAuth: config.hostedAuth,
    }),
    networks: [...engines.values()].map(({ chain, relayer, view }) => ({
      network: chain.network,
      relayers: relayer.addresses,
      view,
      load: relayer.load,
      endpointLimits: () => chain.limits(),
    })),
    limits: limitsOf(wiring),
    observer: metrics.http,
    verifier,
    settle: settleOf({
      ...wiring,
      admit,
      revertedGasOf,
      verifier,
      findByPair,
      refuseUsed,
      refuseIdentifier,
    }),
    admit,
    refuseIdentifier,
    // The self-built face has no accounts, and with that no listings.
    catalogue: createCatalogue(selfBuilt ? undefined : store),
    waiters,
    settleMarginSeconds: config.settleMarginSeconds,
    creditsPerSettlement: config.creditsPerSettlement,
    exchanges,
    findSettlement: (id) => store.findSettlement(id),
    authenticate: (text) => authenticate(store, clock, text),
    planOf: async (account) => (await store.findAccount(account))?.plan,
    pingStore: () => store.ping(),
    startStep: wiring.startStep,
    ...keyless,
    viewOf,
  };
}

/** The limits of the surfaces; a service inside another process has that one's callers only. */
function limitsOf({ listens, config }: HttpWiring): PaymentContext["limits"] {
  return {
    requestsMax: listens ? config.rateLimit : 0,
    unitsMin: listens ? config.minAmountUnits : 0n,
    payerCapUnits: listens ? config.payerCapUnits : null,
    payerCountMax: listens ? config.payerCountMax : null,
    keylessGasGwei: listens ? config.keylessGasGwei : null,
    headAgeMaxSeconds: config.headAgeMaxSeconds,
  };
}

function settleOf(
  wiring: Pick<HttpWiring, "clock" | "log" | "store" | "waiters" | "engines"> & {
    admit: Admit;
    revertedGasOf: SettleDeps["revertedGasOf"];
    verifier: Verifier;
    refuseUsed: RefuseUsed;
    refuseIdentifier: RefuseIdentifier;
    findByPair(pair: Pair): Promise<Settlement | undefined>;
  },
) {
  const { clock, log, store, engines } = wiring;
  const announceUnserved = createBatcher<string, undefined>({
    async run(ids) {
      await store.announceUnserved(ids);
      return ids.map(() => undefined);
    },
    itemsMax: claimsMax,
    inFlightMax: 1,
    waitingMax: claimsWaitingMax,
  });
  return createSettle({
    ...wiring,
    claim: createBatcher<Claim, ClaimResult>({
      run: (claims) => store.claimSettlements(claims, clock.nowMs()),
      itemsMax: claimsMax,
      inFlightMax: 1,
      waitingMax: claimsWaitingMax,
    }),
    findSettlement: (id) => store.findSettlement(id),
    networkOf: (chainId) => engines.get(chainId),
    tellUnserved: ({ id: settlementId }) => {
      // Others find it by themselves, only later.
      announceUnserved(settlementId).catch((error: unknown) => {
        log.warn({ settlementId, problem: messageOf(error) }, "Could not tell others of a claim");
      });
    },
  });
}

/** The version of the package, which all packages share. */
export function versionOf(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const manifest: unknown = JSON.parse(text);
  return isObject(manifest) ? String(manifest["version"]) : "";
}
