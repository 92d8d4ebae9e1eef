/** The configuration file: what it comes to, and that everything wrong is said at once. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { GatewayConfig } from "./configuration.ts";
import { GatewayConfigError, loadGatewayConfig, readGatewayConfig } from "./read-configuration.ts";
import {
  gatewayConfig,
  gatewayFile,
  rule,
  upstream,
  type Settings,
} from "./gateway-file.testing.ts";

const folder = mkdtempSync(join(tmpdir(), "farthing-gateway-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof GatewayConfigError) return error.message.split("\n");
    throw error;
  }
  return [];
}

const problems = (changed: Settings) => problemsOf(() => gatewayConfig(changed));

test("the shortest file, with every default", () => {
  const config = gatewayConfig();
  const api = config.upstreams.get("api");
  expect(config).toMatchObject({
    publicUrl: "https://api.example.com",
    listen: { http: { host: "127.0.0.1", port: 8402 }, metrics: undefined },
    trustedProxies: [],
    facilitators: [{ kind: "remote", url: "https://facilitator.example", timeoutMs: 30_000 }],
    network: { id: "eip155:50" },
    fallback: undefined,
    maxTimeoutSeconds: 60,
    replay: { ttlMs: 600_000, entryBytesMax: 1024 ** 2, totalBytesMax: 512 * 1024 ** 2 },
    discovery: { validate: true, wellKnown: true },
  });
  expect(api).toEqual({
    name: "api",
    url: "http://127.0.0.1:9001",
    headers: new Map(),
    timeouts: { connectMs: 3000, headersMs: 15_000, idleMs: 15_000, totalMs: 20_000 },
    concurrency: 64,
    requestBytesMax: 1024 ** 2,
    responseBytesMax: 4 * 1024 ** 2,
    paths: { caseInsensitive: false, allowEncodedSlash: false },
  });
  expect(config.routes).toEqual([
    expect.objectContaining({
      name: "GET /paid",
      index: 0,
      upstream: api,
      amountUnits: 10_000n,
      settle: "after-success",
      redirects: "charge",
      head: "challenge",
      serveWhen: "confirmed",
      redeliver: "bound",
      requireBinding: false,
      maxTimeoutSeconds: 60,
      pass: new Set(),
    }),
  ]);
});

test("everything that can be set", () => {
  const config = gatewayConfig({
    publicUrl: "https://example.com/api/",
    listen: { http: "[::1]:0", metrics: "0.0.0.0:9402" },
    trustedProxies: ["10.0.0.0/8", "::1"],
    facilitator: "embedded",
    redeliver: "never",
    requireBinding: true,
    rateLimit: { perAddress: 600 },
    network: "xdc-apothem",
    payTo: "xdc209693bc6afc0c5328ba36faf03c514ef312287c",
    upstreams: { api: { url: "https://origin.internal/base/", timeouts: { connect: "300ms" } } },
    routes: [
      rule("POST /a 1.000001", {
        freeRequests: 5,
        settle: "before-upstream",
        redirects: "withhold",
        head: "free",
        redeliver: "anyone",
        serveWhen: "queued",
        stream: "sse",
        mimeType: "text/event-stream",
        maxTimeoutSeconds: 300,
        host: "API.example.com",
        pass: ["cookie", "set-cookie"],
      }),
    ],
    default: { upstream: "api", free: true },
    discovery: { wellKnown: false, title: "Reports", contact: "a@b.example" },
  });
  expect(config).toMatchObject({
    publicUrl: "https://example.com/api",
    listen: { http: { host: "::1", port: 0 }, metrics: { host: "0.0.0.0", port: 9402 } },
    facilitators: [{ kind: "embedded" }],
    rateLimit: { perAddress: 600 },
    network: { id: "eip155:51" },
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    fallback: { name: "default", index: 1, amountUnits: undefined },
  });
  expect(config.upstreams.get("api")).toMatchObject({
    url: "https://origin.internal/base",
    timeouts: { connectMs: 300, totalMs: 20_000 },
  });
  expect(config.routes[0]).toMatchObject({
    amountUnits: 1_000_001n,
    freeRequests: 5,
    settle: "before-upstream",
    redirects: "withhold",
    head: "free",
    redeliver: "anyone",
    requireBinding: true,
    serveWhen: "queued",
    stream: "sse",
    maxTimeoutSeconds: 300,
    host: "api.example.com",
    pass: new Set(["cookie", "set-cookie"]),
  });
});

test.each<[string, Settings, RegExp]>([
  ["an unknown key", { prize: "1" }, /^line 14: prize is no setting\. docs.* lists all/],
  ["an unknown key inside", { listen: { htp: 1 } }, /listen\.htp is no .* mean http\? docs/],
  ["a queue of somebody else", { serveWhen: "queued" }, /serveWhen is "queued".*embedded/],
  [
    "a queue of somebody else on one route",
    { routes: [rule("GET /a 1", { serveWhen: "queued" })] },
    /routes\[0\]\.serveWhen is "queued".*embedded/,
  ],
  ["a node that is no address", { rpcUrl: "node" }, /rpcUrl must be an address of http or https/],
  ["a missing key", { payTo: undefined }, /payTo is missing; must be: address that gets/],
  ["another version", { version: 2 }, /version is 2, but must be: 1/],
  ["a bare address", { payTo: 0x209693bc }, /payTo is 546739132, but must be:.*in quotes/],
  ["a wrong checksum", { payTo: "0x209693bc6afc0C5328bA36FaF03C514EF312287C" }, /payTo is "0x/],
  ["the zero address", { payTo: `0x${"0".repeat(40)}` }, /payTo is "0x0/],
  ["another network", { network: "eip155:1" }, /network is "eip155:1", but must be: .*eip155:50/],
  ["a public address with a query", { publicUrl: "https://a.example/?b" }, /publicUrl is/],
  ["a public address with a user", { publicUrl: "https://u:p@a.example" }, /publicUrl is/],
  ["a port that is none", { listen: { http: "127.0.0.1:70000" } }, /listen\.http is/],
  ["a proxy that is none", { trustedProxies: ["10.0.0.0/40"] }, /trustedProxies\[0\] is/],
  [
    "bound payments without a public address",
    { requireBinding: true, publicUrl: undefined },
    /^publicUrl is missing/,
  ],
  ["another store", { store: "mysql://x" }, /store is "mysql:\/\/x", but must be:/],
  ["a store in no folder", { store: "sqlite:/no/such/folder/a.db" }, /store is in .*create it/],
  ["a word for the facilitator", { facilitator: "inside" }, /facilitator is "inside", but must/],
  ["no route", { routes: [] }, /routes is empty/],
  ["a default without price", { default: { upstream: "api" } }, /default must have either free/],
  ["a default of another kind", { default: "free" }, /default is "free", but must be: .*deny/],
  ["a title that is too long", { discovery: { title: "x".repeat(201) } }, /title is "x{80}", but/],
  ["an unfit timeout", { maxTimeoutSeconds: 29 }, /maxTimeoutSeconds is 29.*from 30 to 86400/],
  ["a time without unit", { replay: { ttl: "10" } }, /replay\.ttl is "10".*ms, s, m or h/],
  ["a size of another unit", { replay: { maxEntryBytes: "1MB" } }, /maxEntryBytes is "1MB".*MiB/],
  ["an upstream's odd name", { upstreams: { "a b": upstream } }, /upstreams\.a b is no key/],
  ["an upstream elsewhere", { upstreams: { api: { url: "ftp://x" } } }, /api\.url is "ftp:\/\/x"/],
  [
    "a credential that the gateway writes",
    { upstreams: { api: { ...upstream, headers: { "x-payment-payer": "a" } } } },
    /headers\.x-payment-payer cannot be set/,
  ],
  [
    "a credential twice",
    { upstreams: { api: { ...upstream, headers: { "X-Key": "a", "x-key": "b" } } } },
    /headers\.x-key is there twice/,
  ],
])("%s is refused", (_name, changed, said) => {
  expect(problems(changed)).toContainEqual(expect.stringMatching(said));
});

test.each<[string, Settings, RegExp]>([
  ["a price that is a number", rule("GET /a 1", { price: 0.1 }), /price is a number, but must/],
  ["a whole number for a price", rule("GET /a 1", { price: 1 }), /price is 1, but must be: USDC/],
  ["seven decimals", rule("GET /a 0.0000001"), /price is "0\.0000001"/],
  ["a price below 0", rule("GET /a -1"), /price is "-1"/],
  ["a price with an exponent", rule("GET /a 1e3"), /price is "1e3"/],
  ["a price of 0", rule("GET /a 0.00"), /price is 0; write free: true/],
  ["price and free", rule("GET /a 1", { free: true }), /must have either free: true or a price/],
  ["free: false", { match: "GET /a", upstream: "api", free: false }, /free is false, but must/],
  ["HEAD on a free route", rule("GET /a free", { head: "free" }), /no sense on a free/],
  ["free requests on a free route", rule("GET /a free", { freeRequests: 1 }), /no sense on a free/],
  ["no free requests", rule("GET /a 1", { freeRequests: 0 }), /freeRequests is 0, but must be/],
  ["redirects on a free route", rule("GET /a free", { redirects: "charge" }), /no sense on a free/],
  [
    "settle on a free route",
    rule("GET /a free", { settle: "after-success" }),
    /no sense on a free/,
  ],
  [
    "another upstream",
    rule("GET /a 1", { upstream: "b" }),
    /upstream is "b", but upstreams has: api/,
  ],
  ["no method", rule("GET /a 1", { match: "/a" }), /match is "\/a", but must be: METHOD/],
  ["HEAD", rule("HEAD /a 1"), /HEAD takes the rule of GET/],
  ["OPTIONS", rule("OPTIONS /a 1"), /the gateway answers OPTIONS itself/],
  ["TRACE", rule("TRACE /a 1"), /TRACE is no method of a rule/],
  ["a star inside", rule("GET /a/*/b 1"), /a \*, which can only stand alone at the end/],
  ["a nameless parameter", rule("GET /: 1"), /: is no parameter/],
  ["a parameter twice", rule("GET /:a/:a 1"), /names the parameter :a twice/],
  ["a path that is refused", rule("GET /a/../b 1"), /no request has "\.\." in its path/],
  ["two slashes", rule("GET /a//b 1"), /two slashes follow each other/],
  ["an escape that is a letter", rule("GET /%61 1"), /%61 is written a/],
  ["a query", rule("GET /a?b 1"), /no request has "a\?b" in its path/],
])("a rule with %s is refused", (_name, one, said) => {
  expect(problems({ routes: [one] })).toContainEqual(expect.stringMatching(said));
});

