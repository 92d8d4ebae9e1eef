/**
 * A request that shows a pass. A use is taken before the work. With `after-success` it is given back
 * when the seller's code fails before anything has left. With an `Idempotency-Key` the use has a
 * record like a payment's: a repeat gets the same response, or the work again, for the same use.
 */
import { defined } from "@farthing/protocol";
import type { RouteConfiguration } from "../configuration.ts";
import type { Pass } from "../payment-records/pass-store.ts";
import type { Binding, Lease } from "../payment-records/payment-records.ts";
import {
  addPass,
  content,
  errorResponse,
  refuseRequest,
  type ChallengeTerms,
} from "../responses.ts";
import { makeInTime } from "./after-success.ts";
import { bindUse } from "./binding.ts";
import { makePaid, replay, responseFor, retrySeconds, toStored } from "./delivery.ts";
import { awaitFinal } from "./final-pass.ts";
import { checkHeld, LeaseLostError } from "./lost-lease.ts";
import { readBody, type BodyReader } from "./match-payment.ts";
import { factsOfUse, receiptOfUse } from "./open-pass.ts";
import {
  alreadyDelivered,
  ask,
  later,
  pendingRetrySeconds,
  storeFailed,
  undecided,
} from "./open-responses.ts";
import type { ExchangeDeps, ExchangeResult, Serve, SoldPass } from "./paid-request.ts";

type UseRules = Pick<
  RouteConfiguration,
  "isStreamed" | "settlementTiming" | "redirects" | "redeliver" | "workMs"
>;

/** A request with a token instead of a payment. */
export interface PassRequest extends UseRules, BodyReader {
  readonly token: string;
  readonly pass: SoldPass;
  readonly request: Request;
  readonly terms: ChallengeTerms;
  readonly serve: Serve;
  readonly bodyBytesMax: number;
  /** Hash of the caller's credentials, see `audienceOf`. */
  readonly audience?: string;
}

/** Why a pass opens nothing here. */
const refusals = {
  unknown: "This pass is not known, or its token was replaced by a newer one.",
  elsewhere: "This pass was bought for something else, or on another network.",
  void: "This pass is void: its payment was refunded or revoked.",
  expired: "This pass has expired.",
  exhausted: "This pass has no use left.",
} as const;

/** A longer one is no honest key; the usual ones have 36 characters. */
const maxKeyChars = 255;

export async function servePass(deps: ExchangeDeps, asked: PassRequest): Promise<ExchangeResult> {
  try {
    return await find(deps, asked);
  } catch (error) {
    if (!(error instanceof LeaseLostError)) return storeFailed(error);
    return { response: stillBusy(), outcome: { type: "broken", error } };
  }
}

async function find(deps: ExchangeDeps, asked: PassRequest): Promise<ExchangeResult> {
  const { passes, scope } = asked.pass;
  const pass = await passes.find(asked.token);
  if (!pass) return refuse(asked, "unknown");
  const isPaidHere = asked.terms.offers.some(({ network }) => network.id === pass.payment.network);
  if (pass.scope !== scope || !isPaidHere) return refuse(asked, "elsewhere", pass);
  const end = passes.endOf(pass);
  const key = asked.request.headers.get("Idempotency-Key");
  // The last use of an exhausted pass can still be repeated.
  if (end !== undefined && !(end === "exhausted" && key !== null)) return refuse(asked, end, pass);
  if (pass.isFinal) return useByKey(deps, asked, pass, key);
  const state = await awaitFinal(deps, passes, pass);
  if (state === "final") return useByKey(deps, asked, { ...pass, isFinal: true }, key);
  return state === "void" ? refuse(asked, "void", pass) : undecided(notFinal());
}

async function useByKey(
  deps: ExchangeDeps,
  asked: PassRequest,
  pass: Pass,
  key: string | null,
): Promise<ExchangeResult> {
  if (key === null) return use(deps, asked, pass);
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
  return useOnce(deps, asked, pass, await bindUse(bound, pass, key));
}

