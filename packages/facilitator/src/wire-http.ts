/** What the routes work with, wired over the store and the engine; nothing is asked yet. */
import { readFileSync } from "node:fs";
import { isObject } from "@farthing/protocol";
import type { SettlementEngine } from "@farthing/engine";
import type { Clock, Log } from "@farthing/engine/base";
import { authenticate } from "./features/api-keys/key-text.ts";
import type { Config } from "./config/config.ts";
import type { PaymentContext } from "./payments/context.ts";
import { surfacesOf } from "./http/surface.ts";
import { createCatalogue } from "./features/listings/extension-responses.ts";
import type { Metrics } from "./operations/metrics.ts";
import type { ServiceStore } from "./features/open-store.ts";
import { wireKeyless } from "./wire-keyless.ts";

/** What it is wired over. */
export interface HttpWiring {
  readonly selfBuilt: boolean;
  /** Whether callers come through a socket; those from within the process have no limits. */
  readonly listens: boolean;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: ServiceStore;
  readonly engine: SettlementEngine;
  readonly metrics: Metrics;
}

/** Wires it. */
export function wireHttp(wiring: HttpWiring): PaymentContext {
  const { selfBuilt, config, clock, log, store, engine, metrics } = wiring;
  const { networks } = engine.status();
  return {
    version: versionOf(),
    clock,
    log,
    surfaces: surfacesOf({
      selfBuilt,
      networks: networks.map(({ network }) => network),
      publicNetworks: config.publicNetworks,
      hostedAuth: config.hostedAuth,
    }),
    networks,
    limits: limitsOf(wiring),
    observer: metrics.http,
    ...engine.steps,
    // The self-built face has no accounts, and with that no listings.
    catalogue: createCatalogue(selfBuilt ? undefined : store),
    waiters: engine.waiters,
    settleMarginSeconds: config.settleMarginSeconds,
    creditsPerSettlement: config.creditsPerSettlement,
    findSettlement: engine.find,
    authenticate: (text) => authenticate(store, clock, text),
    planOf: async (account) => (await store.findAccount(account))?.plan,
    pingStore: () => store.ping(),
    startStep() {
      const { step } = engine.status();
      return step === "chain" || step === "database" ? step : "done";
    },
    ...wireKeyless({ store, clock }),
    gasOf: engine.estimateGas,
    viewOf: engine.viewOf,
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

/** The version of the package, which all packages share. */
export function versionOf(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const manifest: unknown = JSON.parse(text);
  return isObject(manifest) ? String(manifest["version"]) : "";
}
