/** The settings of prices by caller: how they are read, and which of them could not be kept to. */
import { expect, test } from "vitest";
import { gatewayConfig, type Settings } from "./gateway-file.testing.ts";

const read = (entry: Settings, { route = {}, ...file }: Settings & { route?: Settings } = {}) =>
  gatewayConfig({
    trustedProxies: ["10.0.0.1"],
    ...file,
    routes: [{ match: "GET /a", upstream: "api", price: "0.01", for: [entry], ...route }],
  }).routes[0]?.callers[0];

test("an entry is read with its defaults, and its price is that of its route times the multiplier", () => {
  const rule = read({
    agents: ["Agent.Example"],
    headers: { "X-Plan": "partner" },
    hours: { from: "22:00", to: "06:00" },
    multiplier: "0.333333",
  });
  expect(rule).toMatchObject({
    label: "for[0]",
    agents: new Set(["agent.example"]),
    headers: new Map([["x-plan", "partner"]]),
    hours: { fromMinute: 1_320, toMinute: 360, zone: "UTC", days: [] },
    route: { name: "GET /a", amountUnits: 3_334n, caller: "for[0]" },
  });
});

test("no multiplier makes a price of nothing", () => {
  const cheapest = { agents: "any", multiplier: "0.000001" };
  expect(read(cheapest, { route: { price: "0.000001" } })?.route.amountUnits).toBe(1n);
});

const partner = { headers: { "X-Plan": "partner" } };
const any = { agents: "any" };

test.each<[string, Settings, Settings & { route?: Settings }, RegExp]>([
  ["no condition", { free: true }, {}, /for\[0\] fits every request/],
  ["no price", partner, {}, /must have exactly one of free: true, price and multiplier/],
  ["two prices", { ...partner, free: true, price: "1" }, {}, /must have exactly one/],
  ["a price of nothing", { ...partner, price: "0" }, {}, /is 0; write free: true/],
  ["a multiplier of nothing", { ...partner, multiplier: "0" }, {}, /multiplier is "0", but/],
  ["a multiplier above 100", { ...partner, multiplier: "100.1" }, {}, /at most/],
  [
    "headers without a proxy",
    { ...partner, free: true },
    { trustedProxies: [] },
    /needs trustedProxies/,
  ],
  [
    "agents without TLS",
    { ...any, free: true },
    { publicUrl: "http://api.example.com" },
    /needs a publicUrl of https/,
  ],
  ["an agent with a path", { agents: ["agent.example/keys"], free: true }, {}, /without https/],
  ["a network", { networks: ["192.0.2.0/40"], free: true }, {}, /an address or a range/],
  ["a time", { hours: { from: "24:00", to: "06:00" }, free: true }, {}, /HH:MM/],
  ["no time at all", { hours: { from: "06:00", to: "06:00" }, free: true }, {}, /same minute/],
  ["a zone", { hours: { from: "22:00", to: "06:00", zone: "Mars/One" }, free: true }, {}, /IANA/],
  [
    "a free route",
    { ...any, price: "1" },
    { route: { free: true, price: undefined } },
    /for makes no sense on a free route/,
  ],
  [
    "a balance",
    { ...any, price: "1" },
    { route: { price: undefined, balance: { topUp: "5", reserve: "1" } } },
    /requests here cost what they use/,
  ],
])("%s is refused", (_, entry, file, message) => {
  expect(() => read(entry, file)).toThrow(message);
});

test("two entries of one name are refused, and rules that differ by caller are never mixed up", () => {
  const twice = [
    { ...any, name: "a", free: true },
    { ...partner, name: "a", free: true },
  ];
  expect(() => read(any, { route: { for: twice } })).toThrow(/name is there a second time/);
  const routes = [
    { match: "GET /:a/x", upstream: "api", price: "0.01", for: [{ ...any, free: true }] },
    { match: "GET /x/:b", upstream: "api", price: "0.01" },
  ];
  expect(() => gatewayConfig({ routes })).toThrow(/shares requests with/);
});
