/** `farthing gateway check`, `explain` and `import`, as a shell sees them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen } from "@farthing/buyer/testing";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { readConfig, startFacilitator } from "@farthing/facilitator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

const folder = mkdtempSync(join(tmpdir(), "farthing-gateway-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

interface Parts {
  readonly facilitator?: string;
  readonly upstream?: string;
  readonly network?: string;
  readonly publicUrl?: string;
  readonly port?: string;
  readonly rules?: readonly string[];
}

const usualRules = [
  '{ match: "GET /health", upstream: api, free: true }',
  '{ match: "GET /v1/reports/:id", upstream: api, price: "0.01" }',
  '{ match: "POST /v1/jobs", upstream: api, price: "0.25", settle: before-upstream }',
];

function gatewayFile(name: string, parts: Parts = {}): string {
  const { facilitator = "http://127.0.0.1:9", upstream = "http://127.0.0.1:9" } = parts;
  const lines = [
    "version: 1",
    `publicUrl: ${parts.publicUrl ?? "https://api.example.com"}`,
    `listen: { http: "127.0.0.1:${parts.port ?? "8402"}" }`,
    `facilitator: { url: "${facilitator}" }`,
    `network: ${parts.network ?? "eip155:51"}`,
    'payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"',
    `upstreams: { api: { url: "${upstream}", headers: { Authorization: "Bearer \${ORIGIN_KEY}" } } }`,
    "routes:",
    ...(parts.rules ?? usualRules).map((rule) => `  - ${rule}`),
  ];
  return write(name, `${lines.join("\n")}\n`);
}

const environment = { ORIGIN_KEY: "s3cret-of-the-upstream" };

describe("check", () => {
  test("a table for people, an object for programs, 0", async () => {
    const file = gatewayFile("good.yaml");
    const shown = await farthing(["gateway", "check", file, "--no-json"], { environment });
    expect([shown.code, shown.stderr]).toEqual([0, ""]);
    expect(shown.stdout).toBe(
      [
        "#  Method  Path             Price  Upstream  Settle           Budget             Base units",
        "0  GET     /health          free   api",
        "1  GET     /v1/reports/:id  0.01   api       after-success    20s+20s+15s ≤ 60s       10000",
        "2  POST    /v1/jobs         0.25   api       before-upstream  0s+20s+15s ≤ 60s       250000",
        "*  *       *                deny   -",
        "",
        "Nothing must be fixed, 0 warnings.",
        "",
      ].join("\n"),
    );
    const piped = await farthing(["gateway", "check", file, "--json"], { environment });
    expect(JSON.parse(piped.stdout)).toMatchObject({
      ok: true,
      problems: [],
      rules: [{ price: "free" }, { amount: "10000" }, { amount: "250000" }, { price: "deny" }],
      findings: [],
    });
  });

  test("prints the schema that is published for editors", async () => {
    const { code, stdout } = await farthing(["gateway", "check", "--schema"]);
    const page = new URL("../../../../docs/reference/gateway.schema.json", import.meta.url);
    expect([code, stdout]).toEqual([0, readFileSync(page, "utf8")]);
  });

  test("a doubt is a warning with its advice, and no failure", async () => {
    const rules = ['{ match: "POST /a", upstream: api, price: "1" }'];
    const file = gatewayFile("doubt.yaml", { rules });
    const { code, stdout } = await farthing(["gateway", "check", file, "--no-json"], {
      environment,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/ {2}warn {2}routes\[0\] POST \/a {2}works before.*\n +→ use settle/);
    expect(stdout).toMatch(/Nothing must be fixed, 1 warning\.\n$/);
  });

  test("everything that is wrong, each with its line, and 3", async () => {
    const rules = [...usualRules, '{ match: "GET /v1/*", upstream: apo, price: 0.10 }'];
    const file = gatewayFile("wrong.yaml", { rules, network: "eip155:1" });
    const shown = await farthing(["gateway", "check", file, "--no-json"]);
    expect(shown.code).toBe(3);
    expect(shown.stdout.match(/^ {2}FAIL {2}line \d+ +\S+/gm)).toEqual([
      "  FAIL  line 5   network",
      "  FAIL  line 7   upstreams.api.headers.Authorization",
      "  FAIL  line 12  routes[3].price",
      "  FAIL  line 12  routes[3].upstream",
    ]);
    const piped = await farthing(["gateway", "check", file, "--json"]);
    expect(piped.code).toBe(3);
    expect(JSON.parse(piped.stdout)).toMatchObject({
      ok: false,
      problems: [{ path: "network", line: 5 }, { line: 7 }, { line: 12 }, { line: 12 }],
    });
    const none = await farthing(["gateway", "check", join(folder, "none.yaml"), "--no-json"]);
    expect(none.code).toBe(3);
    const run = await farthing(["gateway", "--config", write("empty.yaml", "")]);
    expect([run.code, run.stderr]).toEqual([
      3,
      expect.stringMatching(/^The gateway cannot start with .*empty\.yaml:\nthe file is empty; /),
    ]);
    expect(none.stdout).toMatch(/There is no file .*none\.yaml\. Name your configuration/);
  });
});

const sold = ["--to", "http://127.0.0.1:9", "--price", "0.01"];
const paidTo = ["--pay-to", "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"];

describe("without a file", () => {
  test("--print-config prints the file, which says the same as the options", async () => {
    const more = ["--facilitator", "https://f.example", "--network", "eip155:51"];
    const asked = ["gateway", ...sold, ...paidTo, ...more, "--print-config"];
    const key = { FARTHING_API_KEY: "frt_test_secret" };
    const printed = await farthing(asked, { environment: key });
    expect([printed.code, printed.stderr]).toEqual([0, ""]);
    expect(printed.stdout).not.toContain("secret");
    const file = write("printed.yaml", printed.stdout);
    const explain = ["gateway", "explain", "-c", file, "POST", "/v1/any", "--json"];
    const explained = await farthing(explain, { environment: key });
    expect(JSON.parse(explained.stdout)).toMatchObject({
      status: 402,
      price: { usdc: "0.01" },
      upstream: { url: "http://127.0.0.1:9/v1/any" },
    });
    expect((await farthing(explain)).stderr).toMatch(/environment variable FARTHING_API_KEY/);
  });

  test.each([
    ["localhost:4000", "http://localhost:4000"],
    ["[::1]:4000/api", "http://[::1]:4000/api"],
  ])("an API may be named by host and port: %s", async (to, url) => {
    const options = ["--to", to, "--price", "0.01", ...paidTo, "--print-config"];
    const { code, stdout } = await farthing(["gateway", ...options]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`url: "${url}"`)]);
  });

  test("a price with a comma is refused in the words of the option, not of a file", async () => {
    const { stderr } = await farthing(["gateway", "--to", "4000", "--price", "0,01", ...paidTo]);
    expect(stderr).toContain('--price is "0,01", but must be: USDC with a decimal point');
    expect(stderr).not.toContain("quotes");
  });

  test("an API may be named by its port, and a price of 0 by its option alone", async () => {
    const byPort = ["--to", "4000", "--price", "0.01", ...paidTo, "--print-config"];
    const { code, stdout } = await farthing(["gateway", ...byPort]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('url: "http://127.0.0.1:4000"')]);
    const free = await farthing(["gateway", "--to", "4000", "--price", "0", ...paidTo]);
    expect([free.code, free.stderr]).toEqual([
      3,
      "The gateway cannot start:\n--price is 0; it must be above 0.\n",
    ]);
  });

  test("without a facilitator and without a node: both ways out, and 3", async () => {
    const { code, stderr } = await farthing(["gateway", ...sold, ...paidTo]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^The gateway cannot start:\nNo network is configured; name a node\./);
    expect(stderr).toMatch(/--facilitator https:\/\/… uses another one\.\n$/);
  });

  test("wrong values have the names of their options, and 3; options that do not fit 2", async () => {
    const wrong = ["--to", "ftp://x", "--price", "1e3", "--pay-to", "0x1", "--network", "1"];
    const { code, stdout, stderr } = await farthing(["gateway", ...wrong, "--listen", "[::]:80"]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr.match(/^--[a-z-]+ is \S+/gm)?.toSorted()).toEqual([
      '--network is "1",',
      '--pay-to is "0x1",',
      '--price is "1e3",',
      "--public-url is missing;",
      '--to is "ftp://x",',
    ]);
    const unfit = [
      [...sold, ...paidTo, "-c", "a.yaml"],
      [...paidTo, "--price", "1"],
      ["--print-config"],
      sold,
    ];
    const codes = await Promise.all(unfit.map((one) => farthing(["gateway", ...one])));
    expect(codes.map((one) => one.code)).toEqual([2, 2, 2, 2]);
  });
});

test("a port that is taken is named, with the way out, and 3", async () => {
  await using taken = createServer();
  const { port } = new URL(await listen(taken));
  const file = gatewayFile("taken.yaml", { port });
  const { code, stderr } = await farthing(["gateway", "-c", file], { environment });
  expect(stderr).toMatch(`Another program already listens on 127.0.0.1:${port}.`);
  expect(code).toBe(3);
});

function checkOnline(name: string, parts: Parts) {
  const file = gatewayFile(name, { publicUrl: "http://127.0.0.1:9", ...parts });
  return farthing(["gateway", "check", file, "--online", "--no-json"], { environment });
}

describe("check --online", () => {
  let devnet: Devnet;
  let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
  let upstream: Server;
  let upstreamUrl: string;
  beforeAll(async () => {
    devnet = await startDevnet({ buyers: 1, relayers: 1 });
    const env = {
      FARTHING_PORT: "0",
      FARTHING_RPC_51: devnet.rpcUrl,
      FARTHING_RELAYER_KEYS: devnet.relayers[0]?.privateKey ?? "",
      DATABASE_URL: `sqlite:${join(folder, "farthing.db")}`,
      FARTHING_LOG_LEVEL: "silent",
    };
    facilitator = await startFacilitator({ config: readConfig({ env }), selfBuilt: true });
    upstream = createServer();
    upstreamUrl = await listen(upstream);
  });
  afterAll(async () => {
    upstream?.close();
    await facilitator?.stop();
    await devnet?.stop();
  });

  test("both answer: 0", async () => {
    const parts = { facilitator: facilitator.url, upstream: upstreamUrl };
    const { code, stdout } = await checkOnline("online.yaml", parts);
    expect(stdout).toMatch(/^ {2}ok {4}facilitator {4}.* settles USDC on eip155:51$/m);
    expect(stdout).toMatch(/^ {2}ok {4}upstreams\.api {2}127\.0\.0\.1:\d+ takes connections$/m);
    expect(stdout).toMatch(/^ {2}warn {2}publicUrl {4}.*were not compared\n +→ run this again/m);
    expect(code).toBe(0);
  });

  test("nobody answers, or not for this network: 4", async () => {
    const { code, stdout } = await checkOnline("offline.yaml", {});
    expect(code).toBe(4);
    expect(stdout).toMatch(/FAIL {2}facilitator .*ECONNREFUSED|FAIL {2}facilitator .*failed/);
    expect(stdout).toMatch(/FAIL {2}upstreams\.api {2}127\.0\.0\.1:9: ECONNREFUSED\n +→ check/);
    expect(stdout).toMatch(/2 things must be fixed/);
    expect(stdout).not.toContain("s3cret");
    const other = await checkOnline("other.yaml", {
      facilitator: facilitator.url,
      network: "eip155:50",
    });
    expect(other.stdout).toMatch(
      /FAIL {2}facilitator .* does not settle on eip155:50, but eip155:51.*\n +→ Choose another/,
    );
  });
});

describe("explain", () => {
  test("the rule, the price and the upstream of a request; nothing is sent", async () => {
    const file = gatewayFile("explained.yaml");
    const asked = ["gateway", "explain", "-c", file, "get", "/v1/%72eports/7?full=1"];
    const { code, stdout, stderr } = await farthing([...asked, "--no-json"], { environment });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^answer {4}402: 0\.01 USDC on Apothem Network/m);
    expect(stdout).toMatch(/^path {6}\/v1\/reports\/7$/m);
    expect(stdout).toMatch(/^not {7}routes\[0\] GET \/health: another path$/m);
    expect(stdout).toMatch(/^rule {6}routes\[1\] GET \/v1\/reports\/:id\n +:id = 7$/m);
    expect(stdout).toMatch(/^upstream {2}api: http:\/\/127\.0\.0\.1:9\/v1\/reports\/7\?full=1$/m);
    expect(stdout).toMatch(/^added .*authorization/m);
    expect(stdout).toMatch(/"amount": "10000"/);
    expect(stdout).not.toContain("s3cret");
    const piped = await farthing([...asked, "--json"], { environment });
    expect(JSON.parse(piped.stdout)).toMatchObject({ status: 402, price: { usdc: "0.01" } });
  });

  test("a trick is told from a path, and a wrong file is 3", async () => {
    const file = gatewayFile("tricked.yaml");
    const asked = ["gateway", "explain", "-c", file, "GET", "/free/%2e%2e/v1/reports/7", "--json"];
    const said = await farthing(asked, { environment });
    expect([said.code, JSON.parse(said.stdout)]).toMatchObject([0, { status: 400 }]);
    const unset = await farthing(asked);
    expect(unset.code).toBe(3);
    expect(unset.stderr).toMatch(/^line 7: .*set the environment variable ORIGIN_KEY/);
  });
});

describe("import", () => {
  const openapi = {
    openapi: "3.1.0",
    info: { title: "Reports", version: "1" },
    servers: [{ url: "http://127.0.0.1:9/v1" }],
    paths: {
      "/reports/{id}": { get: { summary: "One report" } },
      "/reports/latest": { get: {} },
      "/admin": { get: {} },
    },
  };
  const own = ["--public-url", "https://api.example.com", "--facilitator", "embedded"];
  const payTo = ["--pay-to", "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"];

  test("prints a configuration that checks, and later what has changed", async () => {
    const document = write("openapi.json", JSON.stringify(openapi));
    const prices = write("prices.yaml", 'GET /reports/{id}: "0.01"\nGET /reports/latest: "0.02"\n');
    const command = ["gateway", "import", document, "--prices", prices];
    const made = await farthing([...command, ...own, ...payTo]);
    expect([made.code, made.stderr]).toEqual([0, ""]);
    expect(made.stdout).toContain("# Without a price, so left to default:\n#   GET /v1/admin\n");
    const file = write("imported.yaml", made.stdout);
    const checked = await farthing(["gateway", "check", file, "--json"]);
    expect(JSON.parse(checked.stdout)).toMatchObject({
      ok: true,
      rules: [{ path: "/v1/reports/latest" }, { path: "/v1/reports/:id" }, { price: "deny" }],
    });

    writeFileSync(prices, 'GET /reports/{id}: "0.03"\nGET /admin: "5"\n');
    const again = await farthing([...command, "--against", file, "--no-json"]);
    expect(again.stdout).toBe("+ GET /v1/admin  5\n~ GET /v1/reports/:id  0.01 → 0.03\n");
    expect(readFileSync(file, "utf8")).toBe(made.stdout);
  });

  test("what cannot be imported is 3 and says why", async () => {
    const swagger = write("swagger.json", '{ "swagger": "2.0" }');
    const { code, stdout, stderr } = await farthing(["gateway", "import", swagger]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(/is Swagger 2; convert it to OpenAPI 3 first/);
  });
});
