/** Which of a route's prices a request has: of the entry that its caller fits, or the route's own. */
import { createHash } from "node:crypto";
import { compile as compileTrust } from "@fastify/proxy-addr";
import type { Terms } from "@farthing/seller";
import type { GatewayConfig, RouteConfig } from "../configuration/configuration.ts";
import { paymentHeaders, tokenHeaders } from "../headers/header-rules.ts";
import type { Incoming } from "../incoming.ts";
import { chooseRule, type AgentFinding, type Caller, type CallerChoice } from "./caller-rule.ts";
import { createDirectoryFetch, type FetchDirectory } from "./fetch-directory.ts";
import { createKeyDirectories } from "./key-directories.ts";
import { createSeenSignatures } from "./seen-signatures.ts";
import { readClaim, verifyAgent, type VerifierDeps } from "./verify-agent.ts";

export type CallerRequest = Pick<Incoming, "method" | "rawTarget" | "headers" | "addresses">;

/** What of the configuration a price depends on. */
export type CallerSettings = Pick<GatewayConfig, "publicUrl" | "payTo">;

export interface ChosenPrice extends CallerChoice {
  /** The route at the price. */
  readonly route: RouteConfig;
  /** Why no agent was recognised, where an entry is for agents. */
  readonly agent: AgentFinding | undefined;
  /** Terms that were in force until a moment ago, for who has signed them. */
  readonly acceptedTerms: readonly Terms[];
}

export type ChoosePrice = ReturnType<typeof createPriceChoice>;

export interface PriceChoiceOptions extends Pick<GatewayConfig, "trustedProxies"> {
  readonly fetchDirectory?: FetchDirectory | undefined;
  /** Unix milliseconds. */
  readonly now?: (() => number) | undefined;
}

/** What was learnt of agents survives a reload of the configuration. */
export function createPriceChoice({
  trustedProxies,
  fetchDirectory = createDirectoryFetch(),
  now = Date.now,
}: PriceChoiceOptions) {
  const isTrusted = compileTrust([...trustedProxies]);
  const directories = createKeyDirectories(fetchDirectory, now);
  const verifier: VerifierDeps = { directories, seen: createSeenSignatures(now), now };
  return async (
    route: RouteConfig,
    request: CallerRequest,
    settings: CallerSettings,
  ): Promise<ChosenPrice> => {
    const { callers } = route;
    const { agent, finding } = agentOf(route, request, { settings, verifier });
    const caller: Caller = {
      address: request.addresses[0] ?? "",
      proxyHeaders: isTrusted(request.addresses.at(-1) ?? "", 0) ? request.headers : undefined,
      now: now(),
      agent,
    };
    const choice = await chooseRule(callers, caller);
    const chosen = choice.rule?.route ?? route;
    const earlier = await earlierRoute(route, request, caller);
    const { amountUnits: amount, maxTimeoutSeconds } = earlier ?? chosen;
    const isOther = amount !== undefined && amount !== chosen.amountUnits;
    const acceptedTerms = isOther ? [{ amount, payTo: settings.payTo, maxTimeoutSeconds }] : [];
    return { ...choice, route: chosen, agent: finding(), acceptedTerms };
  };
}

/** The price that a payment may have been signed for before an entry's time began or ended. */
async function earlierRoute(
  route: RouteConfig,
  { headers }: CallerRequest,
  caller: Caller,
): Promise<RouteConfig | undefined> {
  const { callers, maxTimeoutSeconds } = route;
  if (!callers.some(({ hours }) => hours) || !isPaying(headers)) return undefined;
  const before = { ...caller, now: caller.now - maxTimeoutSeconds * 1000 };
  return (await chooseRule(callers, before)).rule?.route ?? route;
}

function isPaying(headers: CallerRequest["headers"]): boolean {
  return paymentHeaders.some((name) => name in headers);
}

/** Verifies at most once for a request, and only a host that an entry is for. */
function agentOf(
  { callers, host }: RouteConfig,
  request: CallerRequest,
  { settings, verifier }: { settings: CallerSettings; verifier: VerifierDeps },
) {
  const reading = readClaim(request.headers);
  let verifying: Promise<AgentFinding> | undefined;
  let found: AgentFinding | undefined;
  async function verify(isFree: boolean): Promise<AgentFinding> {
    if (reading.kind === "unverified") return reading;
    const { claim } = reading;
    const isKnown = callers.some(
      ({ agents }) => agents !== undefined && agents !== "any" && agents.has(claim.host),
    );
    const { method, rawTarget, headers } = request;
    const url = originOf(settings.publicUrl, host) + rawTarget;
    const credential = credentialOf(headers) ?? (isFree ? "" : undefined);
    return verifyAgent(claim, { method, url, headers, credential, isKnown }, verifier);
  }
  return {
    agent: {
      claimedHost: reading.kind === "claim" ? reading.claim.host : undefined,
      verify: async (isFree: boolean) => (found = await (verifying ??= verify(isFree))),
    },
    finding: () => found ?? (reading.kind === "unverified" ? reading : undefined),
  };
}

/** The Host header could be that of another site, for which the signature was made. */
function originOf(publicUrl: string, host: string | undefined): string {
  const { protocol, host: publicHost } = new URL(publicUrl);
  return `${protocol}//${host ?? publicHost}`;
}

/** What a request shows to be served for, as a hash; undefined where it shows nothing. */
function credentialOf(headers: CallerRequest["headers"]): string | undefined {
  const shown = [...paymentHeaders, ...tokenHeaders].flatMap((name) => headers[name] ?? []);
  if (shown.length === 0) return undefined;
  return createHash("sha256").update(JSON.stringify(shown)).digest("base64");
}
