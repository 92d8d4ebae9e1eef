/**
 * Price and payee functions read the address that the handler reads, whatever the request line and
 * the headers say; or the request is refused. Sent byte by byte to every framework's own server.
 */
import type { IncomingMessage } from "node:http";
import { parse } from "node:querystring";
import express from "express";
import { fastify } from "fastify";
import { assert as assertProperty, asyncProperty } from "fast-check";
import { Hono } from "hono";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { payer, payFor, type PaymentHeader } from "../buyer.testing.ts";
import type { SellerOptions } from "../configuration.ts";
import { payTo } from "../scene.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";
import { farthing as expressSeller } from "./express.ts";
import { farthing as fastifySeller } from "./fastify.ts";
import { farthing as honoSeller } from "./hono.ts";
import { listen, listenFetch, rawRequest, sendRaw, type Listening } from "./listen.testing.ts";
import { farthing as nodeSeller } from "./node.ts";
import { alike, anyRequest, attacks } from "./any-request.testing.ts";

/** What a handler reads of a request, in the way of its framework. */
interface View {
  readonly target: string;
  readonly path: string;
  readonly days: unknown;
  /** The framework's own request. */
  readonly own: unknown;
}

/** Serves `30 days` for `days=30`, behind a charge; every request is looked at before the charge. */
type Shop = (options: SellerOptions, look: (view: View) => void) => Promise<Listening>;

const daysOf = (query: unknown): unknown => Reflect.get(Object(query), "days");
const daysIn = ({ url = "" }: IncomingMessage) =>
  new URL(url, "http://localhost").searchParams.get("days");

const shops: Record<string, Shop> = {
  async express(options, look) {
    const app = express().set("env", "test").set("trust proxy", true);
    const charge = expressSeller(options);
    app.use((req, _res, next) => {
      look({ target: req.url, path: req.path, days: req.query["days"], own: req });
      next();
    });
    app.use(charge(), (req, res) => void res.send(`${JSON.stringify(req.query["days"])} days`));
    return listen(app);
  },
  async fastify(options, look) {
    const app = fastify({ trustProxy: true });
    const charge = fastifySeller(options);
    app.addHook("onRequest", async (own) => {
      const { url, query } = own;
      look({ target: url, path: url.split("?")[0] ?? "", days: daysOf(query), own });
    });
    app.addHook("onRequest", charge());
    app.all("/*", async ({ query }) => `${String(daysOf(query))} days`);
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    return { url, close: async () => (app.server.closeAllConnections(), app.close()) };
  },
  async hono(options, look) {
    const app = new Hono();
    const charge = honoSeller(options);
    app.use("*", async (c, next) => {
      const target = c.req.url.replace(/^http:\/\/[^/]*/, "");
      look({ target, path: c.req.path, days: c.req.query("days"), own: c.req });
      await next();
    });
    app.all("*", charge(), (c) => c.text(`${c.req.query("days")} days`));
    app.onError((error, c) => c.text(error.message, 500));
    return listenFetch((request, environment) => app.fetch(request, environment));
  },
  async "node:http"(options, look) {
    const report = nodeSeller(options)({}, (req, res) => res.end(`${daysIn(req)} days`));
    return listen((req, res) => {
      if (URL.canParse(req.url ?? "", "http://localhost")) {
        const { pathname } = new URL(req.url ?? "", "http://localhost");
        look({ target: req.url ?? "", path: pathname, days: daysIn(req) ?? undefined, own: req });
      }
      report(req, res);
    });
  },
};

/** A path as Hono shows it: what can be decoded is, but for what would change its meaning. */
const decoded = (path: string) =>
  path.replaceAll("%25", "%2525").replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURI(run);
    } catch {
      return run;
    }
  });

let facilitator: ScriptedFacilitator;
beforeAll(async () => {
  facilitator = await startScriptedFacilitator();
});
afterAll(() => facilitator?.close());

