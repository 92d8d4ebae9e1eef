/**
 * What the Helm chart installs, run without a cluster: the programs with the arguments, variables and files
 * of their pods, on a real chain, a real PostgreSQL and a real nginx. Only addresses are changed.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { startPostgres } from "@farthing/engine/testing";
import { bodyOn } from "@farthing/facilitator/testing/facilitator";
import { startServerProcess } from "@farthing/lab/server-process";
import type { JsonObject } from "@farthing/protocol";
import { pay } from "@farthing/seller/testing/buyer";
import { listen } from "@farthing/seller/testing/listen";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bin, startFarthing } from "../support/farthing-command.testing.ts";
import { hasProxy, startNginx } from "../support/proxies.testing.ts";
import { freePorts } from "../support/free-ports.testing.ts";
import { gatewayConfig } from "./chart-values.testing.ts";
import { helm, objectOf, podsOf, renderChart, type KubernetesObject } from "./helm.testing.ts";
import { placePod, writeVolume, type PlacedContainer } from "./pod.testing.ts";

const work = mkdtempSync(join(tmpdir(), "farthing-chart-"));
const running = new AsyncDisposableStack();
/** What the API is asked, and by whom. */
const asked: string[] = [];
let devnet: Devnet;
let apiUrl = "";
let objects: KubernetesObject[];
/** A pod of the facilitator, which runs until the end. */
let facilitator: { readonly url: string };

beforeAll(async () => {
  if (helm === undefined) return;
  devnet = await startDevnet({ blockTimeSeconds: 1, buyers: 2, relayers: 3 });
  running.defer(() => devnet.stop());
  const postgres = await startPostgres();
  running.defer(() => postgres.stop());
  const api = await listen((request, response) => {
    const { "x-payment-payer": payer, "x-forwarded-for": caller } = request.headers;
    asked.push([request.url, payer, caller].join(" "));
    response.end("worth a cent");
  });
  running.defer(() => api.close());
  apiUrl = api.url;
  const route = { match: "GET /*", price: "0.01" };
  objects = renderChart({
    secret: {
      values: {
        DATABASE_URL: postgres.databaseUrl,
        FARTHING_RELAYER_KEYS: `${keys().slice(0, 2).join(",")}\n`,
        FARTHING_RPC_51: devnet.rpcUrl,
        FARTHING_ID_SECRET: "0f".repeat(32),
        ORIGIN_KEY: "of the origin\n",
      },
    },
    trustedProxies: ["127.0.0.1"],
    facilitator: { settings: { FARTHING_BATCH_MAX: 10 }, upgradeCheck: true },
    gateway: {
      enabled: true,
      secrets: ["ORIGIN_KEY"],
      config: {
        ...gatewayConfig,
        payTo: devnet.seller.address,
        upstreams: {
          api: { url: api.url, headers: { "X-Gateway-Secret": "${ORIGIN_KEY}" } },
          site: { servedByProxy: true },
        },
        routes: [
          { ...route, match: "GET /site/*", upstream: "site" },
          { ...route, upstream: "api" },
        ],
      },
    },
    forwardAuthorization: { via: "nginx", service: { name: "api" } },
  });
  facilitator = await startFacilitator();
});
afterAll(async () => {
  await running.disposeAsync();
  rmSync(work, { recursive: true, force: true });
});

/** A wallet belongs to one database: two are the facilitator's, and one is the gateway's own. */
const keys = () => devnet.relayers.map(({ privateKey }) => privateKey);

let placed = 0;

/** The pod of a kind of object, on this machine. */
function place(owner: string, installed = objects): PlacedContainer {
  const pod = podsOf(installed).find((one) => one.owner === owner);
  if (!pod) throw new Error(`There is no ${owner}`);
  return placePod(installed, pod.spec, join(work, `${++placed}`));
}

