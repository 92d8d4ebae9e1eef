/** A route with a price. After a reload, payments signed for previous terms are accepted. */
import {
  createSeller,
  type BalanceOptions,
  type ChannelDesk,
  type CostOf,
  readRequestAddress,
  type Facilitator,
  type PassOptions,
  type PayerCounts,
  type PaymentRecords,
  type SellerEvent,
  type SellerOptions,
  type Serve,
  type Terms,
  finalityAt,
  walletsAt,
} from "@farthing/seller";
import {
  agentSignatureTag,
  defined,
  isBookText,
  isEventStream,
  referenceCharsMax,
} from "@farthing/protocol";
import type { ChoosePrice } from "./callers/choose-price.ts";
import type { GatewayConfig, RouteConfig } from "./configuration/configuration.ts";
import { clientCredentials } from "./headers/header-rules.ts";
import type { Incoming } from "./incoming.ts";
import type { Log } from "./log.ts";
import { settleWaitMs } from "./routing/route-conflicts.ts";
import { errorResponse } from "./error-response.ts";
import { costOfBody } from "./usage-cost.ts";
import type { OperationDescriber } from "./openapi/described-operations.ts";
import type { OperationCheck } from "./openapi/input-check.ts";

/** The charging dependencies of all routes. */
export interface ChargingDeps {
  /** In order. */
  readonly facilitators: readonly Facilitator[];
  readonly grants: PaymentRecords;
  /** Shared by all routes, which a buyer's channel pays for. Without it none is sold by channels. */
  readonly desk?: ChannelDesk;
  /** A node that is asked about sign-ins of contract wallets, and which payments are final. */
  readonly rpcUrl?: string;
  /** What each payer has asked for, on all routes. */
  readonly payers?: PayerCounts;
  /** For what happens outside of requests. */
  readonly log?: Log;
  /** Chooses among the prices of a route that has several. */
  readonly choosePrice?: ChoosePrice;
  /** Also called after the response to the request. */
  readonly onEvent: (route: RouteConfig, event: SellerEvent) => void;
}

export type RequestToCharge = Pick<Incoming, "method" | "target" | "headers" | "readBody"> &
  Partial<Pick<Incoming, "gone">>;

export type PaidRoute = ReturnType<typeof createPaidRoute>;

export interface DatedTerms extends Terms {
  /** By `performance.now()`. */
  readonly replacedAtMs?: number;
}

export interface PaidRouteParts {
  /** The terms before a reload. */
  readonly previous?: readonly DatedTerms[] | undefined;
  readonly check?: OperationCheck | undefined;
  readonly describe?: OperationDescriber | undefined;
}

/** More changes within the validity of one signature are a mistake. */
const maxPreviousTerms = 8;

/** The upstream's timeout ends first, and names the reason. */
const workSlackMs = 1_000;

export function createPaidRoute(
  config: GatewayConfig,
  own: RouteConfig,
  deps: ChargingDeps,
  { previous = [], check, describe }: PaidRouteParts = {},
) {
  const { publicUrl, network, payTo, discovery } = config;
  const options: SellerOptions = {
    facilitator: deps.facilitators,
    grants: deps.grants,
    payTo,
    network: network.id,
    publicUrl,
    waitMs: settleWaitMs,
    bodyBytesMax: own.upstream.requestBytesMax,
    paywall: { ...defined({ name: discovery.title }), ...config.paywall },
    onEvent: (event) => deps.onEvent(own, event),
    ...defined({ rateLimit: rateLimitOf(config, deps) }),
    channels: config.channels,
    ...defined({ extensions: agentExtension(own) }),
    ...(deps.rpcUrl === undefined ? {} : askingNode(deps.rpcUrl)),
  };
  const seller = createSeller(options, undefined, deps.desk);
  const { maxTimeoutSeconds, redirects, head, serveWhen, redeliver, requireBinding } = own;
  const rules = { maxTimeoutSeconds, redirects, head, serveWhen, redeliver, requireBinding };
  const { amountUnits: price, description, mimeType } = own;
  const route = seller.route({
    ...rules,
    settle: own.settle === "after-success" ? "after-success" : "before-work",
    workMs: own.upstream.timeouts.totalMs + workSlackMs,
    stream: own.stream !== undefined,
    ...defined({ price, description, mimeType, check, describe, pass: passOf(own) }),
    ...defined({ reference: referenceOf(own), balance: balanceOf(own) }),
    ...(deps.desk && defined({ channel: own.channel, cost: costOf(own) })),
  });
  const routeName = nameOf(own);
  const current: DatedTerms = { amount: price ?? 0n, payTo, maxTimeoutSeconds };
  const nowMs = performance.now();
  const earlier = previous
    .map((terms) => ({ ...terms, replacedAtMs: terms.replacedAtMs ?? nowMs }))
    .filter((terms) => terms.amount !== current.amount || terms.payTo !== payTo)
    .filter(isAccepted)
    .slice(0, maxPreviousTerms);

  return {
    /** All terms, newest first, for the route that replaces this one. */
    terms: [current, ...earlier],
    /** The challenge for a request that shows nothing; undefined where it takes the whole exchange. */
    challenge: route.challenge,
    /** Uses a pass with less work; undefined where the route takes the whole exchange for it. */
    usePass: route.usePass,
    /** Charges under today's terms, or others that the payment was signed for. */
    async charge(incoming: RequestToCharge, serve: Serve, alsoAccepted: readonly Terms[] = []) {
      const request = toRequest(publicUrl, incoming);
      if (request instanceof Response) return request;
      const readBody = (bytesMax: number) => incoming.readBody(bytesMax);
      const boundTo = whatElseCounts(own, incoming);
      const acceptedTerms = [...earlier.filter(isAccepted), ...alsoAccepted];
      const isGone = () => incoming.gone?.aborted === true;
      const more = { readBody, boundTo, acceptedTerms, routeName, isGone };
      return route.charge(request, serve, more);
    },
  };
}

