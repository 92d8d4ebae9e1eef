/** A gateway on a market, from a configuration as an operator writes it, and an API behind it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { readConfig, silentLog, startFacilitator } from "@farthing/facilitator";
import {
  inProcessFacilitator,
  readGatewayConfig,
  startGateway,
  type Gateway,
  type GatewayOptions,
  type Log,
} from "@farthing/gateway";
import type { JsonObject } from "@farthing/protocol";
import type { Facilitator } from "@farthing/seller";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { facilitatorEnvironment, price, type Face, type Market } from "./market.testing.ts";

/** What the API heard. */
export interface Heard {
  readonly method: string;
  /** The raw target. */
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** An API that knows nothing of payments. */
export interface Api extends Listening {
  readonly heard: Heard[];
  /** Answers instead of the usual report. */
  answer: (heard: Heard, response: ServerResponse) => void;
  /** Forgets what it heard, and answers as usual again. */
  reset(): void;
}

/** Starts an API that writes down what it hears. */
export async function startApi(): Promise<Api> {
  const heard: Heard[] = [];
  const listening = await listen((request, response) => {
    void hear(request, response);
  });
  async function hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: target = "", headers } = request;
    const one = { method, target, headers, body: (await buffer(request)).toString() };
    heard.push(one);
    api.answer(one, response);
  }
  const api: Api = {
    ...listening,
    heard,
    answer: report(heard),
    reset() {
      heard.length = 0;
      api.answer = report(heard);
    },
  };
  return api;
}

/** The usual answer: which report it is. */
export function report(heard: readonly Heard[]): Api["answer"] {
  return (_, response) => {
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ report: heard.length }));
  };
}

/** What a test changes about the gateway's configuration. */
export interface GatewayChanges {
  readonly face?: Face;
  /** The engine inside, instead of the market's facilitator. */
  readonly embedded?: Facilitator;
  readonly routes?: readonly JsonObject[];
  readonly upstream?: JsonObject;
  readonly more?: JsonObject;
  readonly log?: Log;
  readonly isDryRun?: boolean;
  readonly fetchDirectory?: NonNullable<GatewayOptions["fetchDirectory"]>;
}

/** One free and two paid routes. */
export const usualRoutes: readonly JsonObject[] = [
  { match: "GET /free/:page", upstream: "api", free: true },
  { match: "GET /paid/:report", upstream: "api", price },
  { match: "POST /jobs", upstream: "api", price, settle: "before-upstream" },
];

/** A gateway under test, and the API behind it. */
export interface GatewayShop extends Gateway {
  readonly api: Api;
  /** Puts the same configuration in force with other routes. */
  reloadWith(changes: GatewayChanges): void;
}

/** Starts an API and a gateway in front of it. */
export async function openGateway(
  market: Market,
  changes: GatewayChanges = {},
): Promise<GatewayShop> {
  const api = await startApi();
  const read = (wanted: GatewayChanges) =>
    readGatewayConfig(JSON.stringify(configOf(market, api, wanted)));
  const gateway = await startGateway({
    config: read(changes),
    ...(changes.embedded ? { facilitator: changes.embedded } : {}),
    ...(changes.log ? { log: changes.log } : {}),
    isDryRun: changes.isDryRun ?? false,
    ...(changes.fetchDirectory ? { fetchDirectory: changes.fetchDirectory } : {}),
  });
  return {
    ...gateway,
    api,
    reloadWith: (wanted) => gateway.reload(read({ ...changes, ...wanted })),
    async stop() {
      await gateway.stop();
      await api.close();
    },
  };
}

/** Starts an engine for the gateway's own process, on a market without a facilitator of its own. */
export async function startEngine({ devnet, databaseUrl }: Market) {
  const config = readConfig({ env: facilitatorEnvironment(devnet, databaseUrl) });
  const engine = await startFacilitator({ config, selfBuilt: true, listen: false, log: silentLog });
  return { facilitator: inProcessFacilitator(engine), stop: engine.stop };
}

/** A configuration file's content for a market and an API. */
export function configOf(market: Market, api: Api, changes: GatewayChanges): JsonObject {
  const { face = "public", embedded, routes = usualRoutes, upstream = {}, more = {} } = changes;
  return {
    version: 1,
    publicUrl: "http://localhost:1",
    listen: { http: "127.0.0.1:0" },
    facilitator: embedded ? "embedded" : { ...market.facilitator(face) },
    network: market.network.id,
    payTo: market.devnet.seller.address,
    store: "memory",
    upstreams: { api: { url: api.url, ...upstream } },
    routes,
    ...more,
  };
}
