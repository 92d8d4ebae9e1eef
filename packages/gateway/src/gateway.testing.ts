/** A gateway for tests that pay nothing, and what is sent to it byte by byte. */
import type { JsonObject } from "@farthing/protocol";
import type { Facilitator } from "@farthing/seller";
import type { GatewayConfig } from "./configuration/configuration.ts";
import { gatewayConfig } from "./configuration/gateway-file.testing.ts";
export { rawRequest, sendRaw } from "@farthing/seller/testing/listen";
import { startGateway, type Gateway, type GatewayOptions } from "./gateway.ts";

/** A facilitator that takes every payment. */
export const takesEveryPayment: Facilitator = {
  verify: async () => ({ kind: "verdict", verdict: { isValid: true } }),
  settle: async () => ({
    kind: "settlement",
    settlement: { success: true, transaction: `0x${"cd".repeat(32)}`, network: "eip155:50" },
  }),
  settlement: async () => ({ kind: "not_found" }),
};

/** A configuration as an operator writes it; `changes` replaces members of the file. */
export function configOf(upstreamUrl: string, changes: JsonObject = {}): GatewayConfig {
  const { upstream = {}, ...rest } = changes;
  const api = { url: upstreamUrl, ...(typeof upstream === "object" ? upstream : {}) };
  return gatewayConfig({
    listen: { http: "127.0.0.1:0" },
    // Nobody is there: what these tests ask for never comes as far as a payment.
    facilitator: { url: "http://127.0.0.1:9" },
    upstreams: { api },
    routes: [{ match: "GET /free/*", upstream: "api", free: true }],
    ...rest,
  });
}

/** Starts a gateway in front of an upstream. */
export function startBefore(
  upstreamUrl: string,
  changes: JsonObject = {},
  options: Omit<GatewayOptions, "config"> = {},
): Promise<Gateway> {
  return startGateway({ config: configOf(upstreamUrl, changes), ...options });
}
