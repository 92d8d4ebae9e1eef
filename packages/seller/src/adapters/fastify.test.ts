/** The Fastify adapter: the promises of a seller, and what only Fastify can get wrong. */
import { Readable } from "node:stream";
import { defined, readReceipt } from "@farthing/protocol";
import { fastify, type FastifyInstance, type RouteHandlerMethod } from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { payFor } from "../buyer.testing.ts";
import { farthing } from "./fastify.ts";
import { rawRequest, sendRaw } from "./listen.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";
import { payTo } from "../scene.testing.ts";
import { sellerSuite } from "../seller.suite.ts";

async function listen(web: FastifyInstance) {
  const url = await web.listen({ host: "127.0.0.1", port: 0 });
  return {
    url,
    async close() {
      web.server.closeAllConnections();
      await web.close();
    },
  };
}

sellerSuite("fastify", (options, route, app) => {
  const web = fastify();
  web.removeAllContentTypeParsers();
  web.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  web.all("/*", { onRequest: farthing(options)(route) }, async (request, reply) => {
    if (!request.payment) throw new Error("No payment.");
    const text = typeof request.body === "string" ? request.body : "";
    const answer = await app({ body: text, payment: request.payment });
    const { status = 200, headers = {}, body = "" } = answer;
    return reply.code(status).headers(headers).send(body);
  });
  return listen(web);
});

let facilitator: ScriptedFacilitator;
let web: FastifyInstance;
beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
  web = fastify();
});
afterEach(async () => {
  web.server.closeAllConnections();
  await web.close();
  await facilitator.close();
});

const charge = (publicUrl?: string) =>
  farthing({
    ...defined({ publicUrl }),
    facilitator: { url: facilitator.url },
    payTo,
    price: "0.01",
    onEvent: () => undefined,
  })();

const start = async () => `${(await listen(web)).url}/report`;

const wholeOrPart: RouteHandlerMethod = async ({ headers }) => headers.range ?? "all";

describe("fastify: every way to answer is caught and kept", () => {
  const ways: [string, RouteHandlerMethod, string][] = [
    ["an object", async () => ({ a: 1 }), '{"a":1}'],
    ["a text", async () => "text", "text"],
    ["reply.send", (_request, reply) => void reply.send(Buffer.from("sent")), "sent"],
    ["a stream", (_request, reply) => reply.send(Readable.from(["a", "b"])), "ab"],
    ["a Response", async () => new Response("web"), "web"],
    [
      "a hijacked reply",
      (_request, reply) => {
        reply.hijack();
        reply.raw.writeHead(200, { "X-Raw": "1" }).end("raw");
      },
      "raw",
    ],
  ];
  test.each(ways)("%s", async (_way, handler, expected) => {
    web.get("/report", { onRequest: charge() }, handler);
    const url = await start();
    const headers = await payFor(url);
    for (const isReplay of [null, "true"]) {
      const response = await fetch(url, { headers });
      expect([response.status, await response.text()]).toEqual([200, expected]);
      expect(response.headers.get("X-Payment-Replayed")).toBe(isReplay);
      expect(readReceipt(response.headers)?.success).toBe(true);
    }
  });

  // With an address of its own a seller writes most challenges without the Fetch API.
  test.each([undefined, "https://api.example.com"])(
    "headers of hooks before the charge stay, on the challenge too: public address %s",
    async (publicUrl) => {
      web.addHook("onRequest", async (_request, reply) => {
        reply.header("Vary", "Origin").header("Access-Control-Allow-Origin", "https://app.example");
      });
      web.get("/report", { onRequest: charge(publicUrl) }, async () => "it");
      const url = await start();
      const unpaid = await fetch(url);
      const paid = await fetch(url, { headers: await payFor(url) });
      for (const { headers } of [unpaid, paid]) {
        expect(headers.get("Vary")).toMatch(
          /^Origin, (Accept, Accept-Language, Cookie, )?PAYMENT-SIGNATURE, X-PAYMENT$/,
        );
        expect(headers.get("Access-Control-Allow-Origin")).toBe("https://app.example");
      }
    },
  );

  test("hooks after the answer run once for each request", async () => {
    const statuses: number[] = [];
    web.addHook("onResponse", async (_request, reply) => void statuses.push(reply.raw.statusCode));
    web.get("/report", { onRequest: charge() }, async () => "it");
    const url = await start();
    const headers = await payFor(url);
    for (let time = 0; time < 2; time++) await (await fetch(url, { headers })).text();
    expect(statuses).toEqual([402, 200, 200]);
  });

  test("the handler is asked for all of it", async () => {
    web.get("/report", { onRequest: charge() }, wholeOrPart);
    const url = await start();
    const headers = { ...(await payFor(url)), Range: "bytes=0-1" };
    expect(await (await fetch(url, { headers })).text()).toBe("all");
  });
});

