/** A gateway for tests that pay nothing, and what is sent to it byte by byte. */
import { connect } from "node:net";
import type { JsonObject } from "@farthing/protocol";
import type { GatewayConfig } from "./configuration/configuration.ts";
import { gatewayConfig } from "./configuration/gateway-file.testing.ts";
import { startGateway, type Gateway, type GatewayOptions } from "./gateway.ts";

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

/** Sends bytes and reads until the server closes: the status and all that came. */
export async function sendRaw(
  url: string,
  text: string,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  const received = await new Promise<string>((resolve) => {
    let got = "";
    const socket = connect(Number(port), hostname, () => socket.write(text, "latin1"));
    socket.setEncoding("latin1").on("data", (part: string) => (got += part));
    // A server that has said no may close while we still write.
    socket.on("error", () => {});
    socket.on("close", () => resolve(got));
  });
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0), text: received };
}

/** A request with the given line and headers, closed by the server after its answer. */
export function rawRequest(line: string, headers: readonly string[] = []): string {
  const hasHost = headers.some((header) => /^host:/i.test(header));
  const all = [`${line} HTTP/1.1`, ...(hasHost ? [] : ["Host: api.example.com"]), ...headers];
  return [...all, "Connection: close", "", ""].join("\r\n");
}
