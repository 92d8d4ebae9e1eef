/** Configuration files for tests: a whole one, of which a test changes what it is about. */
import { stringify } from "yaml";
import type { GatewayConfig } from "./configuration.ts";
import { readGatewayConfig } from "./read-configuration.ts";

/** Settings as a file has them. */
export type Settings = Readonly<Record<string, unknown>>;

export const upstream: Settings = { url: "http://127.0.0.1:9001" };

const whole: Settings = {
  version: 1,
  publicUrl: "https://api.example.com",
  facilitator: { url: "https://facilitator.example" },
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  store: "memory",
  upstreams: { api: upstream },
  routes: [{ match: "GET /paid", upstream: "api", price: "0.01" }],
};

/** The text of a file; a setting that is undefined is left out. */
export function gatewayFile(changed: Settings = {}): string {
  const settings = Object.entries({ ...whole, ...changed });
  return stringify(Object.fromEntries(settings.filter(([, value]) => value !== undefined)));
}

/** The configuration of such a file. */
export function gatewayConfig(changed: Settings = {}): GatewayConfig {
  return readGatewayConfig(gatewayFile(changed));
}

/** A rule in short: `GET /paid 0.01`, `GET /free free`. */
export function rule(text: string, more: Settings = {}): Settings {
  const [method, path, price] = text.split(" ");
  const cost = price === "free" ? { free: true } : { price };
  return { match: `${method} ${path}`, upstream: "api", ...cost, ...more };
}