/** What challenges tell agents of the signatures that count here. */
function agentExtension({ agentRegistrationUrl: registrationUrl }: RouteConfig) {
  if (registrationUrl === undefined) return undefined;
  const info = { registrationUrl, signatureSchemes: ["ed25519"], tags: [agentSignatureTag] };
  return [{ key: "http-message-signatures", declaration: { info } }];
}

function rateLimitOf({ rateLimit: { perPayer } }: GatewayConfig, { payers }: ChargingDeps) {
  return perPayer === undefined ? undefined : { perPayer, ...defined({ counts: payers }) };
}

function nameOf({ host = "", name }: RouteConfig): string {
  return `${host} ${name}`.trim();
}

/** Without a name of its own, a balance pays for its route. */
function balanceOf(route: RouteConfig): BalanceOptions | undefined {
  const { balance } = route;
  return balance && { ...balance, scope: balance.scope ?? nameOf(route) };
}

/** What a request of a channel costs by its usage; a balance is metered while the response passes. */
function costOf({ channel, costFrom }: RouteConfig): CostOf | undefined {
  if (!channel || !costFrom) return undefined;
  return async (response) => {
    const body = new Uint8Array(await response.arrayBuffer());
    return costOfBody(body, isEventStream(response.headers), costFrom.usage);
  };
}

/** Without a name of its own, a pass opens its route. */
function passOf(own: RouteConfig): PassOptions | undefined {
  const { passes } = own;
  if (!passes) return undefined;
  const validFor = `${passes.validFor / 1000}s`;
  const { uses, scope = nameOf(own), finalAbove } = passes;
  return { uses, validFor, scope, ...defined({ finalAbove }) };
}

/** The client may leave the header out, so a value that cannot be kept is left out as well. */
function referenceOf({ referenceHeader: header }: RouteConfig) {
  if (header === undefined) return undefined;
  return ({ headers }: Request): string | undefined => {
    const text = headers.get(header);
    return isBookText(text, referenceCharsMax) ? text : undefined;
  };
}

function isAccepted({ replacedAtMs, maxTimeoutSeconds }: DatedTerms): boolean {
  const lastsMs = maxTimeoutSeconds * 1000;
  return replacedAtMs === undefined || performance.now() < replacedAtMs + lastsMs;
}

/** Returns what the upstream's response depends on, beside what every payment is bound to. */
function whatElseCounts({ host, pass }: RouteConfig, { headers }: RequestToCharge): string {
  const credentials = clientCredentials.filter((name) => pass.has(name));
  return JSON.stringify([host ?? "", ...credentials.map((name) => [name, headers[name] ?? ""])]);
}

/** Returns the request with its public address; an ambiguous target is refused. */
function toRequest(publicUrl: string, incoming: RequestToCharge): Request | Response {
  const { method, target, headers: given } = incoming;
  const { host, protocol } = new URL(publicUrl);
  const address = readRequestAddress({ method, target, host, scheme: protocol.slice(0, -1) });
  if (!address.ok) {
    const { status, error, message } = address.refusal;
    return errorResponse(status, error, message);
  }
  const headers: [string, string][] = [];
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "string") headers.push([name, value]);
    else for (const one of value ?? []) headers.push([name, one]);
  }
  return new Request(address.url, { method, headers });
}

/** What a seller asks a node about. */
function askingNode(rpcUrl: string) {
  return { verifyWallet: walletsAt(rpcUrl), finality: finalityAt(rpcUrl) };
}
