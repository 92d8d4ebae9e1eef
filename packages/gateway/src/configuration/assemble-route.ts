import { defined } from "@farthing/protocol";
import { assembleCallers } from "./assemble-callers.ts";
import type { ConfigContext } from "./config-context.ts";
import {
  isServedByProxy,
  type ChannelSettings,
  type RouteConfig,
  type UpstreamConfig,
} from "./configuration.ts";
import type { GatewayFile, RouteSettings } from "./configuration-schema.ts";
import type { Location } from "./read-settings.ts";
import type { RoutePattern } from "../routing/route-pattern.ts";

export interface RouteDeps {
  readonly file: GatewayFile;
  readonly upstreams: ReadonlyMap<string, UpstreamConfig>;
  readonly context: ConfigContext;
}

/** Reported where a facilitator elsewhere would have to serve before confirmation. */
export const needsEmbedded = 'is "queued", which needs facilitator: embedded; write confirmed';

/** The pattern of `default`: every request. */
const everything: RoutePattern = { method: "*", path: "/*", segments: [], hasRest: true };

/** A rule, or without match and host the route of `default`. */
type AnyRoute = Omit<RouteSettings, "match" | "host"> &
  Partial<Pick<RouteSettings, "match" | "host">>;

/** Assembles a route; undefined, and reported, for a rule without a pattern or upstream. */
export function assembleRoute(
  { for: callers, ...settings }: AnyRoute,
  index: number,
  deps: RouteDeps,
): RouteConfig | undefined {
  const assembled = assembleAtOnePrice(settings, index, deps);
  if (!assembled || callers.length === 0) return assembled;
  const isForAgents = callers.some(({ agents }) => agents !== undefined);
  const { registrationUrl } = deps.file.agents;
  const route = isForAgents ? { ...assembled, agentRegistrationUrl: registrationUrl } : assembled;
  const location = settings.match ? ["routes", index, "for"] : ["default", "for"];
  return { ...route, callers: assembleCallers(callers, route, { ...deps, location }) };
}

function assembleAtOnePrice(
  {
    match,
    host,
    free: _free,
    price,
    pass,
    channel,
    upstream: upstreamName,
    ...own
  }: Omit<AnyRoute, "for">,
  index: number,
  { file, upstreams, context }: RouteDeps,
): RouteConfig | undefined {
  const location = match ? ["routes", index] : ["default"];
  const isMatchWrong = context.isWrong([...location, "match"]);
  const isUpstreamWrong = context.isWrong([...location, "upstream"]);
  checkPrice(location, context);
  if (own.balance) {
    checkBalance(location, own.balance, context);
    if ((own.serveWhen ?? file.serveWhen) === "queued") {
      const message = "needs serveWhen: confirmed, or a top-up may cost nothing";
      context.report([...location, "balance"], message);
    }
  }
  if (own.serveWhen === "queued" && file.facilitator !== "embedded") {
    context.report([...location, "serveWhen"], needsEmbedded);
  }
  if (own.passes && (own.serveWhen ?? file.serveWhen) === "queued") {
    context.report(
      [...location, "passes"],
      "needs serveWhen: confirmed, or a pass may cost nothing",
    );
  }
  const sold = channel === true ? { only: false } : channel === false ? undefined : channel;
  if (sold) checkChannel(location, { ...file, ...defined(own), channel: sold }, context);
  const upstream = upstreams.get(upstreamName);
  if (!upstream && !isUpstreamWrong) {
    const known = [...upstreams.keys()].join(", ") || "none";
    const message = `is ${JSON.stringify(upstreamName)}, but upstreams has: ${known}`;
    context.report([...location, "upstream"], message);
  }
  if (!upstream || isMatchWrong || isUpstreamWrong) return undefined;
  const isProxys = isServedByProxy(upstream);
  if (isProxys) checkServedByProxy(location, match ?? everything, context);
  return {
    serveWhen: file.serveWhen,
    redeliver: file.redeliver,
    requireBinding: file.requireBinding,
    maxTimeoutSeconds: file.maxTimeoutSeconds,
    ...own,
    // A payment tops up a balance first, and work that fails costs nothing then. A proxy works afterwards.
    settle: own.balance || isProxys ? "before-upstream" : own.settle,
    // The proxy would do the work of a repeat again.
    ...(isProxys && !isRepeatable(match) ? { redeliver: "never" } : {}),
    name: match ? `${match.method} ${match.path}` : "default",
    index,
    pattern: match ?? everything,
    host: host?.toLowerCase(),
    upstream,
    amountUnits: own.balance?.topUp ?? price,
    channel: sold,
    pass: new Set(pass),
    callers: [],
    caller: undefined,
    agentRegistrationUrl: undefined,
  };
}

