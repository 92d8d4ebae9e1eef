/**
 * The Helm chart of deploy/ by the objects that Helm makes of it: Kubernetes knows each member, what names
 * something names what is there, pods have few rights, and wrong values are refused with what to change.
 */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "@farthing/facilitator";
import { readGatewayConfig } from "@farthing/gateway";
import type { JsonObject } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { readPage } from "../../docs/read-page.ts";
import { gatewayConfig, installations } from "./chart-values.testing.ts";
import {
  helm,
  lintChart,
  objectOf,
  podsOf,
  renderChart,
  type KubernetesObject,
  type Labels,
} from "./helm.testing.ts";
import { problemsOf } from "./kubernetes-schemas.testing.ts";

const root = join(import.meta.dirname, "../../..");
const readText = (path: string) => readFileSync(join(root, path), "utf8");

test("the chart has the version of the packages, which is that of its image", () => {
  const { version } = JSON.parse(readText("package.json"));
  const chart = parseYaml(readText("deploy/helm/farthing/Chart.yaml"));
  expect([chart.version, chart.appVersion]).toEqual([version, version]);
});

/** The values that the guide shows, each with the Secret of the first ones. */
const ofGuide = readPage(readText("docs/guides/run-on-kubernetes.md"))
  .filter(({ language }) => language === "yaml")
  .map(({ text, line }): [string, JsonObject] => [
    `line ${line} of the guide`,
    { secret: { name: "farthing" }, ...parseYaml(text) },
  ]);

const cases = [...Object.entries(installations), ...ofGuide];

describe.skipIf(helm === undefined).each(cases)("%s", (_, values) => {
  const objects = helm === undefined ? [] : renderChart(values);
  const pods = podsOf(objects);

  test("is made of objects that Kubernetes knows", async () => {
    const problems = await Promise.all(objects.map(problemsOf));
    expect(problems.flat()).toEqual([]);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test("names pods, ports and services that there are", () => {
    for (const { name, selector, ports } of chosenBy(objects)) {
      const chosen = pods.filter(({ labels }) => isChosen(labels, selector));
      expect(chosen, name).not.toEqual([]);
      const open = chosen.flatMap(({ spec }) => spec.containers[0].ports ?? []);
      const named = open.flatMap((port) => [port.name, port.containerPort]);
      expect(named, name).toEqual(expect.arrayContaining([...ports]));
    }
    for (const { service, port } of calledServices(objects)) {
      if (service !== "api") expect(portsOf(objectOf(objects, "Service", service))).toContain(port);
    }
  });

  test("gives pods few rights, and time to stop", () => {
    expect(pods.length).toBeGreaterThan(0);
    for (const { owner, spec } of pods) {
      expect(spec, owner).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      });
      const [container] = spec.containers;
      expect(container, owner).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        resources: {
          requests: { memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        },
      });
      // The gateway takes 50 s, and 5 s pass before it is told.
      const serves = container.ports !== undefined;
      if (serves) expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(55);
    }
    for (const pod of pods) {
      const secret = pod.spec.volumes.find((volume) => volume.secret)?.secret;
      if (secret) expect(secret).toMatchObject({ defaultMode: 0o440 });
    }
  });

  test("gives settings that the programs accept", () => {
    const settings = objects.find(({ data }) => data?.["FARTHING_NETWORKS"] !== undefined)?.data;
    if (settings) {
      const own = {
        FARTHING_RPC_51: "https://rpc.example",
        FARTHING_RELAYER_KEYS: `0x${"11".repeat(32)}`,
      };
      const { FARTHING_DENY_LIST_FILE: _, ...rest } = settings;
      const env = { ...rest, ...own, DATABASE_URL: "postgres://db.example/farthing" };
      expect(readConfig({ env })).toMatchObject({
        host: "0.0.0.0",
        metrics: { host: "0.0.0.0", port: 9464 },
      });
    }
    const file = objects.find(({ data }) => data?.["gateway.yaml"] !== undefined)?.data;
    if (file) {
      // The folder of the volume has to be there.
      const text = (file["gateway.yaml"] ?? "").replace("/var/lib/farthing", tmpdir());
      const config = readGatewayConfig(text, { FARTHING_API_KEY: "key", ORIGIN_SECRET: "secret" });
      expect(config).toMatchObject({ listen: { http: { port: 8402 }, metrics: { port: 9464 } } });
    }
  });
});

