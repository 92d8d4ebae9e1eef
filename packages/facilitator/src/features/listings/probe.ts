/**
 * Requests an endpoint's challenge without payment, and compares it with the advertised terms. A
 * probe that could not run is `absent` and says nothing about the endpoint.
 */
import type { Clock } from "@farthing/engine/base";
import type { GuardedRequest, OutboundResponse } from "../../http/outbound/guarded-request.ts";
import {
  sampleUrlOf,
  type CheckReason,
  type CheckResult,
  type ListingDifference,
  type ListingTerms,
} from "./model.ts";
import { advertisedFirst, compareOffer, type AdvertisedOffer } from "./compare-offer.ts";
import { callTool, type ToolToCall } from "./call-tool.ts";
import { readChallenge, type ReadChallenge } from "./read-challenge.ts";

/** Much larger than any challenge. */
const responseBytesMax = 256 * 1024;

/** Redirects stay on the same host. */
const redirectsMax = 3;

/** No redirect is followed after this long, which bounds a check. */
const redirectingMs = 10_000;

export interface ProbeDeps {
  readonly clock: Clock;
  /** Names the service and a contact address of its operator. */
  readonly userAgent: string;
  /** Enforces the rules for addresses of third parties. */
  readonly send: GuardedRequest;
}

/** The request, and the expected terms. */
export type ProbeTarget = AdvertisedOffer & Pick<ListingTerms, "method" | "sample">;

/** Checks an endpoint. Never throws. */
export type Probe = (target: ProbeTarget, signal?: AbortSignal) => Promise<CheckResult>;

export function createProbe(deps: ProbeDeps): Probe {
  return async (target, signal) => {
    const { tool } = target.sample;
    const response = tool
      ? await askTool(deps, { ...target, tool }, signal)
      : await ask(deps, target, signal);
    if ("outcome" in response) return response;
    return evaluate({ ...target, isTool: tool !== undefined }, response, deps.clock.nowMs());
  };
}

/** Returns the final response, or the result that explains its absence. */
async function ask(
  { clock, userAgent, send }: ProbeDeps,
  { resource, method, sample }: ProbeTarget,
  signal: AbortSignal | undefined,
): Promise<OutboundResponse | CheckResult> {
  const startedAt = clock.nowMs();
  const body =
    method === "GET" || sample.body === undefined ? undefined : JSON.stringify(sample.body);
  const headers = {
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": userAgent,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  let url = sampleUrlOf({ resource, sample });
  for (let redirects = 0; ; redirects++) {
    const request = { method, url, headers, body, bytesMax: responseBytesMax };
    const outcome = await send({ ...request, ...(signal && { signal }) });
    if (outcome.kind === "unanswered") {
      return outcome.isOurFault
        ? absent("could_not_run", "The check could not run, which says nothing about the endpoint.")
        : failed("unreachable", outcome.problem);
    }
    if (outcome.status < 300 || outcome.status >= 400) return outcome;
    const next = redirectTarget(outcome, url, method);
    const isLate = clock.nowMs() - startedAt > redirectingMs;
    if (typeof next !== "string") return next;
    if (redirects === redirectsMax || isLate) return failed("redirected", tooManyRedirects);
    url = next;
  }
}

/** Calls a tool without a payment; a server that cannot be asked in MCP is evaluated as it answers. */
async function askTool(
  { userAgent, send }: ProbeDeps,
  { resource, tool }: Pick<ProbeTarget, "resource"> & ToolToCall,
  signal: AbortSignal | undefined,
): Promise<OutboundResponse | CheckResult> {
  const base = { bytesMax: responseBytesMax, ...(signal && { signal }) };
  const outcome = await callTool({ resource, tool, userAgent }, (request) =>
    send({ ...request, ...base }),
  );
  if (outcome.kind === "answered") return outcome;
  return outcome.isOurFault
    ? absent("could_not_run", "The check could not run, which says nothing about the endpoint.")
    : failed("unreachable", outcome.problem);
}

const tooManyRedirects = "It redirects more often than is followed; list the final address.";

/** Returns the target of a redirect that may be followed. */
function redirectTarget({ status, headers }: OutboundResponse, from: string, method: string) {
  const next = URL.parse(headers["location"] ?? "", from);
  if (!next || headers["location"] === undefined) {
    return failed("redirected", `It answered ${status} without a place to go.`);
  }
  // An origin has the scheme too: a listed endpoint never leads from TLS to plain http.
  if (next.origin !== new URL(from).origin) {
    return failed("redirected", "It redirects to another host; list the address that sells.");
  }
  // Other redirects turn the request into a GET, which is not the listed request.
  if (method !== "GET" && status !== 307 && status !== 308) {
    return failed("redirected", `It answers ${method} with ${status}; list the final address.`);
  }
  next.hash = "";
  return next.href;
}

function evaluate(target: ProbeTarget, answer: OutboundResponse, now: number): CheckResult {
  const { status } = answer;
  if (status !== 402) return evaluateStatus(status, target.method);
  const challenge = readChallenge(answer, now);
  if (challenge.kind !== "found") return evaluateUnread(challenge);
  const differences = compareOffer(target, challenge);
  const { seen } = challenge;
  if (differences.length === 0) {
    const accepts = advertisedFirst(target, challenge);
    return {
      outcome: "passed",
      reason: null,
      message: "",
      differences,
      seen: { ...seen, accepts },
    };
  }
  const fields = differences.map(({ field }) => field).join(", ");
  return {
    ...failed("terms_differ", `What the endpoint asks for is not what is listed: ${fields}.`),
    differences,
    seen,
  };
}

function evaluateUnread(challenge: Exclude<ReadChallenge, { kind: "found" }>): CheckResult {
  return challenge.kind === "none"
    ? failed(
        "no_challenge",
        "It answered 402 without a challenge, neither in PAYMENT-REQUIRED nor in the body.",
      )
    : failed("unreadable_challenge", challenge.problem);
}

/** The result for every status except 402. */
function evaluateStatus(status: number, method: string): CheckResult {
  if (status === 429) {
    return absent("rate_limited", "It answered 429; the check is tried again later.");
  }
  if (status < 300) {
    return failed("served_unpaid", `It answered ${status} without a payment, and not 402.`);
  }
  if (status === 404 || status === 410) {
    return failed("not_found", `It answered ${status}; look at the address.`);
  }
  if (status === 405 || status === 501) {
    return failed("method_not_allowed", `It answered ${status}; ${method} is not its method.`);
  }
  if (status === 400 || status === 415 || status === 422) {
    return failed(
      "validates_first",
      `It answered ${status}: it looks at the request before it asks for payment. Answer 402 first, or list a sample request that passes.`,
    );
  }
  if (status >= 500) return failed("server_error", `It answered ${status}.`);
  return failed("no_challenge", `It answered ${status}, and not 402.`);
}

const nothing: readonly ListingDifference[] = [];

function failed(reason: CheckReason, message: string): CheckResult {
  return { outcome: "failed", reason, message, differences: nothing, seen: undefined };
}

function absent(reason: CheckReason, message: string): CheckResult {
  return { outcome: "absent", reason, message, differences: nothing, seen: undefined };
}