describe("fastify: the body binds the payment", () => {
  test.each(["onRequest", "preHandler"] as const)("in %s", async (hook) => {
    web.post("/report", { [hook]: charge() }, async ({ body }) => ({ got: body }));
    const url = await start();
    const post = (body: string, headers: Record<string, string> = {}) =>
      fetch(url, {
        method: "POST",
        body,
        headers: { "Content-Type": "application/json", ...headers },
      });
    const headers = await payFor(url, {
      method: "POST",
      body: "{}",
      headers: { "Content-Type": "application/json" },
    });
    const response = await post('{"a":1}', headers);
    expect([response.status, await response.json()]).toEqual([200, { got: { a: 1 } }]);
    expect((await post('{"a":1}', headers)).headers.get("X-Payment-Replayed")).toBe("true");
    expect((await post('{"a":2}', headers)).status).toBe(409);
  });
});

/** Charges, and notes what a price function sees. */
const sold = (seen: unknown[]) =>
  farthing({
    facilitator: { url: facilitator.url },
    payTo,
    onEvent: () => undefined,
    price(request, original) {
      seen.push(new URL(request.url).pathname, original.url, original.query);
      return "0.01";
    },
  })();

describe("fastify: one address after its own rewriting", () => {
  test("rewriteUrl: the challenge names what was asked for, the second argument what is served", async () => {
    const seen: unknown[] = [];
    web = fastify({ rewriteUrl: ({ url = "" }) => url.replace(/^\/api/, "") });
    web.get("/report", { onRequest: sold(seen) }, async () => "sold");
    const url = (await start()).replace("/report", "/api/report?days=1");
    expect(await (await fetch(url)).json()).toMatchObject({ accepts: [{ resource: url }, {}] });
    expect(seen).toEqual(["/api/report", "/report?days=1", { days: "1" }]);
  });

  test("rewriteUrl that leaves a host behind sells nothing", async () => {
    const seen: unknown[] = [];
    web = fastify({ rewriteUrl: ({ url = "" }) => url.replace(/^\/api/, "") });
    web.get("/*", { onRequest: sold(seen) }, async () => "sold");
    const { status } = await sendRaw(await start(), rawRequest("GET /api//shop.example/report"));
    expect([status, seen]).toEqual([400, []]);
  });

  test("a semicolon is no query, also where Fastify is told that it is", async () => {
    const seen: unknown[] = [];
    web = fastify({ useSemicolonDelimiter: true });
    web.get("/report", { onRequest: sold(seen) }, async () => "sold");
    const { status } = await sendRaw(await start(), rawRequest("GET /report;days=30"));
    expect([status, seen]).toEqual([400, []]);
    expect((await fetch(`${web.listeningOrigin}/report?days=1;2`)).status).toBe(402);
  });
});

test("the books name the route as Fastify does", async () => {
  web.get("/:name", { onRequest: charge() }, async () => "report");
  const url = await start();
  expect((await fetch(url, { headers: await payFor(url) })).status).toBe(200);
  const settled = facilitator.calls.find(({ operation }) => operation === "settle");
  expect(settled?.books).toEqual({ route: "GET /:name" });
});