test("a rule's wrong match hides neither its upstream nor the other rules", () => {
  const routes = [rule("HEAD /a 1", { upstream: "b" }), rule("GET /b 1"), rule("GET /b 1")];
  expect(problems({ routes })).toEqual([
    expect.stringMatching(/routes\[0\]\.match is "HEAD \/a"/),
    expect.stringMatching(/routes\[0\]\.upstream is "b", but upstreams has: api/),
    expect.stringMatching(/routes\[2\]\.match is never reached: routes\[1\]/),
  ]);
});

test("all problems at once, each with its line", () => {
  const text = [
    "version: 1",
    "publicUrl: api.example.com",
    "facilitator: { url: https://f.example, key: x }",
    "payTo: 0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    "upstreams:",
    "  api: { url: http://127.0.0.1:1 }",
    "routes:",
    '  - { match: "GET /a", upstream: api, price: 0.10 }',
    "  - match: GET /b",
    "    upstream: other",
    "    free: true",
  ].join("\n");
  const found = problemsOf(() => readGatewayConfig(text));
  expect(found.map((one) => one.split(" ").slice(0, 3).join(" "))).toEqual([
    "line 2: publicUrl",
    "line 3: facilitator.key",
    "line 4: payTo",
    "line 8: routes[0].price",
    "line 10: routes[1].upstream",
  ]);
});

