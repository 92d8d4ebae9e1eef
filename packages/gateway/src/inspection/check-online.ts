import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { isObject, isSameAddress, member } from "@farthing/protocol";
import type { GatewayConfig, UpstreamConfig } from "../configuration/configuration.ts";
import { readJson } from "../upstream.ts";
import { checkChallenges } from "./check-challenges.ts";
import { checkRedirects } from "./check-redirects.ts";
import { fail, ok, type Finding } from "./finding.ts";

/** Checks the facilitator, the upstreams (HEAD of fixed paths) and the gateway, unpaid. */
export async function checkOnline(config: GatewayConfig): Promise<readonly Finding[]> {
  const [services, redirects, challenges] = await Promise.all([
    checkServices(config),
    checkRedirects(config),
    checkChallenges(config),
  ]);
  return [...services, ...redirects, ...challenges];
}

/** Checks that the facilitator serves the network and that the upstreams take connections. */
export async function checkServices(config: GatewayConfig): Promise<readonly Finding[]> {
  const upstreams = [...config.upstreams.values()];
  return Promise.all([checkFacilitator(config), ...upstreams.map((one) => checkUpstream(one))]);
}

/** `/supported` has some kB. */
const maxSupportedBytes = 1024 * 1024;

async function checkFacilitator({ facilitator, network }: GatewayConfig): Promise<Finding> {
  const name = "facilitator";
  if (facilitator.kind === "embedded") {
    return ok(name, "runs inside; farthing doctor looks at its nodes and wallets");
  }
  const asked = `${facilitator.url}/supported`;
  let supported: unknown;
  try {
    const response = await fetch(asked, {
      signal: AbortSignal.timeout(facilitator.timeoutMs),
      redirect: "error",
    });
    supported = await readJson(response, maxSupportedBytes);
    if (response.status !== 200) {
      return fail(name, `${asked} answers ${response.status}`, "check facilitator.url");
    }
  } catch (error) {
    return fail(name, `${asked}: ${codeOf(error)}`, "check facilitator.url and the network");
  }
  const kinds = kindsOf(supported);
  if (!kinds) return fail(name, `${asked} is no x402 answer`, "check facilitator.url");
  const names: readonly unknown[] = [network.id, network.label, ...network.aliases];
  const ours = kinds.filter(
    (kind) => kind["scheme"] === "exact" && names.includes(kind["network"]),
  );
  if (ours.length === 0) {
    const others = [...new Set(kinds.map((kind) => String(kind["network"])))];
    const served = others.join(", ") || "nothing";
    const fix = "choose another network or facilitator";
    return fail(name, `serves ${served}, not ${network.id}`, fix);
  }
  const assets = ours.map((kind) => kind["asset"]).filter((asset) => typeof asset === "string");
  const isUsdc = assets.length === 0 || assets.some((asset) => isSameAddress(asset, network.usdc));
  return isUsdc
    ? ok(name, `${facilitator.url} settles USDC on ${network.id}`)
    : fail(name, `settles another token than USDC on ${network.id}`, "choose another facilitator");
}

function kindsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  const kinds: unknown = isObject(value) ? member(value, "kinds") : undefined;
  return Array.isArray(kinds) ? (kinds as unknown[]).filter((kind) => isObject(kind)) : undefined;
}

async function checkUpstream({ name, url, timeouts }: UpstreamConfig): Promise<Finding> {
  const where = `upstreams.${name}`;
  const { protocol, hostname, port, host } = new URL(url);
  const address = hostname.replace(/^\[|\]$/g, "");
  const isTls = protocol === "https:";
  const number = port === "" ? (isTls ? 443 : 80) : Number(port);
  try {
    const to = { host: address, port: number };
    const socket = isTls ? connectTls({ ...to, servername: address }) : connectPlain(to);
    await connected(socket, isTls ? "secureConnect" : "connect", timeouts.connectMs);
    return ok(where, `${host} takes connections${isTls ? ", its certificate is valid" : ""}`);
  } catch (error) {
    return fail(where, `${host}: ${codeOf(error)}`, `check upstreams.${name}.url`);
  }
}

/** Resolves once the socket is connected, and closes it. */
async function connected(socket: Socket, event: string, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => {
    socket.destroy(Object.assign(new Error("timed out"), { code: `no answer in ${timeoutMs}ms` }));
  }, timeoutMs);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(event, resolve);
      socket.once("error", reject);
    });
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** Returns the error in one word, such as `ECONNREFUSED`; no address, no header. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string")
    return cause.code;
  if (error instanceof Error && error.name === "TimeoutError") return "no answer in time";
  return "the connection failed";
}
