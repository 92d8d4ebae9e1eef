/**
 * The folders that `farthing-operator init` writes, run as their Compose files say but without
 * containers: the service with its command, settings and secrets, and Caddy with its Caddyfile.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { startPostgres, type TestPostgres } from "@farthing/engine/testing";
import { readConfig } from "@farthing/facilitator";
import { callTls, hasCaddy, startCaddy, type TlsCall } from "@farthing/facilitator/testing/caddy";
import { createAuthority } from "@farthing/facilitator/testing/certificates";
import { bodyOn } from "@farthing/facilitator/testing/facilitator";
import { readGatewayConfig } from "@farthing/gateway";
import { startServerProcess } from "@farthing/lab/server-process";
import { pay } from "@farthing/seller/testing/buyer";
import { listen } from "@farthing/seller/testing/listen";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { bin } from "../support/farthing-command.testing.ts";
import { onThisMachine, readComposeFolder, type ComposeService } from "./compose-folder.testing.ts";

const root = join(import.meta.dirname, "../../..");
const work = mkdtempSync(join(tmpdir(), "farthing-compose-"));
const authority = createAuthority();
const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const running = new AsyncDisposableStack();

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet({ blockTimeSeconds: 1, buyers: 1, relayers: 1 });
  running.defer(() => devnet.stop());
});
afterAll(async () => {
  await running.disposeAsync();
  rmSync(work, { recursive: true, force: true });
});

/** Writes a folder for this chain; returns it and the relayer wallet, which has gas. */
async function init(name: string, ...args: string[]): Promise<string> {
  const program = join(root, "packages/operator/bin/farthing-operator.js");
  const rpc = devnet.rpcUrl.replace("127.0.0.1", "host.docker.internal");
  const folder = join(work, name);
  const flags = ["--domain", `${name}.example.com`, "--rpc", rpc];
  const ran = spawnSync(process.execPath, [program, "init", folder, ...flags, ...args], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
  });
  expect([ran.status, ran.stdout]).toEqual([0, expect.stringMatching(/^0x[0-9a-fA-F]{40}\n$/)]);
  await devnet.rpc("anvil_setBalance", [ran.stdout.trim(), "0x8ac7230489e80000"]);
  change(join(folder, "secrets/rpc-51"), (text) =>
    text.replace("host.docker.internal", "127.0.0.1"),
  );
  return folder;
}

const change = (path: string, edit: (text: string) => string) =>
  writeFileSync(path, edit(readFileSync(path, "utf8")));

function serviceIn(folder: string, name: string): ComposeService {
  const service = readComposeFolder(folder).services.get(name);
  if (!service) throw new Error(`There is no service ${name}`);
  return service;
}

/** What the image adds to the settings of a container, and the ports of this machine. */
const places = { FARTHING_HOST: "127.0.0.1", FARTHING_PORT: "0", FARTHING_METRICS_PORT: "0" };

function environmentOf(service: ComposeService): Record<string, string> {
  const entries = Object.entries(service.environment).map(([name, value]) => [
    name,
    name.endsWith("_FILE") ? onThisMachine(service, value) : value,
  ]);
  return Object.fromEntries(entries);
}

/** Starts a service of the folder; calls it over https where there is Caddy, and without it otherwise. */
async function start(folder: string, name: string, addressLine: RegExp) {
  const service = serviceIn(folder, name);
  const command = service.command.length > 0 ? service.command : ["serve"];
  const started = startServerProcess({
    argv: [bin, ...command.map((word) => onThisMachine(service, word))],
    env: { ...environmentOf(service), ...places },
    // The image's folder for data is where the program runs.
    launcher: ["env", "-C", onThisMachine(service, "/var/lib/farthing")],
    addressLine,
  });
  running.defer(async () => void (await started.stop()));
  const url = await started.listening;
  const { environment } = serviceIn(folder, "caddy");
  expect(environment["SITE_SERVICE"]).toBe(`${name}:8402`);
  const site = environment["SITE_NAME"] ?? "";
  if (!hasCaddy) return (path: string, call: TlsCall = {}) => callPlain(`${url}${path}`, call);
  const proxy = await startCaddy({
    config: readFileSync(join(folder, "Caddyfile"), "utf8"),
    authority,
    names: [site],
    environment: { SITE_NAME: site, SITE_SERVICE: new URL(url).host },
  });
  running.defer(() => proxy.stop());
  const call = (path: string, more: TlsCall = {}) =>
    callTls(proxy, authority, `https://${site}${path}`, more);
  await expect.poll(() => call("/").catch(() => undefined)).toBeDefined();
  return call;
}