test.each([
  ["no YAML", "version: 1\n  payTo: [", /^no YAML: .*line 2/s],
  [
    "the same key twice",
    "version: 1\nversion: 1",
    /Map keys must be unique at line 2, column 1\.?$/,
  ],
  ["nothing", "", /^the file is empty; docs\/reference\/gateway\.md has one to copy\.$/],
  ["comments alone", "# mine\n", /^the file is empty/],
  ["a list", "- a", /is a list, but must be: the gateway's configuration/],
  [
    "aliases without end",
    [
      "a: &a [1]",
      ..."bcdefgh"
        .split("")
        .map((one, at) => `${one}: &${one} [${`*${"abcdefgh"[at]},`.repeat(12)}]`),
    ].join("\n"),
    /must be: the gateway's configuration/,
  ],
])("a file with %s is refused", (_name, text, said) => {
  expect(problemsOf(() => readGatewayConfig(text)).join("\n")).toMatch(said);
});

test("secrets come from the environment or a file, and from nowhere else", () => {
  const changed: Settings = {
    facilitator: { url: "https://facilitator.example", apiKey: "${KEY}" },
    upstreams: { api: { ...upstream, headers: { Authorization: "Bearer ${ORIGIN}" } } },
  };
  const path = join(folder, "origin-key");
  writeFileSync(path, "from-file\n");
  const read = (environment: Record<string, string>): GatewayConfig =>
    readGatewayConfig(gatewayFile(changed), environment);
  const config = read({ KEY: "of-the-seller", ORIGIN_FILE: path });
  expect(config.facilitators).toMatchObject([{ apiKey: "of-the-seller" }]);
  expect(config.upstreams.get("api")?.headers.get("authorization")).toBe("Bearer from-file");
  writeFileSync(path, "renewed");
  const renewed = read({ KEY: "a", ORIGIN_FILE: path });
  expect(renewed.upstreams.get("api")?.headers.get("authorization")).toBe("Bearer renewed");

  const missing = problemsOf(() => read({ ORIGIN_FILE: join(folder, "nothing") }));
  expect(missing.join("\n")).toMatch(
    /apiKey cannot be filled in: set the environment variable KEY/,
  );
  expect(missing.join("\n")).toMatch(/Authorization cannot be filled in: ORIGIN_FILE: the file/);
  // A secret with a line break is refused without being repeated.
  const odd = problemsOf(() => read({ KEY: "my secret", ORIGIN: "a\nb-secret" }));
  expect(odd).toHaveLength(2);
  expect(odd.join("\n")).not.toMatch(/secret"|b-secret|my secret/);
  expect(problems({ payTo: "${KEY}" })).toContainEqual(
    expect.stringMatching(/payTo is "\$\{KEY\}"/),
  );
});

test("a secret in the wrong shape is not repeated", () => {
  const found = problems({ facilitator: { url: "https://f.example", apiKey: ["fk_live_x"] } });
  expect(found.join("\n")).toMatch(/apiKey must be: /);
  expect(found.join("\n")).not.toContain("fk_live_x");
});

test("paths are relative to the file", () => {
  const openapi = { openapi: "3.1.0", info: {}, paths: {} };
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(openapi));
  const path = join(folder, "gateway.yaml");
  const changed = { store: "sqlite:./gateway.db", discovery: { openapi: "openapi.json" } };
  writeFileSync(path, gatewayFile(changed));
  const config = loadGatewayConfig(path, {});
  expect(config.store).toEqual({ kind: "sqlite", path: join(folder, "gateway.db") });
  expect(config.discovery.openapi).toEqual(openapi);

  writeFileSync(join(folder, "openapi.json"), JSON.stringify({ swagger: "2.0" }));
  expect(problemsOf(() => loadGatewayConfig(path, {}))).toEqual([
    expect.stringMatching(/discovery\.openapi is Swagger 2; convert it/),
  ]);
  expect(problemsOf(() => loadGatewayConfig(join(folder, "none.yaml"), {}))).toEqual([
    expect.stringMatching(/^There is no file \/.*none\.yaml\. .* farthing gateway import/),
  ]);
  expect(problemsOf(() => loadGatewayConfig(folder, {}))).toEqual([
    `${folder} is a folder; name the configuration file in it.`,
  ]);
});