const refusals: [string, JsonObject, string][] = [
  ["no Secret", {}, "create a Secret with DATABASE_URL, FARTHING_RELAYER_KEYS"],
  [
    "SQLite for several processes",
    {
      secret: {
        values: {
          DATABASE_URL: "sqlite:./farthing.db",
          FARTHING_RELAYER_KEYS: "",
          FARTHING_RPC_51: "",
          FARTHING_ID_SECRET: "",
        },
      },
    },
    "secret.values.DATABASE_URL must be postgres://…: SQLite is the file of one process, and here are 2",
  ],
  [
    "no database",
    { secret: { name: "farthing" }, facilitator: { secrets: ["FARTHING_RELAYER_KEYS"] } },
    "facilitator.secrets does not name DATABASE_URL",
  ],
  [
    "a created Secret without one of its keys",
    { secret: { values: { DATABASE_URL: "postgres://db.example/farthing" } } },
    "secret.values has no FARTHING_RELAYER_KEYS",
  ],
  [
    "two databases that send from the same wallets",
    {
      secret: { name: "farthing" },
      gateway: {
        enabled: true,
        secrets: ["FARTHING_RELAYER_KEYS"],
        config: { ...gatewayConfig, facilitator: "embedded" },
      },
    },
    "two databases must not send from the same wallets",
  ],
  [
    "a secret among the settings",
    { secret: { name: "farthing" }, facilitator: { settings: { FARTHING_RELAYER_KEYS: "0x1" } } },
    "'/facilitator/settings/FARTHING_RELAYER_KEYS': value must be 'a key of the Secret",
  ],
  [
    "a setting that there is not",
    { secret: { name: "farthing" }, facilitator: { settings: { FARTHING_NETWORK: "eip155:50" } } },
    "additional properties 'FARTHING_NETWORK' not allowed",
  ],
  [
    "a port that the Service does not know",
    { secret: { name: "farthing" }, facilitator: { settings: { FARTHING_PORT: 80 } } },
    "'/facilitator/settings/FARTHING_PORT': value must be 'set by the chart'",
  ],
  [
    "a gateway's file that the gateway refuses",
    {
      secret: { name: "farthing" },
      gateway: {
        enabled: true,
        config: { ...gatewayConfig, routes: [{ match: "* /*", price: "0.01" }] },
      },
    },
    "'/gateway/config/routes/0': missing property 'upstream'",
  ],
  [
    "a store of several gateways",
    {
      secret: { name: "farthing" },
      gateway: { enabled: true, config: { ...gatewayConfig, store: "memory" } },
    },
    "'/gateway/config/store': value must be 'set by the chart'",
  ],
  [
    "a gateway without anybody who settles",
    {
      facilitator: { enabled: false },
      gateway: { enabled: true, config: gatewayConfig },
    },
    "gateway.config.facilitator is missing",
  ],
  [
    "a proxy whose requests the gateway would pass on itself",
    {
      secret: { name: "farthing" },
      gateway: { enabled: true, config: gatewayConfig },
      forwardAuthorization: { via: "nginx", service: { name: "api" } },
    },
    "gateway.config.upstreams has none with servedByProxy: true",
  ],
];

test.skipIf(helm === undefined).each(refusals)("Helm refuses %s", (_, values, reason) => {
  expect(() => renderChart(values)).toThrow(reason);
});

test.skipIf(helm === undefined)("Traefik asks as its recipe says", () => {
  const { http } = parseYaml(readText("deploy/traefik/authorize.yaml"));
  const objects = renderChart(installations["everything, with Traefik"] ?? {});
  const { forwardAuth } = JSON.parse(
    JSON.stringify(objectOf(objects, "Middleware", "pay-farthing-paid").spec),
  );
  const address = "http://pay-farthing-gateway.shop.svc:8402/__x402/authorize";
  expect(forwardAuth).toEqual({ ...http.middlewares.paid.forwardAuth, address });
  const { routes } = JSON.parse(
    JSON.stringify(objectOf(objects, "IngressRoute", "pay-farthing-paid").spec),
  );
  const { api, preflight } = http.routers;
  expect(routes.map(({ match, priority }: JsonObject) => [match, priority])).toEqual([
    [api.rule, undefined],
    [preflight.rule, preflight.priority],
  ]);
});

test.skipIf(helm === undefined)("Helm's linter finds nothing", () => {
  expect(lintChart(installations["everything, with nginx"] ?? {})).toBe("");
});

