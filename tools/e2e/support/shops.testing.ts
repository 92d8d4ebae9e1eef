/** Sellers of one report: on each adapter of ours, and on the stock middleware. */
import { farthing as expressFarthing } from "@farthing/seller/express";
import { farthing as fastifyFarthing } from "@farthing/seller/fastify";
import { farthing as honoFarthing } from "@farthing/seller/hono";
import { farthing as nextFarthing } from "@farthing/seller/next";
import { farthing as nodeFarthing } from "@farthing/seller/node";
import type { SellerOptions } from "@farthing/seller";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { listen, listenAt, listenFetch, type Listening } from "@farthing/seller/testing/listen";
import { price, termsOn, type Face, type Market } from "./market.testing.ts";

/** A seller that is open. */
export interface Shop {
  /** Of the report. */
  readonly url: string;
  /** How many reports were made; each has its number in it. */
  readonly made: () => number;
  close(): Promise<void>;
}

/** What a test changes about a shop of ours. */
export type ShopOptions = Partial<SellerOptions>;

/** Opens a shop. */
export type OpenShop = (market: Market, face: Face, options?: ShopOptions) => Promise<Shop>;

function termsOf(market: Market, face: Face, options: ShopOptions): SellerOptions {
  return {
    ...termsOn(market, face),
    description: "One report",
    mimeType: "application/json",
    ...options,
  };
}

function shopOf(listening: Listening, made: () => number): Shop {
  return { url: `${listening.url}/report`, made, close: listening.close };
}

/** A shop on our Express middleware. */
export const openExpressShop: OpenShop = async (market, face, options = {}) => {
  let reports = 0;
  const listening = await listenAt((publicUrl) => {
    const charge = expressFarthing({ ...termsOf(market, face, options), publicUrl });
    const app = express();
    return app.all("/:any", charge(), (_req, res) => void res.json({ report: ++reports }));
  });
  return shopOf(listening, () => reports);
};

/** A shop on our Hono middleware. */
export const openHonoShop: OpenShop = async (market, face, options = {}) => {
  let reports = 0;
  const charge = honoFarthing(termsOf(market, face, options));
  const app = new Hono();
  app.all("/:any", charge(), (c) => c.json({ report: ++reports }));
  return shopOf(await listenFetch(app.fetch), () => reports);
};

/** A shop on our Fastify hook. */
export const openFastifyShop: OpenShop = async (market, face, options = {}) => {
  let reports = 0;
  const charge = fastifyFarthing(termsOf(market, face, options));
  const app = fastify();
  app.get("/report", { onRequest: charge() }, async () => ({ report: ++reports }));
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return shopOf({ url, close: () => app.close() }, () => reports);
};

/** A shop on a server of node:http. */
export const openNodeShop: OpenShop = async (market, face, options = {}) => {
  let reports = 0;
  const charge = nodeFarthing(termsOf(market, face, options));
  const report = charge({}, (_req, res) => {
    res.setHeader("Content-Type", "application/json");
    res.end(JSON.stringify({ report: ++reports }));
  });
  return shopOf(await listen(report), () => reports);
};

/** A shop on a route handler as Next.js has it, without Next.js around it. */
export const openNextShop: OpenShop = async (market, face, options = {}) => {
  let reports = 0;
  const charge = nextFarthing(termsOf(market, face, options));
  const report = charge({}, () => Response.json({ report: ++reports }));
  return shopOf(await listenFetch((request) => report(request, undefined)), () => reports);
};

/** How a stock seller asks for its price. */
export interface StockTerms {
  /** `upfront` settles before the work; left out, the stock default: after it. */
  readonly flow?: "upfront";
}

/** A shop on the stock Express middleware, as its documentation shows it. */
export async function openStockShop(
  market: Pick<Market, "devnet" | "network" | "facilitator">,
  face: Face,
  { flow }: StockTerms = {},
): Promise<Shop> {
  let reports = 0;
  const { devnet, network } = market;
  const { url, apiKey } = market.facilitator(face);
  const headers = { Authorization: `Bearer ${apiKey}` };
  const facilitator = new HTTPFacilitatorClient({
    url,
    ...(apiKey === undefined
      ? {}
      : { createAuthHeaders: async () => ({ verify: headers, settle: headers }) }),
  });
  const server = new x402ResourceServer(facilitator).register(network.id, new ExactEvmScheme());
  const extra = flow === undefined ? {} : { extra: { paymentFlow: flow } };
  const accepts = {
    scheme: "exact",
    network: network.id,
    payTo: devnet.seller.address,
    // No address of a token: the stock table knows USDC on both networks.
    price: `$${price}`,
    ...extra,
  };
  const app = express();
  app.use(paymentMiddleware({ "GET /report": { accepts, description: "One report" } }, server));
  app.get("/report", (_req, res) => void res.json({ report: ++reports }));
  return shopOf(await listen(app), () => reports);
}
