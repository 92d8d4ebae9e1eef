/** Explains what the gateway would do with a request, without sending anything. */
import {
  addressOfKey,
  decodeHeader,
  defined,
  headerNames,
  isObject,
  type JsonObject,
  shortUsdc,
} from "@farthing/protocol";
import {
  createMemoryGrants,
  type Facilitator,
  isPlainHost,
  openChannelDesk,
  readRequestAddress,
} from "@farthing/seller";
import { callerMismatches, chooseRule, type AgentFinding } from "../callers/caller-rule.ts";
import { canonicalPath, splitTarget } from "../routing/canonical-path.ts";
import {
  isServedByProxy,
  type GatewayConfig,
  type RouteConfig,
  type SettleMode,
} from "../configuration/configuration.ts";
import {
  addedHeaders,
  isPassedToUpstream,
  ownPrefixes,
  paymentFacts,
  removableHeaders,
  requestRule,
} from "../headers/header-rules.ts";
import { createBuiltInEndpoints } from "../built-in-endpoints.ts";
import { nameOf } from "./finding.ts";
import { compileRoutes, mismatches, type RouteMatch } from "../routing/route-table.ts";
import { createPaidRoute } from "../paid-route.ts";

export interface AskedRequest {
  /** In capitals. */
  readonly method: string;
  /** Path and query as in the request line. */
  readonly target: string;
  /** The Host header; the host of `publicUrl` when absent. */
  readonly host?: string | undefined;
  readonly caller?: AskingCaller;
}

/** Who asks, for a route whose price differs by caller. */
export interface AskingCaller {
  readonly address?: string | undefined;
  /** As a trusted proxy sends them, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The host of an agent whose signature is taken for valid. */
  readonly agent?: string | undefined;
  /** Unix milliseconds; now when absent. */
  readonly now?: number | undefined;
}

export interface RequestExplanation {
  readonly request: string;
  /** The status of the response to an unpaid request; undefined: the upstream's. */
  readonly status: number | undefined;
  /** The same in a sentence. */
  readonly answer: string;
  /** The form in which the path is matched and proxied. */
  readonly canonicalPath?: string;
  readonly rule?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Rules that were tried before, with the reasons. */
  readonly passedOver?: readonly { readonly rule: string; readonly why: string }[];
  /** Which of the route's prices by caller applies, and why those before it do not. */
  readonly caller?: {
    /** Undefined for the route's own price. */
    readonly entry: string | undefined;
    readonly passedOver: readonly { readonly entry: string; readonly why: string }[];
  };
  readonly price?: {
    readonly usdc: string;
    readonly amount: string;
    readonly network: string;
    readonly asset: string;
    readonly payTo: string;
  };
  readonly settle?: SettleMode;
  readonly stream?: "sse" | "raw";
  /** How the route is sold by payment channels; the price is the most that a request costs then. */
  readonly channel?: {
    readonly isOnly: boolean;
    readonly withdrawDelay: string;
    /** The address that signs claims and refunds, or that the facilitator does. */
    readonly authorizer: string;
  };
  readonly upstream?: {
    readonly name: string;
    /** The upstream's address; undefined where the proxy in front serves the request. */
    readonly url?: string;
    /** Headers of a client that are removed; a trailing `*` stands for any rest. */
    readonly removed: readonly string[];
    /** Names of added headers, never their values. */
    readonly added: readonly string[];
  };
  /** The header PAYMENT-REQUIRED, decoded. */
  readonly challenge?: JsonObject;
}

export async function explainRequest(
  config: GatewayConfig,
  { method, target, host = new URL(config.publicUrl).host, caller: asking }: AskedRequest,
): Promise<RequestExplanation> {
  const request = `${method} ${target}`;
  const table = compileRoutes(config);
  const split = splitTarget(target);
  const path = split && canonicalPath(split.path, table.pathRules);
  if (!split || path === undefined) return { request, ...readInTwoWays("path") };
  if (!isPlainHost(host)) return { request, ...readInTwoWays("Host header") };
  const asked = { request, canonicalPath: path };
  if (createBuiltInEndpoints(config)({ method, path }, false)) {
    return { ...asked, status: 200, answer: "200: the gateway answers this path itself" };
  }
  if (method === "OPTIONS") {
    return { ...asked, status: 204, answer: "204: the gateway answers OPTIONS itself, for CORS" };
  }
  const { match, passedOver } = table.explain(method, host, path);
  const steps = passedOver.map((one) => ({
    rule: labelOf(one.route),
    why: mismatches[one.reason],
  }));
  const so = steps.length === 0 ? asked : { ...asked, passedOver: steps };
  if (match.kind !== "route") {
    const isCase = passedOver.some(({ reason }) => reason === "case_only");
    const { status, answer } = refusals[match.kind];
    return { ...so, status, answer: isCase ? `${answer}${caseHint}` : answer };
  }
  const { route, caller } = await chooseFor(match.route, asking);
  const about = { ...so, ...factsOf({ ...match, route }, path + split.query), ...caller };
  const { amountUnits, settle, stream } = route;
  if (amountUnits === undefined) {
    return { ...about, status: undefined, answer: "free: what the upstream answers" };
  }
  const scheme = new URL(config.publicUrl).protocol.slice(0, -1);
  const address = readRequestAddress({ method, target: path + split.query, host, scheme });
  if (!address.ok) {
    const { status, message } = address.refusal;
    return { ...about, ...(status === 414 ? { status, answer: message } : readInTwoWays("query")) };
  }
  if (method === "HEAD" && route.head === "free") {
    return { ...about, status: undefined, answer: "head: free, the headers of the upstream" };
  }
  const { network, payTo, channels } = config;
  const channel = channelOf(config, route);
  const isSignedElsewhere = channel?.isOnly === true && channels.authorizerKey === undefined;
  const isTold = method === "HEAD" && route.head === "challenge";
  const then = isTold ? "no payment is taken for HEAD" : "then what the upstream answers";
  return {
    ...about,
    status: 402,
    answer: `402: ${shortUsdc(amountUnits)} USDC on ${network.name}, ${then}`,
    price: {
      usdc: shortUsdc(amountUnits),
      amount: amountUnits.toString(),
      network: network.id,
      asset: network.usdc,
      payTo,
    },
    settle,
    ...defined({ stream, channel }),
    ...(isSignedElsewhere
      ? {}
      : { challenge: await challengeOf(config, route, method, path + split.query) }),
  };
}

