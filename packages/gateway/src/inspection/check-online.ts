import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { defined } from "@farthing/protocol";
import { checkSeller, coveredFix, createFacilitatorClient } from "@farthing/seller";
import { fileURLToPath } from "node:url";
import {
  allRoutes,
  isFolder,
  isServedByProxy,
  type GatewayConfig,
  type UpstreamConfig,
} from "../configuration/configuration.ts";
import { checkChallenges } from "./check-challenges.ts";
import { checkRedirects } from "./check-redirects.ts";
import { fail, ok, warn, type Finding } from "./finding.ts";

/** Checks the facilitator, the upstreams (HEAD of fixed paths) and the gateway, unpaid. */
export async function checkOnline(config: GatewayConfig): Promise<readonly Finding[]> {
  const [services, redirects, challenges] = await Promise.all([
    checkServices(config),
    checkRedirects(config),
    checkChallenges(config),
  ]);
  return [...services, ...redirects, ...challenges];
}

/** Checks facilitator, key and payee as a seller does, and that the upstreams take connections. */
export async function checkServices(config: GatewayConfig): Promise<readonly Finding[]> {
  const upstreams = [...config.upstreams.values()];
  const [selling, ...reached] = await Promise.all([
    checkSelling(config),
    ...upstreams.map((one) => checkUpstream(one)),
  ]);
  return [...selling, ...reached];
}

async function checkSelling(config: GatewayConfig): Promise<readonly Finding[]> {
  const { facilitators: places, network, payTo } = config;
  const remote = places.flatMap((one) =>
    one.kind === "remote" ? [createFacilitatorClient(one)] : [],
  );
  const seller = { networks: [network], payees: [payTo] };
  const isSoldByChannels = allRoutes(config).some(({ channel }) => channel);
  const channels = isSoldByChannels
    ? { hasKey: config.channels.authorizerKey !== undefined }
    : undefined;
  const problems = await checkSeller({ ...seller, facilitators: remote, ...defined({ channels }) });
  const isInside = places.length > remote.length;
  const ofPlaces = places.flatMap((place, index): Finding | Finding[] => {
    const name = places.length === 1 ? "facilitator" : `facilitator[${index}]`;
    if (place.kind === "embedded") {
      return ok(name, "runs inside; farthing doctor looks at its nodes and wallets");
    }
    const found = problems.filter(({ facilitator }) => facilitator === place.name);
    if (found.length === 0) return ok(name, `${place.url} settles USDC on ${network.id}`);
    return found.map(({ message, fix, isCovered = isInside }) =>
      isCovered ? warn(name, message, coveredFix) : fail(name, message, fix),
    );
  });
  const others = problems.filter(({ facilitator }) => facilitator === undefined);
  return [...ofPlaces, ...others.map(({ message, fix }) => fail("payTo", message, fix))];
}

async function checkUpstream({ name, url, timeouts }: UpstreamConfig): Promise<Finding> {
  const where = `upstreams.${name}`;
  // A folder was found when the configuration was read.
  if (isFolder({ url })) return ok(where, `${fileURLToPath(url)} is a folder`);
  if (isServedByProxy({ url })) return ok(where, "is served by the proxy in front");
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
