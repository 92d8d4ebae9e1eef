/**
 * Requests two challenges of one route from a running gateway. Each carries its own token, which
 * distinguishes the buyer from someone who has rebuilt the payment from the chain; equal tokens
 * mean that a cache stands in front of the gateway.
 */
import {
  decodeHeader,
  headerNames,
  isObject,
  objectMembers,
  readRequestBinding,
} from "@farthing/protocol";
import { allRoutes, type GatewayConfig } from "../configuration/configuration.ts";
import { isSameHost } from "../routing/canonical-path.ts";
import { readJson } from "../upstream.ts";
import { fail, ok, warn, type Finding } from "./finding.ts";
import { samplePathOf } from "./sample-path.ts";

/** The gateway creates a challenge without a call. */
const timeoutMs = 5_000;

/** A challenge has a few kB. */
const maxBodyBytes = 256 * 1024;

/** The tokens in the header and the body of a challenge; undefined without a challenge. */
type Tokens = readonly string[] | undefined;

/** Compares two challenges. Returns nothing when no priced route can be requested by GET. */
export async function checkChallenges(config: GatewayConfig): Promise<readonly Finding[]> {
  const { publicUrl } = config;
  const { host } = new URL(publicUrl);
  const paths = allRoutes(config)
    .filter((route) => route.amountUnits !== undefined)
    .filter((route) => route.host === undefined || isSameHost(route.host, host))
    .map((route) => samplePathOf(config, route));
  const path = paths.find((one) => one !== undefined);
  if (path === undefined) return [];
  const asked = `${publicUrl}${path}`;
  try {
    const first = await askForTokens(asked);
    const second = await askForTokens(asked);
    return [compare(asked, first, second)];
  } catch {
    const text = `${publicUrl} does not answer, so its challenges were not compared`;
    return [warn("publicUrl", text, "run this again once the gateway runs")];
  }
}

function compare(asked: string, first: Tokens, second: Tokens): Finding {
  if (!first || !second) {
    const fix = "check publicUrl, and what stands in front of the gateway";
    return warn("publicUrl", `${asked} is not answered with a challenge`, fix);
  }
  if (first.length === 0 || second.length === 0) {
    const fix = "let every proxy pass the header PAYMENT-REQUIRED and the body on as they are";
    return warn("publicUrl", `the challenge of ${asked} carries no token`, fix);
  }
  if (first.some((token) => second.includes(token))) {
    const text = `two challenges of ${asked} carry the same token: something keeps them`;
    return fail("publicUrl", text, "let no cache in front of the gateway keep answers of 402");
  }
  return ok("publicUrl", "each challenge carries a token of its own");
}

async function askForTokens(url: string): Promise<Tokens> {
  const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
  const body = await readJson(response, maxBodyBytes);
  if (response.status !== 402) return undefined;
  const header = decodeHeader(response.headers.get(headerNames.paymentRequired) ?? "")?.value;
  return [header, body].flatMap((challenge) => tokenOf(challenge) ?? []);
}

function tokenOf(challenge: unknown): string | undefined {
  if (!isObject(challenge)) return undefined;
  return readRequestBinding(objectMembers(challenge, "extensions").extensions).token;
}
