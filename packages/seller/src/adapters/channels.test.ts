/** Every adapter sells by channels: the handler learns of the channel, and the cost is charged. */
import { apothem, headerNames, readReceipt } from "@farthing/protocol";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import { NextRequest } from "next/server.js";
import { expect, onTestFinished, test } from "vitest";
import {
  authorizerKey,
  callUnits,
  challengeOf,
  channelId,
  chargedBy,
  createChannelChain,
  headerOf,
  type Sent,
} from "../channels/channel-shop.testing.ts";
import type { AdaptedSeller } from "../check-seller.ts";
import type { PaidRequest } from "../events.ts";
import { createMemoryGrants } from "../index.ts";
import { payTo } from "../scene.testing.ts";
import { farthing as onExpress } from "./express.ts";
import { farthing as onFastify } from "./fastify.ts";
import { farthing as onHono, type PaidEnvironment } from "./hono.ts";
import { listen, listenFetch, type Listening } from "./listen.testing.ts";
import { farthing as onNext } from "./next.ts";
import { farthing as onNode } from "./node.ts";

const route = {
  price: callUnits,
  channel: true,
  cost: ({ headers }: Response) => headers.get("X-Cost"),
};

const headers = { "X-Cost": "0.0004", "Content-Type": "application/json" };

const bodyOf = (payment: PaidRequest | undefined) => JSON.stringify(payment?.channel ?? null);

function optionsOf({ facilitator }: ReturnType<typeof createChannelChain>) {
  return {
    facilitator,
    payTo,
    network: apothem.id,
    channels: { authorizerKey },
    grants: createMemoryGrants(),
    onEvent: () => undefined,
  };
}

type Options = ReturnType<typeof optionsOf>;
type Shop = (options: Options) => Promise<{ at: Listening; seller: AdaptedSeller }>;

const shops: Readonly<Record<string, Shop>> = {
  async node(options) {
    const seller = onNode(options);
    const listener = seller(route, (_req, res, payment) => {
      res.writeHead(200, headers).end(bodyOf(payment));
    });
    return { at: await listen(listener), seller };
  },
  async express(options) {
    const seller = onExpress(options);
    const app = express();
    app.get("/", seller(route), (req, res) => void res.set(headers).send(bodyOf(req.payment)));
    return { at: await listen(app), seller };
  },
  async fastify(options) {
    const seller = onFastify(options);
    const web = fastify();
    web.get("/", { onRequest: seller(route) }, async (request, reply) =>
      reply.headers(headers).send(bodyOf(request.payment)),
    );
    const url = await web.listen({ host: "127.0.0.1", port: 0 });
    return { at: { url, close: () => web.close() }, seller };
  },
  async hono(options) {
    const seller = onHono(options);
    const app = new Hono<PaidEnvironment>();
    app.get("/", seller(route), (c) => c.body(bodyOf(c.get("payment")), { headers }));
    return { at: await listenFetch((request) => app.fetch(request)), seller };
  },
  async next(options) {
    const seller = onNext(options);
    const handler = seller(
      route,
      (_request: NextRequest, _context: object, payment) =>
        new Response(bodyOf(payment), { headers }),
    );
    const at = await listenFetch((request) => handler(new NextRequest(request.url, request), {}));
    return { at, seller };
  },
};

test.each(Object.entries(shops))("%s", async (_name, open) => {
  const chain = createChannelChain();
  const { at, seller } = await open(optionsOf(chain));
  onTestFinished(() => at.close());
  const pay = (sent: Sent) =>
    fetch(at.url, {
      headers: { [headerNames.paymentSignature]: headerOf(sent), Connection: "close" },
    });
  expect(challengeOf(await fetch(at.url)).extra).toMatchObject({ withdrawDelay: 86_400 });
  const first = await pay({ type: "deposit", total: 1_000n });
  expect(await first.json()).toEqual({ id: channelId, total: "0" });
  expect(first.headers.get("X-Cost")).toBeNull();
  expect(chargedBy(first)).toEqual(["400", "400"]);
  const second = await pay({ total: 1_400n });
  expect(await second.json()).toEqual({ id: channelId, total: "400" });
  expect(chargedBy(second)).toEqual(["400", "800"]);
  const refused = await pay({ total: 1_400n });
  expect(challengeOf(refused).extra).toMatchObject({
    channelState: { chargedCumulativeAmount: "800" },
  });
  const { claims } = await seller.channels.claim();
  expect(claims).toMatchObject([{ outcome: "done", units: 800n }]);
  const refund = await pay({ type: "refund", total: 800n });
  expect(readReceipt(refund.headers)).toMatchObject({ success: true, amount: "9200" });
});
