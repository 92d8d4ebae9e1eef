/** From descriptions of an API to a configuration that a person reviews. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readGatewayConfig } from "../configuration/read-configuration.ts";
import { importApi } from "./import-document.ts";
import { compareImport, writeGatewayFile } from "./import-file.ts";
import { readPrices } from "./import-prices.ts";

const folder = mkdtempSync(join(tmpdir(), "farthing-import-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(content: unknown, name = "api.json"): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const price = (amount: string) => ({
  "x-payment-info": { price: { mode: "fixed", currency: "USD", amount } },
});

const openapi = {
  openapi: "3.0.3",
  info: { title: "Reports", version: "7" },
  servers: [{ url: "https://origin.internal/v1/" }],
  security: [{ key: [] }],
  paths: {
    "/{kind}/{id}": { get: { summary: "Anything" } },
    "/reports/{id}": { get: { operationId: "getReport", summary: "Get a report\nin full" } },
    "/reports/latest": { get: price("0.05"), head: {}, delete: {} },
    "/jobs/{job-id}": { summary: "Jobs", post: {} },
    "/health": { get: { security: [] } },
    "/files/{name}.pdf": { get: {} },
  },
};

const choices = {
  publicUrl: "https://api.example.com",
  facilitator: "https://facilitator.example",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  network: "eip155:51",
};

const answer = (...types: string[]) => ({
  ...price("0.01"),
  responses: { 200: { content: Object.fromEntries(types.map((type) => [type, {}])) }, 500: {} },
});

test("an operation that answers with events is sold as a stream", () => {
  const paths = {
    "/events": { get: answer("text/event-stream; charset=utf-8") },
    "/either": { get: answer("text/event-stream", "application/json") },
    "/plain": { get: answer("application/json") },
  };
  const text = writeGatewayFile(
    importApi(file({ ...openapi, paths, security: [] }), readPrices("{}")),
    choices,
  );
  const config = readGatewayConfig(text);
  expect(config.routes.map(({ stream }) => stream)).toEqual(["sse", undefined, undefined]);
});

test("OpenAPI: exact paths first, prices from the file, from the document, from *", () => {
  const prices = readPrices('getReport: "0.01"\nPOST /v1/jobs/{job-id}: "0.25"\n"*": "1"');
  const api = importApi(file(openapi), prices);
  expect(api).toMatchObject({
    title: "Reports",
    upstreamUrl: "https://origin.internal",
    isGuarded: true,
  });
  expect(api.routes.map((route) => [route.match, route.price])).toEqual([
    ["GET /v1/reports/latest", "0.05"],
    ["DELETE /v1/reports/latest", "1"],
    ["GET /v1/reports/:id", "0.01"],
    ["POST /v1/jobs/:job_id", "0.25"],
    ["GET /v1/:kind/:id", "1"],
    ["GET /v1/health", "free"],
  ]);
  expect(api.routes[2]?.description).toBe("Get a report");
  expect(api.routes[3]?.description).toBe("Jobs");
  expect(api.leftOut).toEqual([
    { operation: "GET /v1/files/{name}.pdf", why: expect.stringContaining("only a whole segment") },
  ]);
});

test("the file it makes says what is missing, and is a configuration once that is filled in", () => {
  const prices = readPrices('getReport: "0.01"');
  const api = importApi(file(openapi), prices);
  const text = writeGatewayFile(api, choices);
  const config = readGatewayConfig(text, { ORIGIN_KEY: "secret" });
  expect(config.network.id).toBe("eip155:51");
  expect(config.routes.map(({ name, amountUnits }) => [name, amountUnits])).toEqual([
    ["GET /v1/reports/latest", 50_000n],
    ["GET /v1/reports/:id", 10_000n],
    ["GET /v1/health", undefined],
  ]);
  expect(config.upstreams.get("api")?.headers.get("authorization")).toBe("Bearer secret");
  expect(text).toContain("# Without a price, so left to default:\n#   DELETE /v1/reports/latest\n");
  expect(text).toMatch(/# No rule can match:\n# {3}GET \/v1\/files\/\{name\}\.pdf \(/);
  const empty = writeGatewayFile(api);
  expect(() => readGatewayConfig(empty, { ORIGIN_KEY: "a" })).toThrow(
    /publicUrl is .*\n.*facilitator\.url is .*\n.*payTo is /,
  );
});

test("whatever stands in a description stays in its line", () => {
  const odd = 'a "quote", a # and\u2028a line: {x}';
  const document = { ...openapi, paths: { "/a": { get: { summary: odd, ...price("1") } } } };
  const text = writeGatewayFile(importApi(file(document)), choices);
  const [route] = readGatewayConfig(text, { ORIGIN_KEY: "a" }).routes;
  expect(route?.description).toBe(odd);
});

test("no path of somebody else's document adds a setting", () => {
  const line = "trustedProxies: [0.0.0.0/0]";
  const odd = [`/a\n${line}\n#`, `/b.pdf\r\n${line}\r#`, `/{c}.x\u2028${line}\u2029#`];
  const hostile = Object.fromEntries(odd.map((path) => [path, { get: {} }]));
  const paths = { "/sold": { get: price("1") }, ...hostile };
  const text = writeGatewayFile(importApi(file({ ...openapi, paths })), choices);
  expect(text.split(/[\n\r\u2028\u2029]/)).not.toContain(line);
  expect(readGatewayConfig(text, { ORIGIN_KEY: "a" }).trustedProxies).toEqual([]);
});

test("importing again says what has changed", () => {
  const before = writeGatewayFile(
    importApi(file(openapi), readPrices('getReport: "0.10"')),
    choices,
  );
  const { "/health": _gone, ...kept } = openapi.paths;
  const paths = { ...kept, "/new": { get: price("2") }, "/unsold": { get: {} } };
  const again = importApi(file({ ...openapi, paths }), readPrices('getReport: "0.2"'));
  expect(compareImport(before, again)).toEqual({
    added: [{ match: "GET /v1/new", price: "2" }],
    removed: [{ match: "GET /v1/health", price: "free" }],
    changed: [{ match: "GET /v1/reports/:id", before: "0.10", after: "0.2" }],
    unpriced: [
      "DELETE /v1/reports/latest",
      "POST /v1/jobs/:job_id",
      "GET /v1/:kind/:id",
      "GET /v1/unsold",
    ],
  });
  // Without prices now, those of the configuration stay; 0.10 is 0.1.
  const same = importApi(file(openapi), readPrices('getReport: "0.1"'));
  const nothing = { added: [], removed: [], changed: [] };
  expect(compareImport(before, same)).toMatchObject(nothing);
  expect(compareImport(before, importApi(file(openapi)))).toMatchObject(nothing);
  expect(compareImport("version: 1", same)).toBeUndefined();
});

test("a gateway.json of xdcai", () => {
  const api = importApi(
    file({
      name: "Weather",
      upstreamBaseUrl: "https://weather.internal/api",
      paymentType: "x402",
      isPublic: true,
      auth: { method: "bearer" },
      routes: [
        { method: "get", path: "/x/:id", priceUSDC: "0.01", capability: "weather" },
        { method: "GET", path: "/x/now", priceUSDC: 0.5 },
        { method: "GET", path: "/free", priceUSDC: 0 },
      ],
    }),
  );
  expect(api).toEqual({
    isOpenapi: false,
    title: "Weather",
    upstreamUrl: "https://weather.internal/api",
    isGuarded: true,
    leftOut: [],
    routes: [
      { match: "GET /x/now", price: "0.5", description: undefined },
      { match: "GET /x/:id", price: "0.01", description: "weather" },
      { match: "GET /free", price: "free", description: undefined },
    ],
  });
  expect(
    readGatewayConfig(writeGatewayFile(api, choices), { ORIGIN_KEY: "a" }).routes,
  ).toHaveLength(3);
});

test.each<[string, unknown, RegExp]>([
  ["no object", [], /neither a JSON nor a YAML object/],
  ["text that is neither", "{", /neither a JSON nor a YAML object/],
  ["Swagger 2", { swagger: "2.0", paths: {} }, /is Swagger 2; convert it/],
  ["something else", { a: 1 }, /no OpenAPI 3 document/],
  ["no paths", { openapi: "3.1.0" }, /has no paths/],
  ["an upstream that is none", { upstreamBaseUrl: "x", routes: [] }, /upstreamBaseUrl must be/],
  [
    "a price that is none",
    {
      upstreamBaseUrl: "https://a.example",
      routes: [{ method: "GET", path: "/a", priceUSDC: 1e-7 }],
    },
    /routes\[0\]\.priceUSDC must be/,
  ],
])("%s is refused", (_name, content, said) => {
  expect(() => importApi(file(content))).toThrow(said);
});

test("prices that are none, or for what is not there, are refused", () => {
  expect(() => readPrices("GET /a: 0.01")).toThrow(/line 1: GET \/a must be: USDC as text/);
  expect(() => readPrices('GET /a: "0"')).toThrow(/line 1/);
  expect(() => readPrices("- a")).toThrow(/must be lines such as/);
  expect(() => importApi(file(openapi), readPrices('GET /nope: "1"'))).toThrow(/GET \/nope/);
});