const paidSettings = [
  "freeRequests",
  "settle",
  "redirects",
  "head",
  "serveWhen",
  "redeliver",
  "requireBinding",
  "passes",
  "referenceHeader",
  "costFrom",
  "channel",
  "for",
] as const;

/** A top-up buys no single response, so rules about that one do not fit. */
const unfitForBalance = ["freeRequests", "settle", "redirects", "head", "passes"] as const;

/** Settings of paid routes are a mistake on a free one. */
function checkPrice(location: Location, { isGiven, report }: ConfigContext) {
  const isFree = isGiven([...location, "free"]);
  const hasBalance = isGiven([...location, "balance"]);
  const given = [isFree, hasBalance, isGiven([...location, "price"])].filter((one) => one);
  if (given.length !== 1) {
    report(
      location,
      'must have either free: true or a price (or a balance), for example price: "0.01"',
    );
  }
  const hasChannel = isGiven([...location, "channel"]);
  if (isGiven([...location, "costFrom"]) && !hasBalance && !hasChannel && !isFree) {
    report([...location, "costFrom"], "needs a balance or a channel that requests are charged to");
  }
  for (const name of paidSettings) {
    const at = [...location, name];
    if (isFree && isGiven(at)) report(at, "makes no sense on a free route; remove it");
  }
}

/** What depends on the response, which the gateway never sees. */
const ofTheResponse = [
  ["redirects"],
  ["stream"],
  ["costFrom"],
  ["balance", "costHeader"],
  ["balance", "overrun"],
  ["channel", "costHeader"],
] as const;

function isRepeatable(match: RoutePattern | undefined): boolean {
  return match?.method === "GET";
}

function checkServedByProxy(
  location: Location,
  match: RoutePattern,
  { isGiven, valueAt, report }: ConfigContext,
) {
  for (const setting of ofTheResponse) {
    const at = [...location, ...setting];
    if (isGiven(at)) report(at, "needs the response, which a proxy serves here; remove it");
  }
  if (valueAt([...location, "settle"]) === "after-success") {
    const message = "is after-success, but a proxy serves the response: write before-upstream";
    report([...location, "settle"], message);
  }
  const redeliver = valueAt([...location, "redeliver"]);
  if (redeliver !== undefined && redeliver !== "never" && !isRepeatable(match)) {
    const message = `is ${JSON.stringify(redeliver)}, but the proxy would do the work of a repeat again: write never, or a rule for GET`;
    report([...location, "redeliver"], message);
  }
}

function checkBalance(
  location: Location,
  { topUp, reserve }: NonNullable<RouteConfig["balance"]>,
  { isGiven, report }: ConfigContext,
) {
  if (reserve > topUp) {
    report([...location, "balance", "reserve"], "is more than topUp, so no request could be paid");
  }
  for (const name of unfitForBalance) {
    const at = [...location, name];
    if (isGiven(at)) report(at, "makes no sense on a route with a balance; remove it");
  }
}

/** A voucher pays for calls as they come, and to one receiver for ever. */
const unfitForChannel = ["passes", "balance"] as const;

function checkChannel(
  location: Location,
  route: Pick<RouteConfig, "serveWhen" | "requireBinding" | "costFrom"> &
    Pick<GatewayFile, "facilitator" | "channels"> & { readonly channel: ChannelSettings },
  { isGiven, report }: ConfigContext,
) {
  const { serveWhen, requireBinding, costFrom, facilitator, channels, channel } = route;
  for (const name of unfitForChannel) {
    const at = [...location, name];
    if (isGiven(at)) report(at, "stands beside channel; sell it as a route of its own");
  }
  const at = [...location, "channel"];
  if (serveWhen === "queued") report(at, "needs serveWhen: confirmed, or a deposit may be missing");
  if (requireBinding) report(at, "needs requireBinding: false, since vouchers are not bound");
  if (costFrom && channel.costHeader !== undefined) {
    report([...at, "costHeader"], "stands beside costFrom; leave one of them out");
  }
  if (facilitator === "embedded" && channels.authorizerKey === undefined) {
    report(at, "needs channels.authorizerKey, since an embedded facilitator signs no claims");
  }
}