test.skipIf(helm === undefined)(
  "a network policy without callers lets nobody in but the gateway",
  () => {
    const networkPolicy = { callers: [], metrics: [] };
    const gateway = { enabled: true, config: gatewayConfig };
    const objects = renderChart({ secret: { name: "farthing" }, networkPolicy, gateway });
    const rulesOf = (name: string) =>
      JSON.stringify(objectOf(objects, "NetworkPolicy", name).spec["ingress"] ?? []);
    expect(rulesOf("pay-farthing-gateway")).toBe("[]");
    const [only, ...more] = JSON.parse(rulesOf("pay-farthing-facilitator"));
    expect([only.from, more]).toEqual([
      [
        {
          podSelector: {
            matchLabels: expect.objectContaining({ "app.kubernetes.io/component": "gateway" }),
          },
        },
      ],
      [],
    ]);
  },
);

/** What changes when the gateway's pod has to be started again. */
function restartChecksum(changes: JsonObject) {
  const config = { ...gatewayConfig, ...changes };
  const objects = renderChart({ secret: { name: "farthing" }, gateway: { enabled: true, config } });
  const pod = podsOf(objects).find(({ owner }) => owner.startsWith("StatefulSet"));
  return pod?.annotations["checksum/restart"];
}

test.skipIf(helm === undefined)(
  "a changed price restarts no gateway, and a changed network does",
  () => {
    const before = restartChecksum({});
    const routes = [{ match: "* /*", upstream: "api", price: "0.02" }];
    expect(restartChecksum({ routes })).toBe(before);
    expect(restartChecksum({ network: "eip155:50" })).not.toBe(before);
  },
);

interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly values: string[] }[];
}

interface Choice {
  readonly name: string;
  readonly selector: Selector;
  readonly ports: readonly (string | number)[];
}

interface PortOfService {
  readonly name: string;
  readonly port: number;
  readonly targetPort: string;
}

interface PolicyRule {
  readonly ports: readonly [{ readonly port: number }];
}

/** Which pods an object is about, and which of their ports. */
function chosenBy(objects: readonly KubernetesObject[]): Choice[] {
  return objects.flatMap(({ kind, metadata, spec }): Choice[] => {
    const name = `${kind} ${metadata.name}`;
    const members = JSON.parse(JSON.stringify(spec ?? {}));
    if (kind === "Service") {
      const ports: PortOfService[] = members.ports;
      const selector = { matchLabels: members.selector };
      return [{ name, selector, ports: ports.map(({ targetPort }) => targetPort) }];
    }
    if (kind === "NetworkPolicy") {
      const rules: PolicyRule[] = members.ingress;
      const ports = rules.map(({ ports: [{ port }] }) => port);
      return [{ name, selector: members.podSelector, ports }];
    }
    const isOfPods = ["Deployment", "StatefulSet", "PodDisruptionBudget"].includes(kind);
    return isOfPods ? [{ name, selector: members.selector, ports: [] }] : [];
  });
}

const matches = (labels: Labels, selector: Labels) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

const isChosen = (labels: Labels, { matchLabels = {}, matchExpressions = [] }: Selector) =>
  matches(labels, matchLabels) &&
  matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ""));

function portsOf({ spec }: KubernetesObject): (string | number)[] {
  const { ports }: { ports: PortOfService[] } = JSON.parse(JSON.stringify(spec));
  return ports.flatMap(({ name, port }) => [name, port]);
}

/** The services that Ingresses, routes of Traefik and monitors lead to. */
function calledServices(objects: readonly KubernetesObject[]) {
  return objects.flatMap((object): { service: string; port: string | number }[] => {
    const {
      rules = [],
      routes = [],
      selector,
      endpoints = [],
    } = JSON.parse(JSON.stringify(object.spec ?? {}));
    if (object.kind === "Ingress") {
      const { service } = rules[0].http.paths[0].backend;
      return [{ service: service.name, port: service.port.name }];
    }
    if (object.kind === "IngressRoute") {
      return routes.map(
        ({ services: [{ name, port }] }: { services: [{ name: string; port: number }] }) => ({
          service: name,
          port,
        }),
      );
    }
    if (object.kind !== "ServiceMonitor") return [];
    const service = objects.find(
      ({ kind, metadata }) => kind === "Service" && matches(metadata.labels, selector.matchLabels),
    );
    return [{ service: service?.metadata.name ?? "", port: endpoints[0].port }];
  });
}
