/** The rules and the warnings of `gateway check` for a valid configuration. */
import { shortUsdc } from "@farthing/protocol";
import { isIP } from "node:net";
import {
  allRoutes,
  isFolder,
  isMeteredByChannel,
  isServedByProxy,
  type CallerRule,
  type FacilitatorConfig,
  type GatewayConfig,
  type RouteConfig,
} from "../configuration/configuration.ts";
import { formatDuration } from "../configuration/duration-size.ts";
import { findDocumentedRedirects } from "./check-redirects.ts";
import { nameOf, warn, type Finding } from "./finding.ts";
import { findUndescribed } from "../openapi/described-operations.ts";
import { findUnchecked } from "../openapi/input-check.ts";
import { timeBudgetMs } from "../routing/route-conflicts.ts";

export interface RuleLine {
  /** Index; `*` for everything that no rule names. */
  readonly place: number | "*";
  readonly method: string;
  readonly path: string;
  readonly host?: string;
  /** Absent where nothing is served. */
  readonly upstream?: string;
  /** USDC, or `free`, or `deny`. */
  readonly price: string;
  /** Base units; absent where nothing is paid. */
  readonly amount?: string;
  /** Prices by caller, in the order in which they are tried: USDC, or `free`. */
  readonly callers?: readonly { readonly entry: string; readonly price: string }[];
  /** When the money moves, and `+sse` or `+raw` for streams. */
  readonly settle?: string;
  /** Whether the route is sold by channels only, or beside single payments. */
  readonly channel?: "only" | "beside";
  /** Upstream, settlement and margin against the signature's validity. */
  readonly budget?: string;
}

/** Returns all rules in the order they are tried, and `default`. */
export function listRules({ routes, fallback }: GatewayConfig): readonly RuleLine[] {
  const rest: RuleLine = fallback
    ? { ...lineOf(fallback), place: "*", path: "*" }
    : { place: "*", method: "*", path: "*", price: "deny" };
  return [...routes.map(lineOf), rest];
}

function lineOf(route: RouteConfig): RuleLine {
  const { index, pattern, host, upstream, amountUnits, settle, stream, channel, callers } = route;
  const about = {
    place: index,
    method: pattern.method,
    path: pattern.path,
    ...(host === undefined ? {} : { host }),
    upstream: upstream.name,
  };
  if (amountUnits === undefined) return { ...about, price: "free" };
  return {
    ...about,
    price: shortUsdc(amountUnits),
    amount: amountUnits.toString(),
    ...(callers.length === 0 ? {} : { callers: callers.map(callerPrice) }),
    settle: stream === undefined ? settle : `${settle}+${stream}`,
    ...(channel === undefined ? {} : { channel: channel.only ? "only" : "beside" }),
    budget: `${timeBudgetMs(route).map(formatDuration).join("+")} ≤ ${route.maxTimeoutSeconds}s`,
  };
}

function callerPrice({ label, route: { amountUnits } }: CallerRule) {
  return { entry: label, price: amountUnits === undefined ? "free" : shortUsdc(amountUnits) };
}

/** Afterwards anyone can rebuild a settled payment's header from the chain. */
const maxReplayMs = 10 * 60_000;

const builtInEndpoints = ["/openapi.json", "/.well-known/x402"];

