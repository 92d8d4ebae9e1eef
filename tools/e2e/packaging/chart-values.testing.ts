/** Values of the chart that tests install it with. */
import type { JsonObject } from "@farthing/protocol";

/** What a gateway's file says beside the chart. */
export const gatewayConfig = {
  publicUrl: "https://api.example.com",
  network: "eip155:51",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  maxTimeoutSeconds: 3600,
  upstreams: { api: { url: "http://api:3000" } },
  routes: [{ match: "* /*", upstream: "api", price: "0.01" }],
};

/** The same for a proxy that asks. */
const askedConfig = { ...gatewayConfig, upstreams: { api: { servedByProxy: true } } };

const ingress = (host: string) => ({ host, className: "traefik", tlsSecret: host });

const everything = {
  secret: { name: "farthing" },
  imagePullSecrets: [{ name: "registry" }],
  serviceAccount: { annotations: { "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/pay" } },
  facilitator: {
    settings: { FARTHING_RATE_LIMIT: 1_000_000, FARTHING_DENY_LIST_FILE: "/etc/lists/deny" },
    upgradeCheck: true,
    volumes: [{ name: "lists", configMap: { name: "lists" } }],
    volumeMounts: [{ name: "lists", mountPath: "/etc/lists", readOnly: true }],
    ingress: ingress("pay.example.com"),
  },
  gateway: {
    enabled: true,
    config: askedConfig,
    secrets: ["ORIGIN_KEY"],
    storage: { className: "fast" },
    ingress: ingress("gateway.example.com"),
  },
  networkPolicy: {
    postgresql: { port: 6432, to: [{ ipBlock: { cidr: "10.1.0.0/16" } }] },
    egress: [{ ports: [{ port: 8545 }] }],
  },
  monitoring: { serviceMonitor: true, rules: true, labels: { release: "prometheus" } },
} satisfies JsonObject;

/** An installation of each kind. */
export const installations: Readonly<Record<string, JsonObject>> = {
  "a facilitator": { secret: { name: "farthing" } },
  "a gateway beside it": {
    secret: { name: "farthing" },
    gateway: { enabled: true, config: gatewayConfig },
  },
  "a gateway alone, at another facilitator": {
    secret: { values: { FARTHING_API_KEY: "key" } },
    facilitator: { enabled: false },
    gateway: {
      enabled: true,
      secrets: ["FARTHING_API_KEY"],
      config: {
        ...gatewayConfig,
        facilitator: { url: "https://facilitator.example", apiKey: "${FARTHING_API_KEY}" },
      },
    },
  },
  "a gateway alone, with a facilitator inside": {
    secret: { name: "farthing" },
    facilitator: { enabled: false },
    gateway: {
      enabled: true,
      secrets: ["FARTHING_RELAYER_KEYS", "FARTHING_RPC_51"],
      settings: { FARTHING_NETWORKS: "eip155:51", FARTHING_BATCH_MAX: 1 },
      config: { ...gatewayConfig, facilitator: "embedded" },
    },
  },
  "everything, with nginx": {
    ...everything,
    forwardAuthorization: {
      via: "nginx",
      service: { name: "api", port: 3000 },
      nginx: { ingress: ingress("api.example.com") },
    },
  },
  "everything, with Traefik": {
    ...everything,
    forwardAuthorization: {
      via: "traefik",
      service: { name: "api", port: 3000 },
      traefik: { host: "api.example.com", tlsSecret: "api" },
    },
  },
  "the least": {
    secret: { name: "farthing" },
    facilitator: { replicas: 1 },
    networkPolicy: { enabled: false },
  },
};
