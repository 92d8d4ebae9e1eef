/**
 * Traces: one trace leads from the buyer's request through the seller or the gateway to the
 * facilitator, its transaction and its nodes. A collector that hangs costs no payment anything.
 */
import { once } from "node:events";
import { IncomingMessage, request } from "node:http";
import { createLog, readConfig, startFacilitator, type Facilitator } from "@farthing/facilitator";
import { isObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { stockBuyer } from "../support/buyers.testing.ts";
import { startCollector, type Collector, type ReceivedSpan } from "../support/collector.testing.ts";
import { openGateway } from "../support/gateway.testing.ts";
import { facilitatorEnvironment, startMarket, type Market } from "../support/market.testing.ts";
import { openExpressShop } from "../support/shops.testing.ts";

/** The packages of the SDK that are loaded, from before the first import of this file. */
const loaded = vi.hoisted(() => {
  const names: string[] = [];
  process.getBuiltinModule("node:module").registerHooks({
    resolve(name, context, next) {
      if (/@opentelemetry\/(?!api\b)/.test(name)) names.push(name);
      return next(name, context);
    },
  });
  return names;
});

const rpcSecret = "secret-of-a-provider";
const collectorSecret = "secret of the collector";

let market: Market;
let collector: Collector;
let facilitator: Facilitator | undefined;
const lines: string[] = [];

beforeAll(async () => {
  market = await startMarket({ ownFacilitator: false });
  collector = await startCollector();
});
afterEach(async () => {
  await facilitator?.stop();
  facilitator = undefined;
});
afterAll(async () => {
  await collector?.close();
  await market?.stop();
});

/** Starts the market's facilitator. */
async function start(env: Readonly<Record<string, string>>): Promise<Facilitator> {
  const { devnet, databaseUrl, tap } = market;
  const started = await startFacilitator({
    config: readConfig({
      env: {
        ...facilitatorEnvironment(devnet, databaseUrl),
        FARTHING_RPC_51: `${devnet.rpcUrl}/?key=${rpcSecret}`,
        ...env,
      },
    }),
    log: createLog("info", { write: (line) => lines.push(line) }),
  });
  facilitator = started;
  tap.upstream = started.url;
  return started;
}

const traced = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${encodeURIComponent(collectorSecret)}`,
  OTEL_SERVICE_NAME: "pay.example",
});

const traceIds = {
  seller: "0af7651916cd43dd8448eb211c80319c",
  gateway: "4bf92f3577b34da6a3ce929d0e0e4736",
};
const buyersSpan = "b7ad6b7169203331";

/** Buys once as a part of a trace; returns the payer's proofs, which belong to nobody else. */
async function buy(url: string, traceId: string): Promise<string[]> {
  const wallet = market.newBuyer();
  const headers = { traceparent: `00-${traceId}-${buyersSpan}-01`, tracestate: "buyer=1" };
  const response = await stockBuyer(market, wallet)(url, { headers });
  await response.text();
  await market.expectPaidOnce(response, wallet.address);
  return market.tap.calls.flatMap(({ request }) => signaturesIn(request));
}

function signaturesIn(text: string): string[] {
  return [...text.matchAll(/"signature":"0x([0-9a-f]+)"/gi)].map(([, signature = ""]) => signature);
}

/** The spans of a trace, and how they hang together. */
function treeOf(traceId: string) {
  const spans = collector.spans.filter((span) => span.traceId === traceId);
  const named = (name: string) => spans.filter((span) => span.name === name);
  const only = (name: string): ReceivedSpan => {
    const [span, ...others] = named(name);
    if (!span || others.length > 0) throw new Error(`There are ${named(name).length} of ${name}.`);
    return span;
  };
  const within = ({ spanId }: ReceivedSpan) =>
    spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name);
  return { spans, named, only, within };
}

/** Checks the tree of one purchase, from the request for it to the chain. */
function expectWholeTrace(traceId: string): void {
  const { only, spans, within } = treeOf(traceId);
  const [verified, settled] = [only("POST /verify"), only("POST /settle")];
  expect([verified.parentSpanId, settled.parentSpanId]).toEqual([buyersSpan, buyersSpan]);
  expect(settled.attributes).toMatchObject({
    "http.route": "/settle",
    "http.response.status_code": "200",
  });
  const settle = only("settle");
  expect(settle.parentSpanId).toBe(settled.spanId);
  // A payment that had to wait is read again before it is sent.
  expect(
    within(settle)
      .filter((name) => name !== "eth_call")
      .toSorted(),
  ).toEqual(["claim settlement", "relayer transaction", "settlement confirmation", "verify"]);
  const transaction = only("relayer transaction");
  const confirmation = only("settlement confirmation");
  expect(transaction.links).toEqual([settle.spanId]);
  expect(confirmation.links).toEqual([transaction.spanId]);
  expect(confirmation.attributes).toMatchObject({
    "x402.outcome": "confirmed",
    "x402.transaction": transaction.attributes["x402.transaction"],
    "x402.settlement_id": settle.attributes["x402.settlement_id"],
  });
  expect(within(transaction)).toEqual(["eth_sendRawTransaction"]);
  // Following the blocks belongs to no request.
  const methods = new Set(spans.flatMap(({ attributes }) => attributes["rpc.method"] ?? []));
  expect([...methods].toSorted()).toEqual(["eth_call", "eth_sendRawTransaction"]);
}

test("without a collector, nothing of OpenTelemetry's SDK is loaded", async () => {
  await (await start({})).stop();
  expect(loaded).toEqual([]);
  await (await start(traced())).stop();
  expect(loaded.join()).toContain("@opentelemetry/sdk-trace");
});

test("one trace leads from the buyer to the chain, and no secret is in it", async () => {
  const running = await start(traced());
  const shop = await openExpressShop(market, "public");
  const gateway = await openGateway(market);
  const signatures = await buy(shop.url, traceIds.seller);
  signatures.push(...(await buy(`${gateway.url}/paid/7`, traceIds.gateway)));
  // A parent that makes no sense is ignored, and the trace begins here.
  await fetch(`${running.url}/supported`, { headers: { traceparent: "00-zz-1-01" } });
  const [heard] = gateway.api.heard;
  await Promise.all([shop.close(), gateway.stop()]);
  await running.stop();

  expectWholeTrace(traceIds.seller);
  expectWholeTrace(traceIds.gateway);
  expect(heard?.headers).toMatchObject({
    traceparent: expect.stringContaining(`00-${traceIds.gateway}-`),
    tracestate: "buyer=1",
  });
  const begun = collector.spans.filter(({ name }) => name === "GET /supported");
  expect(begun).toMatchObject([{ parentSpanId: undefined }]);
  expect(begun[0]?.traceId).toMatch(/^[0-9a-f]{32}$/);

  const logged = lines.map((line): unknown => JSON.parse(line)).filter(isObject);
  expect(logged).toContainEqual(
    expect.objectContaining({ event: "settlement_queued", traceId: traceIds.seller }),
  );
  expect(logged).toContainEqual(
    expect.objectContaining({ event: "transaction_signed", traceId: traceIds.seller }),
  );

  const exported = collector.texts.join("\n").toLowerCase();
  expect(exported).toContain("pay.example");
  // The collector's own header is where it belongs, and nowhere in a body.
  const secrets = [rpcSecret, market.devnet.rpcUrl, market.apiKey, ...signatures];
  const keys = market.devnet.relayers.map(({ privateKey }) => privateKey.slice(2));
  expect(signatures.length).toBeGreaterThanOrEqual(2);
  for (const secret of [...secrets, ...keys]) expect(exported).not.toContain(secret.toLowerCase());
  const [head, ...bodies] = collector.texts.filter((_, index) => index === 0 || index % 2 === 1);
  expect(head).toContain(collectorSecret);
  expect(bodies.join("\n")).not.toContain(collectorSecret);
});

test("a request whose body arrives in pieces stays in its trace", async () => {
  const running = await start(traced());
  const shop = await openExpressShop(market, "public");
  await buy(shop.url, "be".repeat(16));
  await shop.close();
  const call = market.tap.calls.find(({ name }) => name === "POST /verify");
  if (!call) throw new Error("The shop verified no payment.");
  const status = await sendInPieces(`${running.url}/verify`, call.request, {
    authorization: `Bearer ${market.apiKey}`,
    traceparent: `00-${"bf".repeat(16)}-${buyersSpan}-01`,
  });
  await running.stop();
  expect(status).toBe(200);
  const { only, within } = treeOf("bf".repeat(16));
  expect(within(only("POST /verify"))).toEqual(["verify"]);
});

/** Sends the second half of a JSON body once the service has responded to another request. */
async function sendInPieces(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  const sent = request(url, {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    },
  });
  const responded = once(sent, "response");
  const half = Math.floor(body.length / 2);
  await new Promise((resolve) => sent.write(body.slice(0, half), resolve));
  await fetch(new URL("/supported", url)).then((response) => response.text());
  sent.end(body.slice(half));
  const [response] = await responded;
  if (!(response instanceof IncomingMessage)) throw new Error("There was no response.");
  response.resume();
  return response.statusCode;
}

test("a collector that hangs costs no payment anything, and the service stops", async () => {
  collector.hangs = true;
  lines.length = 0;
  const before = collector.texts.length;
  const running = await start(traced());
  const shop = await openExpressShop(market, "public");
  await buy(shop.url, "af".repeat(16));
  await shop.close();
  await running.stop();
  expect(collector.texts.length).toBeGreaterThan(before);
  expect(collector.spans.filter(({ traceId }) => traceId === "af".repeat(16))).toEqual([]);
});
