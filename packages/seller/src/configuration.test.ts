/** A wrong configuration stops the start and says how to mend it. */
import { expect, test } from "vitest";
import { parseRouteOptions, parseSellerOptions, type SellerOptions } from "./configuration.ts";
import { ConfigurationError, createSeller } from "./index.ts";

const good: SellerOptions = {
  facilitator: { url: "https://facilitator.example/api/facilitator", apiKey: "fk_test_1" },
  payTo: "xdc209693bc6afc0c5328ba36faf03c514ef312287c",
  price: "$0.01",
};

test("a good one is taken", () => {
  const seller = parseSellerOptions({ ...good, publicUrl: "https://api.example.com/v1/" });
  expect(seller).toMatchObject({ publicUrl: "https://api.example.com/v1", mode: "dual" });
  expect(parseRouteOptions(good).payTo).toBe("0x209693Bc6afc0C5328bA36FaF03C514EF312287C");
  expect(seller.networks.map(({ id }) => id)).toEqual(["eip155:50"]);
  expect(parseRouteOptions(good)).toMatchObject({ amount: 10_000n, maxTimeoutSeconds: 120 });
});

test.each<[string, string, object]>([
  ["payTo", "missing", { payTo: undefined }],
  ["payTo", "zero", { payTo: `0x${"0".repeat(40)}` }],
  ["payTo", "with a wrong checksum", { payTo: "0x209693bc6afc0C5328bA36FaF03C514EF312287C" }],
  ["facilitator.url", "missing", { facilitator: undefined }],
  ["facilitator.url", "of another scheme", { facilitator: { url: "ftp://x" } }],
  [
    "facilitator.apiKey",
    "with a line break",
    { facilitator: { url: "http://x", apiKey: "se\ncret" } },
  ],
  ["facilitator.timeoutMs", "negative", { facilitator: { url: "http://x", timeoutMs: -1 } }],
  ["facilitator.fetch", "no function", { facilitator: { url: "http://x", fetch: "fetch" } }],
  ["network", "unknown", { network: "base" }],
  ["network", "empty", { network: [] }],
  ["price", "zero", { price: "0" }],
  ["price", "with seven decimals", { price: "0.0000001" }],
  ["price", "a float", { price: 0.01 }],
  ["publicUrl", "with a query", { publicUrl: "https://x.example/?a=1" }],
  ["publicUrl", "missing where payments must be bound to it", { requireBinding: true }],
  ["maxTimeoutSeconds", "too short to settle in", { maxTimeoutSeconds: 5 }],
  ["settle", "unknown", { settle: "before-upstream" }],
  ["workMs", "zero", { workMs: 0 }],
  [
    "maxTimeoutSeconds",
    "too short for the work",
    { settle: "after-success", workMs: 60_000, maxTimeoutSeconds: 79 },
  ],
  ["waitMs", "too long", { waitMs: 1e9 }],
  ["bodyBytesMax", "no number", { bodyBytesMax: "1" }],
  ["mode", "unknown", { mode: "v1" }],
  ["allowOrigin", "empty", { allowOrigin: "" }],
  ["description", "too long for a header", { description: "x".repeat(501) }],
  ["mimeType", "no media type", { mimeType: "json" }],
  ["reference", "too long", { reference: "x".repeat(65) }],
  ["reference", "with a line break", { reference: "order\n1" }],
  ["reference", "no text", { reference: 1001 }],
  ["route", "empty", { route: "" }],
  ["pass", "no object", { pass: 100 }],
  ["pass.uses", "zero", { pass: { uses: 0, validFor: "30d" } }],
  ["pass.uses", "missing", { pass: { validFor: "30d" } }],
  ["pass.validFor", "without a unit", { pass: { uses: 1, validFor: "30" } }],
  ["pass.validFor", "too long", { pass: { uses: 1, validFor: "401d" } }],
  ["pass.validFor", "zero", { pass: { uses: 1, validFor: "0s" } }],
  ["pass.scope", "empty", { pass: { uses: 1, validFor: "1h", scope: "" } }],
  ["pass.finalAbove", "a float", { pass: { uses: 1, validFor: "1h", finalAbove: 0.5 } }],
  ["price", "a function beside a pass", { price: () => "1", pass: { uses: 1, validFor: "1h" } }],
  ["payTo", "a function beside a pass", { payTo: () => "0x", pass: { uses: 1, validFor: "1h" } }],
  ["serveWhen", "queued beside a pass", { serveWhen: "queued", pass: { uses: 1, validFor: "1h" } }],
])("%s %s is refused", (field, _case, change) => {
  const create = () => createSeller({ ...good, ...change });
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(new RegExp(`^${field} must be .*, for example `));
  expect(create).not.toThrow(/cret/);
});

test("a route that takes bound payments only needs an address that no buyer writes", () => {
  const seller = createSeller(good);
  expect(() => seller.route({ requireBinding: true })).toThrow(/^publicUrl must be/);
  const known = createSeller({ ...good, publicUrl: "https://api.example.com" });
  expect(() => known.route({ requireBinding: true })).not.toThrow();
});
