/** The schema that editors read and the messages of the gateway agree about every file. */
import * as fc from "fast-check";
import { Check } from "typebox/value";
import type { TSchema } from "typebox";
import { expect, test } from "vitest";
import { gatewaySchema, publishedSchema } from "./configuration-schema.ts";
import { readSettings, type Problem } from "./read-settings.ts";

/** Values near the schema: a good file with some of its parts replaced. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(1, 30, 0, "", "x", "1s", "1MiB", "embedded", "deny"),
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
  fc.constant([{}]),
  fc.constant({ upstream: "api" }),
);

test("the published schema and the messages say the same", () => {
  const whole = {
    version: 1,
    publicUrl: "https://a.example",
    facilitator: { url: "https://f.example", apiKey: "k", timeout: "3s" },
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    upstreams: {
      api: { url: "http://u", headers: { a: "b" }, timeouts: { idle: "1s" }, concurrency: 3 },
    },
    routes: [{ match: "GET /a", upstream: "api", price: "1", pass: ["cookie"] }],
    default: { upstream: "api", free: true },
    listen: { http: "127.0.0.1:0" },
    trustedProxies: ["10.0.0.0/8"],
    network: "eip155:51",
    store: "memory",
    replay: { ttl: "5m", maxEntryBytes: "1KiB" },
    discovery: { wellKnown: true },
  };
  const published: TSchema = JSON.parse(publishedSchema());
  const locations = placesIn(whole);
  fc.assert(
    fc.property(fc.constantFrom(...locations), odd, (location, value) => {
      const changed = replaced(whole, location, value);
      const found: Problem[] = [];
      readSettings(gatewaySchema, changed, found);
      expect(found.length === 0).toBe(Check(gatewaySchema, changed));
      if (found.length === 0) expect(Check(published, changed)).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

type Location = readonly string[];

function placesIn(value: unknown, location: Location = []): readonly Location[] {
  if (typeof value !== "object" || value === null) return [location];
  const inner = Object.entries(value).flatMap(([key, one]) => placesIn(one, [...location, key]));
  return [location, [...location, "unknown"], ...inner];
}

function replaced(value: unknown, [key, ...rest]: Location, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((one: unknown, at) => (`${at}` === key ? replaced(one, rest, by) : one));
  }
  if (typeof value !== "object" || value === null) return by;
  const member: unknown = Object.entries(value).find(([name]) => name === key)?.[1];
  return { ...value, [key]: replaced(member, rest, by) };
}