/** Decides as for a request, but takes the word of who asks. */
async function chooseFor(
  route: RouteConfig,
  { address = "", headers = {}, agent: host, now = Date.now() }: AskingCaller = {},
): Promise<{ route: RouteConfig; caller?: Pick<RequestExplanation, "caller"> }> {
  if (route.callers.length === 0) return { route };
  const verify = async (): Promise<AgentFinding> => ({ kind: "verified", host: host ?? "" });
  const agent = { claimedHost: host, verify };
  const choice = await chooseRule(route.callers, { address, proxyHeaders: headers, now, agent });
  const passedOver = choice.passedOver.map(({ rule, why }) => ({
    entry: rule.label,
    why: callerMismatches[why],
  }));
  const caller = { entry: choice.rule?.label, passedOver };
  return { route: choice.rule?.route ?? route, caller: { caller } };
}

function channelOf({ channels }: GatewayConfig, { channel }: RouteConfig) {
  if (!channel) return undefined;
  const { authorizerKey } = channels;
  return {
    isOnly: channel.only,
    withdrawDelay: channel.withdrawDelay ?? "1d",
    authorizer: authorizerKey === undefined ? "the facilitator" : addressOfKey(authorizerKey),
  };
}

function readInTwoWays(what: string): Pick<RequestExplanation, "status" | "answer"> {
  return { status: 400, answer: `400: the ${what} could be read in two ways, so it is refused` };
}

const caseHint =
  ". A rule would take it in another case of letters; none with another price may then. If the upstream ignores case, set its paths.caseInsensitive";

const refusals = {
  deny: { status: 404, answer: "404: no rule takes it" },
  method_not_allowed: { status: 405, answer: "405: the gateway does not pass this method on" },
  unknown_host: { status: 421, answer: "421: no rule is for this host" },
};

function labelOf(route: RouteConfig): string {
  return route.host === undefined ? nameOf(route) : `${nameOf(route)} (host ${route.host})`;
}

/** Uses the function that decides about headers of real requests. */
function factsOf(
  { route, parameters }: Extract<RouteMatch, { kind: "route" }>,
  target: string,
): Pick<RequestExplanation, "rule" | "parameters" | "upstream"> {
  const { upstream } = route;
  const rule = requestRule(route);
  const removed = removableHeaders.filter((name) => !isPassedToUpstream(name, rule));
  const prefixes = ownPrefixes.filter((prefix) => !isPassedToUpstream(`${prefix}any`, rule));
  const facts = rule.isPaid ? paymentFacts : [];
  return {
    rule: labelOf(route),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    upstream: {
      name: upstream.name,
      ...(isServedByProxy(upstream) ? {} : { url: upstream.url + target }),
      removed: [...new Set([...removed, ...prefixes.map((prefix) => `${prefix}*`)])].sort(),
      added: [...addedHeaders, ...facts, ...upstream.headers.keys()].sort(),
    },
  };
}

/** Returns the exchange's own challenge, which needs no facilitator. */
async function challengeOf(
  config: GatewayConfig,
  route: RouteConfig,
  method: string,
  target: string,
): Promise<JsonObject> {
  const { channels } = config;
  // Without a key of its own, only the facilitator knows who signs.
  const grants = createMemoryGrants();
  const desk =
    channels.authorizerKey && openChannelDesk({ facilitator: noFacilitator, channels, grants });
  const deps = { facilitators: [noFacilitator], grants, onEvent() {}, ...defined({ desk }) };
  const paidRoute = createPaidRoute(config, route, deps);
  const request = { method, target, headers: {}, readBody: async () => undefined };
  const charged = await paidRoute.charge(request, () => new Response());
  if (charged instanceof Response) return {};
  const header = decodeHeader(charged.response.headers.get(headerNames.paymentRequired));
  return isObject(header?.value) ? header.value : {};
}

const silence = { kind: "fault", reason: "unreachable", message: "Nobody is asked." } as const;

const noFacilitator: Facilitator = {
  verify: async () => silence,
  settle: async () => silence,
  settlement: async () => silence,
};
