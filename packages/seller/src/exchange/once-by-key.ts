/**
 * A request with a token and an `Idempotency-Key` has a record like a payment's: a repeat gets the
 * same response, or the work again, for the same use of the pass or balance.
 */
import { defined } from "@farthing/protocol";
import type { RouteConfiguration } from "../configuration.ts";
import type { Binding, Lease } from "../payment-records/rules/payment-records.ts";
import { errorResponse, refuseRequest, type ChallengeTerms } from "../responses.ts";
import { bindUse } from "./binding.ts";
import { replay, responseFor } from "./delivery.ts";
import { readBody, type BodyReader } from "./match-payment.ts";
import { LeaseLostError } from "./lost-lease.ts";
import { alreadyDelivered, later, laterUntaken, storeFailed, undecided } from "./open-responses.ts";
import type { ExchangeDeps, ExchangeResult, Serve } from "./paid-request.ts";

type UseRules = Pick<
  RouteConfiguration,
  "isStreamed" | "settlementTiming" | "redirects" | "redeliver" | "workMs"
>;

/** A request with a token instead of a payment. */
export interface TokenRequest extends UseRules, BodyReader {
  readonly token: string;
  readonly request: Request;
  readonly terms: ChallengeTerms;
  readonly serve: Serve;
  readonly bodyBytesMax: number;
  /** Hash of the caller's credentials, see `audienceOf`. */
  readonly audience?: string;
}

/** What a token opens, and how one request uses it. */
export interface TokenUse {
  readonly id: string;
  readonly expiresAtMs: number;
  /** Serves the request, with the lease of its record where it has a key. */
  run(lease?: Lease): Promise<ExchangeResult>;
  /** Adds what is left to the headers of a repeat. */
  show(headers: Headers): void;
}

/** A longer one is no honest key; the usual ones have 36 characters. */
const maxKeyChars = 255;

export async function useByKey(
  deps: ExchangeDeps,
  asked: TokenRequest,
  use: TokenUse,
): Promise<ExchangeResult> {
  const key = asked.request.headers.get("Idempotency-Key");
  if (key === null) return use.run();
  if (key.length > maxKeyChars) {
    const message = `An Idempotency-Key has at most ${maxKeyChars} characters.`;
    return undecided(refuseRequest({ status: 400, error: "malformed_request", message }));
  }
  const body = await readBody(asked);
  if (!body) {
    const message = `A request with an Idempotency-Key has at most ${asked.bodyBytesMax} bytes of body.`;
    return undecided(refuseRequest({ status: 413, error: "request_too_large", message }));
  }
  const { method } = asked.request;
  const { boundTo } = asked;
  const bound = { method, url: asked.terms.resource.url, body, ...defined({ boundTo }) };
  return useOnce(deps, asked, use, await bindUse(bound, use, key));
}

/** The token proves that the caller holds the pass or balance. */
const holder = { proof: { isOpened: true }, rule: "bound" } as const;

/** Serves one use for all requests with the same `Idempotency-Key`. */
async function useOnce(
  deps: ExchangeDeps,
  asked: TokenRequest,
  use: TokenUse,
  binding: Binding,
): Promise<ExchangeResult> {
  const deadlineMs = deps.clock.now() + deps.waitMs;
  for (;;) {
    const acquired = await deps.records.acquire(binding, holder);
    switch (acquired.kind) {
      case "acquired":
        try {
          return await use.run(acquired.lease);
        } finally {
          // A lease that cannot be ended now expires.
          await acquired.lease.unlock().catch(() => undefined);
        }
      case "delivered": {
        const { receipt } = acquired;
        const kept =
          asked.redeliver === "never" ? undefined : responseFor(asked, acquired.response);
        const response = kept ? replay(kept) : alreadyDelivered(undefined);
        use.show(response.headers);
        return { response, outcome: { type: "repeated", receipt, isKept: kept !== undefined } };
      }
      case "bound":
      case "unproven": {
        const message = "This Idempotency-Key belongs to another request; use a new one.";
        const body = { error: "idempotency_key_reused", message, retryable: false } as const;
        return { response: errorResponse(409, body), outcome: { type: "conflict" } };
      }
      case "full": {
        const response = laterUntaken(
          "busy",
          "Too many requests are under way. Nothing was taken.",
        );
        return { response, outcome: { type: "full" } };
      }
      case "busy": {
        const leftMs = deadlineMs - deps.clock.now();
        if (leftMs <= 0 || !(await deps.records.wait(binding.key, leftMs))) {
          return undecided(stillBusy());
        }
      }
    }
  }
}

/** Turns failures of the store, and a record that another request took over, into responses. */
export async function respondToFailures(
  serve: () => Promise<ExchangeResult>,
): Promise<ExchangeResult> {
  try {
    return await serve();
  } catch (error) {
    if (!(error instanceof LeaseLostError)) return storeFailed(error);
    return { response: stillBusy(), outcome: { type: "broken", error } };
  }
}

function stillBusy(): Response {
  return later("busy", "A request with this Idempotency-Key is under way.");
}