/** Free ports of this machine, in place of those of a pod. */
const places = { FARTHING_HOST: "127.0.0.1", FARTHING_PORT: "0", FARTHING_METRICS_PORT: "0" };

async function start({ args, environment, place: path }: PlacedContainer, addressLine: RegExp) {
  const lines: string[] = [];
  const started = startServerProcess({
    argv: [bin, ...args],
    env: { ...environment, ...places },
    // The image's folder for data is where the program runs.
    launcher: ["env", "-C", path("/var/lib/farthing")],
    addressLine,
    onLine: (line) => lines.push(line),
  });
  running.defer(async () => void (await started.stop()));
  return { url: await started.listening, lines, stop: started.stop };
}

const startFacilitator = () =>
  start(place("Deployment pay-farthing-facilitator"), /^Farthing listens on (http\S+)$/);

/** The statuses of all probes of a pod, at the address of its program. */
async function probesOf(owner: string, url: string): Promise<number[]> {
  const { container } = place(owner);
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
  return Promise.all(
    probes.map(async (probe) => {
      expect(container.ports?.map(({ name }) => name)).toContain(probe?.httpGet.port);
      return (await fetch(`${url}${probe?.httpGet.path}`)).status;
    }),
  );
}

async function settleAt(url: string): Promise<unknown> {
  const body = JSON.stringify(bodyOn(devnet));
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/api/facilitator/settle`, { method: "POST", headers, body });
  return response.json();
}

/** Runs a pod that ends; gives its exit code and what it said. */
const runToEnd = (owner: string) => {
  const { args, environment } = place(owner);
  return startFarthing(args, { ...environment, ...places }).ended;
};

describe.skipIf(helm === undefined)("the facilitator", () => {
  test("two pods settle payments on one database, and one stops in order", async () => {
    const second = await startFacilitator();
    for (const { url } of [second, facilitator]) {
      expect(await probesOf("Deployment pay-farthing-facilitator", url)).toEqual([200, 200, 200]);
      expect(await settleAt(url)).toMatchObject({ success: true, network: "eip155:51" });
    }
    expect(await second.stop()).toBe("0");
  });

  test("an upgrade is checked by a pod of its own", async () => {
    const { code, stdout } = await runToEnd("Job pay-farthing-upgrade-check");
    expect([code, stdout]).toEqual([0, expect.stringContaining("running processes")]);
  });

  test("`helm test` runs the doctor, who looks at what the pods use", async () => {
    const { code, stdout } = await runToEnd("Pod pay-farthing-doctor");
    expect(stdout).toMatch(/ok +server +/);
    expect(stdout).toContain(devnet.relayers[0]?.address);
    expect(code).toBe(0);
  });
});

/** The gateway's pod with a file of this machine's addresses. */
function placeGateway(installed = objects) {
  const pod = place("StatefulSet pay-farthing-gateway", installed);
  const folder = pod.place("/etc/farthing");
  const write = (edit: (file: JsonObject) => object) => {
    const { data } = objectOf(installed, "ConfigMap", "pay-farthing-gateway");
    const text = (data?.["gateway.yaml"] ?? "")
      .replaceAll(/0\.0\.0\.0:\d+/g, "127.0.0.1:0")
      .replace("http://pay-farthing-facilitator:8402", facilitator.url)
      .replace("/var/lib/farthing", pod.place("/var/lib/farthing"));
    writeVolume(folder, { "gateway.yaml": JSON.stringify(edit(JSON.parse(text))) });
  };
  write((file) => file);
  return { ...pod, args: pod.args.map(pod.place), write };
}

const startGateway = (pod: PlacedContainer) => start(pod, /^The gateway listens on (http\S+)$/);

/** What a buyer is asked for, and gets for a payment. */
async function buy(url: string) {
  const refused = await fetch(url);
  const challenge: JsonObject = await refused.clone().json();
  const [buyer] = devnet.buyers;
  const account = privateKeyToAccount(buyer?.privateKey ?? "0x");
  const headers = { ...(await pay(refused, "v2", { account })), "X-Forwarded-For": "203.0.113.9" };
  const response = await fetch(url, { headers });
  return { challenge, status: response.status, body: await response.text(), response };
}

describe.skipIf(helm === undefined)("the gateway", () => {
  test("sells at the facilitator of the chart, and a changed ConfigMap changes the price without a restart", async () => {
    const pod = placeGateway();
    const gateway = await startGateway(pod);
    expect(await probesOf("StatefulSet pay-farthing-gateway", gateway.url)).toEqual([
      200, 200, 200,
    ]);
    const sale = await buy(`${gateway.url}/report`);
    expect([sale.status, sale.body]).toEqual([200, "worth a cent"]);
    expect(JSON.stringify(sale.challenge)).toContain("https://api.example.com/report");
    expect(existsSync(join(pod.place("/var/lib/farthing"), "gateway.db"))).toBe(true);

    pod.write(({ routes, ...file }) => ({
      ...file,
      routes: JSON.parse(JSON.stringify(routes).replaceAll('"0.01"', '"0.02"')),
    }));
    const priceOf = async () => JSON.stringify(await (await fetch(`${gateway.url}/report`)).json());
    await expect.poll(priceOf).toContain('"20000"');
    expect(await gateway.stop()).toBe("0");
  });

  test("sells with the engine inside, whose database is on its volume", async () => {
    const pod = placeGateway(
      renderChart({
        secret: {
          values: { FARTHING_RELAYER_KEYS: keys().at(2) ?? "", FARTHING_RPC_51: devnet.rpcUrl },
        },
        facilitator: { enabled: false },
        gateway: {
          enabled: true,
          secrets: ["FARTHING_RELAYER_KEYS", "FARTHING_RPC_51"],
          settings: { FARTHING_NETWORKS: "eip155:51" },
          config: {
            ...gatewayConfig,
            facilitator: "embedded",
            upstreams: { api: { url: apiUrl } },
          },
        },
      }),
    );
    const gateway = await startGateway(pod);
    const sale = await buy(`${gateway.url}/report`);
    expect([sale.status, sale.body]).toEqual([200, "worth a cent"]);
    expect(existsSync(join(pod.place("/var/lib/farthing"), "farthing.db"))).toBe(true);
    await gateway.stop();
  });
});

describe.skipIf(helm === undefined || !hasProxy("nginx"))("nginx of the chart", () => {
  test("serves an API to who has paid, behind an ingress controller", async () => {
    const gateway = await startGateway(placeGateway());
    const [port = 0, health = 0] = await freePorts(2);
    const { data } = objectOf(objects, "ConfigMap", "pay-farthing-proxy");
    const own = mkdtempSync(join(work, "nginx-"));
    const file = join(own, "nginx.conf");
    const text = (data?.["nginx.conf"] ?? "")
      .replaceAll("/tmp/", `${own}/`)
      .replace("pay-farthing-gateway:8402", new URL(gateway.url).host)
      .replace("http://api:80", apiUrl)
      .replace("listen 8080;", `listen 127.0.0.1:${port};`)
      .replace("listen 8081;", `listen 127.0.0.1:${health};`);
    writeFileSync(file, text);
    const proxy = await startNginx(file, own, `http://127.0.0.1:${health}`);
    running.defer(() => proxy.stop());
    const url = `http://127.0.0.1:${port}/site/report`;
    asked.length = 0;
    const sale = await buy(url);
    expect([sale.status, sale.body]).toEqual([200, "worth a cent"]);
    expect(sale.response.headers.get("PAYMENT-RESPONSE")).not.toBeNull();
    expect(JSON.stringify(sale.challenge)).toContain("https://api.example.com/site/report");
    // The ingress controller has said who calls.
    expect(asked).toEqual([`/site/report ${devnet.buyers[0]?.address} 203.0.113.9`]);
  });
});