async function callPlain(url: string, { method = "GET", headers = {}, body }: TlsCall) {
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

const listensOn = /^Farthing listens on (http\S+)$/;

/** Settles a payment at a facilitator of a folder. */
async function settleAt(folder: string) {
  const call = await start(folder, "facilitator", listensOn);
  const headers = { "content-type": "application/json" };
  const path = "/api/facilitator/settle";
  const settled = await call(path, {
    method: "POST",
    headers,
    body: JSON.stringify(bodyOn(devnet)),
  });
  return JSON.parse(settled.body);
}

test("a facilitator of one command settles a payment through its proxy", async () => {
  const folder = await init("pay");
  expect(await settleAt(folder)).toMatchObject({ success: true, network: "eip155:51" });
  // Its database is where backups look for it.
  expect(readFileSync(join(folder, "data/farthing.db")).length).toBeGreaterThan(0);
});

describe("with PostgreSQL", () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
    running.defer(() => postgres.stop());
  });

  test("a facilitator of one command settles a payment through its proxy", async () => {
    const folder = await init("base", "--postgres");
    const { environment } = serviceIn(folder, "postgres");
    const passwordFile = onThisMachine(
      serviceIn(folder, "postgres"),
      environment["POSTGRES_PASSWORD_FILE"] ?? "",
    );
    change(join(folder, "secrets/database-url"), (text) => {
      const url = new URL(text.trim());
      expect([url.username, url.host, url.pathname]).toEqual([
        "farthing",
        "postgres:5432",
        "/farthing",
      ]);
      expect([environment["POSTGRES_USER"], environment["POSTGRES_DB"]]).toEqual([
        "farthing",
        "farthing",
      ]);
      expect(readFileSync(passwordFile, "utf8").trim()).toBe(url.password);
      return postgres.databaseUrl;
    });
    expect(await settleAt(folder)).toMatchObject({ success: true, network: "eip155:51" });
  });
});

test("a gateway of one command sells an API through its proxy", async () => {
  const api = await listen((_, response) => void response.end("worth a cent"));
  running.defer(() => api.close());
  const to = api.url.replace("127.0.0.1", "host.docker.internal");
  const folder = await init("shop", "--gateway", "--to", to, "--price", "0.01", "--pay-to", payTo);
  const file = join(folder, "gateway/gateway.yaml");
  change(file, (text) =>
    text
      .replace("0.0.0.0:8402", "127.0.0.1:0")
      .replace("host.docker.internal", "127.0.0.1")
      .replace("/var/lib/farthing", join(folder, "data")),
  );
  const call = await start(folder, "gateway", /^The gateway listens on (http\S+)$/);
  const asked = await call("/report");
  expect(asked.status).toBe(402);
  expect(asked.body).toContain("https://shop.example.com/report");
  const challenge = new Response(asked.body, { status: 402, headers: headersOf(asked.headers) });
  const [buyer] = devnet.buyers;
  const account = privateKeyToAccount(buyer?.privateKey ?? "0x");
  const paid = await call("/report", { headers: await pay(challenge, "v2", { account }) });
  expect([paid.status, paid.body]).toEqual([200, "worth a cent"]);
});

const headersOf = (headers: Readonly<Record<string, unknown>>) =>
  Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);

const kinds = [
  ["pay", "facilitator"],
  ["base", "facilitator"],
  ["shop", "gateway"],
] as const;

describe.each(kinds)("the files of %s", (name, service) => {
  const folder = join(work, name);

  test("give settings that the service knows, for containers with few rights", () => {
    const one = serviceIn(folder, service);
    const { FARTHING_METRICS_PORT: _, ...env } = environmentOf(one);
    expect(readConfig({ env })).toMatchObject({ networks: [{ network: { id: "eip155:51" } }] });
    expect(one.members).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      stop_grace_period: "60s",
      user: expect.stringMatching(/^[1-9]\d*:\d+$/),
      build: { context: root, dockerfile: "deploy/Dockerfile" },
    });
    // Only Caddy is reached from elsewhere.
    expect(one.members["ports"]).toBeUndefined();
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(one.image).toBe(`farthing:${version}`);
  });

  test("name each volume, secret and service that there is", () => {
    const { services, volumes } = readComposeFolder(folder);
    const used = [...services.values()].flatMap((one) => one.volumes);
    expect(new Set(used)).toEqual(new Set(volumes));
    for (const { members, image } of services.values()) {
      const needed = members["depends_on"] ?? [];
      const names = Array.isArray(needed) ? needed : Object.keys(needed);
      expect(names.filter((other) => !services.has(String(other)))).toEqual([]);
      expect(image).toMatch(/^[\w/]+:[\w.-]*\d+\.\d+[\w.-]*$/);
      for (const port of Array.isArray(members["ports"]) ? members["ports"] : []) {
        expect(port).toMatch(/^(80:80|443:443(\/udp)?|127\.0\.0\.1:9090:9090)$/);
      }
    }
  });

  test("are accepted by Docker Compose", (context) => {
    const compose = spawnSync("docker", ["compose", "version"]);
    if (compose.status !== 0) context.skip("there is no docker compose here");
    const read = spawnSync("docker", ["compose", "--profile", "*", "config", "--quiet"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect([read.status, read.stderr]).toEqual([0, ""]);
  });
});

test("Prometheus reads the metrics of the facilitator's container", () => {
  const { environment } = serviceIn(join(work, "pay"), "facilitator");
  const read = (file: string) =>
    parseYaml(readFileSync(join(work, "pay/prometheus", file), "utf8"));
  const [
    {
      static_configs: [{ targets }],
    },
  ] = read("prometheus.yml").scrape_configs;
  expect(targets).toEqual([`facilitator:${environment["FARTHING_METRICS_PORT"]}`]);
  expect(environment["FARTHING_METRICS_HOST"]).toBe("0.0.0.0");
  expect(read("alerts.yml").groups[0].rules.length).toBeGreaterThan(15);
});

test("the gateway's file of deploy/ is one as it stands", () => {
  const text = readFileSync(join(root, "deploy/gateway/gateway.yaml"), "utf8");
  const config = readGatewayConfig(text.replace("/var/lib/farthing", work));
  expect(config.trustedProxies).toContain("172.16.0.0/12");
});