function refuse(asked: PassRequest, why: keyof typeof refusals, pass?: Pass): ExchangeResult {
  const result = ask(asked.terms, { error: `pass_${why}`, message: refusals[why] });
  if (pass && why !== "elsewhere") addPass(result.response.headers, pass);
  return result;
}

/** The token proves that the caller holds the pass. */
const holder = { proof: { isOpened: true }, rule: "bound" } as const;

/** Serves one use for all requests with the same `Idempotency-Key`. */
async function useOnce(
  deps: ExchangeDeps,
  asked: PassRequest,
  pass: Pass,
  binding: Binding,
): Promise<ExchangeResult> {
  const deadlineMs = deps.clock.now() + deps.waitMs;
  for (;;) {
    const acquired = await deps.records.acquire(binding, holder);
    switch (acquired.kind) {
      case "acquired":
        try {
          return await use(deps, asked, pass, acquired.lease);
        } finally {
          // A lease that cannot be ended now expires.
          await acquired.lease.unlock().catch(() => undefined);
        }
      case "delivered": {
        const { receipt } = acquired;
        const kept =
          asked.redeliver === "never" ? undefined : responseFor(asked, acquired.response);
        const response = kept ? replay(kept) : alreadyDelivered(undefined);
        addPass(response.headers, pass);
        return { response, outcome: { type: "repeated", receipt, isKept: kept !== undefined } };
      }
      case "bound":
      case "unproven": {
        const message = "This Idempotency-Key belongs to another request; use a new one.";
        const body = { error: "idempotency_key_reused", message, retryable: false } as const;
        return { response: errorResponse(409, body), outcome: { type: "conflict" } };
      }
      case "full": {
        const response = later("busy", "Too many requests are under way. No use was taken.");
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

/** Takes one use and serves it. A record that is `paid` had its use taken by an earlier request. */
async function use(
  deps: ExchangeDeps,
  asked: PassRequest,
  found: Pass,
  lease?: Lease,
): Promise<ExchangeResult> {
  const { passes } = asked.pass;
  const taken = lease?.state === "paid" ? found : await passes.take(found);
  if (!taken) {
    await lease?.discard();
    const now = await passes.find(asked.token);
    return refuse(asked, (now && passes.endOf(now)) ?? "unknown", now);
  }
  const receipt = receiptOfUse(taken);
  if (lease) checkHeld(await lease.paid(receipt));
  const payment = factsOfUse(taken);
  const isAfterSuccess = asked.settlementTiming === "after-success";
  const made = isAfterSuccess
    ? await makeInTime(deps, asked, payment)
    : await makePaid(asked, payment, deps.records.answerBytesMax);
  if ("outcome" in made) {
    addPass(made.response.headers, await passes.giveBack(taken));
    await lease?.discard();
    return made;
  }
  if ("error" in made) {
    const response = undelivered(made.status, lease !== undefined);
    addPass(response.headers, taken);
    return { response, outcome: { type: "undelivered", payment, error: made.error } };
  }
  const kept = asked.redeliver === "never" ? undefined : toStored(made, asked);
  if (lease) checkHeld(await lease.complete(receipt, kept));
  const response = content(made.response, made.body);
  addPass(response.headers, taken);
  return { response, outcome: { type: "used", payment } };
}

function undelivered(status: number, isRepeatable: boolean): Response {
  const message = isRepeatable
    ? "The seller could not make the answer. Repeat the same request with the same " +
      "Idempotency-Key soon: it takes no other use of your pass."
    : "The seller could not make the answer, and one use of your pass was taken. With an " +
      "Idempotency-Key, a repeat takes no other use.";
  const body = { error: "paid_undelivered", message, retryable: isRepeatable } as const;
  return errorResponse(status, body, { retryAfterSeconds: retrySeconds });
}

function notFinal(): Response {
  const message = "The payment of this pass is not final yet. Repeat the request with the pass.";
  const body = { error: "settlement_pending", message, retryable: true } as const;
  return errorResponse(503, body, { retryAfterSeconds: pendingRetrySeconds });
}

function stillBusy(): Response {
  return later("busy", "A request with this Idempotency-Key is under way.");
}