/** Returns findings about settings that work and deserve a look. */
export function findWarnings(config: GatewayConfig): readonly Finding[] {
  const { fallback, facilitators, publicUrl, store, replay, upstreams } = config;
  const all = allRoutes(config);
  const isPaid = all.some(({ amountUnits }) => amountUnits !== undefined);
  return [
    ...all.flatMap(warningsOf),
    ...findDocumentedRedirects(config),
    ...findDocumentProblems(config),
    ...when(!isPaid, "routes", "no route has a price", "give one a price"),
    ...when(
      isPaid && fallback !== undefined && fallback.amountUnits === undefined,
      "default",
      "whatever no rule names is free",
      "use default: deny",
    ),
    ...when(
      facilitators.some((one) => one.kind === "remote" && isPlainAbroad(one.url)),
      "facilitator",
      "is asked without TLS, its key in the clear",
      "use https",
    ),
    ...when(
      isPlainAbroad(publicUrl),
      "publicUrl",
      "is not https: payments can be read on their way",
      "put TLS in front",
    ),
    ...when(
      isPaid && store.kind === "memory",
      "store",
      "a restart forgets payments under way",
      "use sqlite:./gateway.db",
    ),
    ...when(
      all.some(({ channel }) => channel) && !facilitators.some(hasKey),
      "facilitator",
      "without an apiKey no facilitator keeps and claims the vouchers of channels",
      "set an apiKey, or run farthing gateway channels claim within the withdrawal delay",
    ),
    ...when(
      replay.ttlMs > maxReplayMs,
      "replay",
      "paid answers are kept for more than 10m",
      "shorten replay.ttl to 10m",
    ),
    ...[...upstreams.values()].flatMap(({ name, url, headers }) =>
      when(
        // Nobody reaches a folder but through the gateway, and a proxy asks it.
        headers.size === 0 && !isFolder({ url }) && !isServedByProxy({ url }),
        `upstreams.${name}`,
        "whoever reaches it gets everything for nothing",
        `let it listen privately, and demand a secret of upstreams.${name}.headers`,
      ),
    ),
  ];
}

/** Explains which operations of the upstream's document are not validated, or described in part. */
function findDocumentProblems(config: GatewayConfig): readonly Finding[] {
  const unchecked = findUnchecked(config);
  const known = new Set(unchecked.map(({ name }) => name));
  const undescribed = findUndescribed(config).filter(({ name }) => !known.has(name));
  return [
    ...unchecked.map(({ name, problem }) =>
      warn(
        "discovery.openapi",
        `requests of ${name} are not validated before they are paid: ${problem}`,
        "correct the document, or use discovery.validate: false",
      ),
    ),
    ...undescribed.map(({ name, problem }) =>
      warn(
        "discovery.openapi",
        `${name} is not described to catalogues in full: ${problem}`,
        "shorten or correct the document, or use discovery.describe: false",
      ),
    ),
  ];
}

function warningsOf(route: RouteConfig): readonly Finding[] {
  const { pattern, amountUnits, settle, head, stream } = route;
  const where = nameOf(route);
  const isUnsafe = pattern.method !== "GET" && amountUnits !== undefined;
  return [
    ...when(
      isUnsafe && settle === "after-success",
      where,
      "works before the money moves: a payer can cancel or empty their wallet meanwhile",
      "use settle: before-upstream if the work costs or changes something",
    ),
    ...when(
      stream !== undefined && isMeteredByChannel(route),
      where,
      "a stream costs a channel the whole price, since its charge is sent before its body",
      "leave stream out; an event stream is then complete before it is sent, and costs its usage",
    ),
    ...when(
      head === "free",
      where,
      "HEAD asks the upstream without payment: its work and its headers are free",
      "leave head out, unless the headers are worth nothing",
    ),
    ...when(
      builtInEndpoints.includes(pattern.path) || pattern.path.startsWith("/__x402/"),
      where,
      "the gateway answers GET of this path itself",
      "remove the rule",
    ),
  ];
}

function when(isFound: boolean, name: string, text: string, fix: string): readonly Finding[] {
  return isFound ? [warn(name, text, fix)] : [];
}

function hasKey(one: FacilitatorConfig): boolean {
  return one.kind === "remote" && one.apiKey !== undefined;
}

/** Whether an address uses plain HTTP beyond this machine and its private networks. */
function isPlainAbroad(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  if (protocol === "https:") return false;
  const isNumber = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
  const isNear = /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[::1\]|\[f[cd])/;
  // A name without dots, such as a container's, is of this network.
  return isNear.test(hostname) ? false : isNumber || hostname.includes(".");
}