describe.each(Object.entries(shops))("%s", (_name, open) => {
  describe.each([
    ["with a public address", { publicUrl: "https://shop.example" }],
    ["without one", {}],
  ])("%s", (_case, more) => {
    let shop: Listening;
    let asked: string[] = [];
    let originals: unknown[] = [];
    let seen: View[] = [];
    let oneDay: PaymentHeader;
    beforeAll(async () => {
      const options: SellerOptions = {
        facilitator: { url: facilitator.url },
        onEvent: () => undefined,
        payTo: ({ url }) => (new URL(url).searchParams.get("shop") === "mine" ? payer : payTo),
        price(request, original) {
          asked.push(request.url);
          originals.push(original);
          return new URL(request.url).searchParams.get("days") === "1" ? 1n : 30n;
        },
        ...more,
      };
      shop = await open(options, (view) => seen.push(view));
      oneDay = await payFor(`${shop.url}/report?days=1`);
    });
    afterAll(() => shop?.close());
    beforeEach(() => {
      asked = [];
      seen = [];
    });

    test.each(attacks)("%s does not buy thirty days for the price of one", async (...attack) => {
      const [, line, headers] = attack;
      const own = await payFor(`${shop.url}/report?days=1&shop=mine`);
      const target = line.split(" ")[1];
      for (const payment of [undefined, oneDay, own]) {
        asked = [];
        const all = Object.entries(payment ?? {}).map(([name, value]) => `${name}: ${value}`);
        const { status, text } = await sendRaw(shop.url, rawRequest(line, [...headers, ...all]));
        // Where the attack is in a header that this server does not read, it asks the full price.
        if (asked.length === 0) expect([target, status]).toEqual([target, 400]);
        else
          expect([target, status, asked.at(-1)]).toEqual([
            target,
            402,
            expect.stringMatching(/\/report\?.*days=30/),
          ]);
        expect(text).not.toMatch(/30"? days|\n\s+at /);
      }
    });

    test.each([
      "Host:",
      "Host: a b",
      "Host: 256.1.1.1",
      "Host: [",
      "Host: a/b",
      "Host: a:99999",
      "Host: @",
    ])("%s is a bad request, without a stack", async (header) => {
      const { status, text } = await sendRaw(shop.url, rawRequest("GET /report", [header]));
      expect([status, asked]).toEqual([400, []]);
      expect(text).not.toMatch(/\n\s+at |Error:/);
    });

    test("TRACE is not served, and says so without a stack", async () => {
      const { status, text } = await sendRaw(shop.url, rawRequest("TRACE /report?days=30"));
      // Fastify has no such route to begin with.
      expect([405, 404]).toContain(status);
      if (status === 405) expect(text).toMatch(/^allow: GET, HEAD, POST/im);
      expect(text).not.toMatch(/\n\s+at |Error:/);
    });

    test("a request of HTTP/1.0 needs no Host", async () => {
      const { text } = await sendRaw(shop.url, "GET /report?days=30 HTTP/1.0\r\n\r\n");
      expect([402, 400]).toContain(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]));
    });

    test("the framework's own request is the second argument", async () => {
      originals = [];
      await fetch(`${shop.url}/report?days=30`);
      expect(originals).toHaveLength(1);
      expect(originals[0]).toBe(seen[0]?.own);
    });

    test("any request is read alike by price function and handler, or refused", async () => {
      await assertProperty(
        asyncProperty(anyRequest, async ({ line, target: path, headers }) => {
          asked = [];
          seen = [];
          const raw = rawRequest(line, headers);
          const { status, text } = await sendRaw(shop.url, raw);
          expect(text).not.toMatch(/\n\s+at /);
          expect(status).toBeLessThan(500);
          const [read] = asked;
          if (read === undefined) {
            expect(status === 204 || (status >= 400 && status !== 402)).toBe(true);
            return;
          }
          const { pathname, search } = new URL(read);
          const [view] = seen;
          const sent = alike(path);
          expect(alike(pathname + search)).toBe(sent);
          expect([pathname, decoded(pathname)]).toContain(view?.path);
          expect(alike(view?.target ?? "")).toBe(sent);
          const { days } = parse(search.slice(1));
          expect([days].flat().at(0)).toEqual([view?.days].flat().at(0));
          expect(new URL(path, "http://localhost").host).toBe("localhost");
        }),
        { numRuns: 250 },
      );
    });
  });
});
