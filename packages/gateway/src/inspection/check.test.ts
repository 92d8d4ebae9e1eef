/** The table that `gateway check` shows, and what it doubts. */
import { isObject } from "@farthing/protocol";
import { expect, test } from "vitest";
import { findWarnings, listRules } from "./check.ts";
import {
  gatewayConfig,
  rule,
  upstream,
  type Settings,
} from "../configuration/gateway-file.testing.ts";

const guarded = { api: { ...upstream, headers: { "X-Key": "a" } } };

test("every rule with its price, base units and time budget, and the rest", () => {
  const routes = [
    rule("GET /health free"),
    rule("GET /reports/:id 0.01", { host: "api.example.com" }),
    rule("POST /jobs 0.25", { settle: "before-upstream", maxTimeoutSeconds: 90 }),
    rule("GET /stream 0.05", { stream: "sse" }),
  ];
  const served = { upstream: "api" };
  const paid = { ...served, settle: "after-success" };
  expect(listRules(gatewayConfig({ routes }))).toEqual([
    { ...served, place: 0, method: "GET", path: "/health", price: "free" },
    {
      ...paid,
      place: 1,
      method: "GET",
      path: "/reports/:id",
      host: "api.example.com",
      price: "0.01",
      amount: "10000",
      budget: "20s+20s+15s ≤ 60s",
    },
    {
      ...served,
      place: 2,
      method: "POST",
      path: "/jobs",
      price: "0.25",
      amount: "250000",
      settle: "before-upstream",
      budget: "0s+20s+15s ≤ 90s",
    },
    {
      ...paid,
      place: 3,
      method: "GET",
      path: "/stream",
      price: "0.05",
      amount: "50000",
      settle: "after-success+sse",
      budget: "15s+20s+15s ≤ 60s",
    },
    { place: "*", method: "*", path: "*", price: "deny" },
  ]);
  const open = gatewayConfig({ routes, default: { upstream: "api", price: "1" } });
  expect(listRules(open).at(-1)).toMatchObject({ place: "*", price: "1", amount: "1000000" });
});

function warnings(changed: Settings): readonly string[] {
  const config = gatewayConfig({ store: "sqlite:./a.db", upstreams: guarded, ...changed });
  return findWarnings(config).map(({ name, text }) => `${name}: ${text}`);
}

test("a configuration without doubts", () => {
  expect(warnings({})).toEqual([]);
  const local = { url: "http://127.0.0.1:8402" };
  expect(warnings({ publicUrl: "http://localhost:1", facilitator: local })).toEqual([]);
  expect(warnings({ facilitator: { url: "http://facilitator:8402" } })).toEqual([]);
});

test.each<[string, Settings, RegExp]>([
  ["work before money", { routes: [rule("POST /a 1")] }, /^routes\[0\] POST \/a: works before/],
  ["the same for all methods", { routes: [rule("* /a 1")] }, /works before the money/],
  ["a rule for an own path", { routes: [rule("GET /openapi.json 1")] }, /gateway answers GET/],
  ["nothing for sale", { routes: [rule("GET /a free")] }, /^routes: no route has a price/],
  ["a free default", { default: { upstream: "api", free: true } }, /^default: .* is free/],
  ["a key in the clear", { facilitator: { url: "http://f.example" } }, /^facilitator: .*TLS/],
  ["a public number in the clear", { facilitator: { url: "http://8.8.8.8" } }, /TLS/],
  ["a gateway without TLS", { publicUrl: "http://api.example.com" }, /^publicUrl: is not https/],
  ["a forgetful store", { store: "memory" }, /^store: a restart forgets/],
  ["a long replay", { replay: { ttl: "11m" } }, /^replay: .*more than 10m/],
  ["HEAD for nothing", { routes: [rule("GET /a 1", { head: "free" })] }, /HEAD asks the upstream/],
  ["an open upstream", { upstreams: { api: upstream } }, /^upstreams\.api: whoever reaches it/],
])("%s is doubted", (_name, changed, said) => {
  expect(warnings(changed)).toContainEqual(expect.stringMatching(said));
});

test("a folder is not told to listen privately, for only the gateway reaches it", () => {
  expect(warnings({ upstreams: { api: { folder: "." } } })).toEqual([]);
});

test("settling first leaves nothing to doubt about a POST", () => {
  expect(warnings({ routes: [rule("POST /a 1", { settle: "before-upstream" })] })).toEqual([]);
});

test("redirects that the upstream's OpenAPI document names are doubted where they are sold", () => {
  const responses = { "302": { description: "Where the report lies" } };
  const get = { responses };
  const paths = { "/reports/{id}": { get }, "/jobs": { post: get }, "/ok": { get: {} } };
  const document = JSON.stringify({ openapi: "3.1.0", info: {}, paths });
  const warned = (...routes: Settings[]) => {
    const config = gatewayConfig({ store: "sqlite:./a.db", upstreams: guarded, routes });
    const openapi: unknown = JSON.parse(document);
    if (!isObject(openapi)) throw new Error("No document.");
    const discovery = { ...config.discovery, openapi };
    return findWarnings({ ...config, discovery })
      .filter(({ text }) => text.includes("redirect"))
      .map(({ name, status }) => `${status} ${name}`);
  };
  expect(warned(rule("GET /reports/:id 1"), rule("GET /ok 1"))).toEqual([
    "warn routes[0] GET /reports/:id",
  ]);
  expect(warned(rule("GET /reports/:id 1", { redirects: "withhold" }))).toEqual([]);
  expect(warned(rule("GET /reports/:id free"))).toEqual([]);
  expect(warned(rule("POST /jobs 1", { settle: "before-upstream" }))).toEqual([]);
});
