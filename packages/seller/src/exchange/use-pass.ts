/**
 * A request that shows a pass. A use is taken before the work. With `after-success` it is given back
 * when the seller's code fails before anything has left, unless the buyer has disconnected: work is
 * often called off with its buyer, who could otherwise use the pass without end.
 */
import type { SettledRequest } from "../events.ts";
import type { Pass } from "../payment-records/passes/pass-store.ts";
import type { Lease } from "../payment-records/rules/payment-records.ts";
import { addPass, content, errorResponse } from "../responses.ts";
import { makeInTime } from "./after-success.ts";
import { makePaid, retrySeconds, toStored, type Made } from "./delivery.ts";
import { awaitFinal } from "./await-final.ts";
import { checkHeld } from "./lost-lease.ts";
import { respondToFailures, useByKey, type TokenRequest } from "./once-by-key.ts";
import { factsOfUse, receiptOfUse } from "./open-pass.ts";
import { ask, notFinal, undecided } from "./open-responses.ts";
import { refuseOverLimit } from "./payer-limit.ts";
import type { ExchangeDeps, ExchangeResult, SoldPass } from "./paid-request.ts";

/** A request that shows a pass. */
export interface PassRequest extends TokenRequest {
  readonly pass: SoldPass;
}

/** Why a pass opens nothing here. */
const refusals = {
  unknown: "This pass is not known, or its token was replaced by a newer one.",
  elsewhere: "This pass was bought for something else, or on another network.",
  void: "This pass is void: its payment was refunded or revoked.",
  expired: "This pass has expired.",
  exhausted: "This pass has no use left.",
} as const;

export function servePass(deps: ExchangeDeps, asked: PassRequest): Promise<ExchangeResult> {
  return respondToFailures(() => find(deps, asked));
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
  if (pass.isFinal) return useOf(deps, asked, pass);
  const state = await awaitFinal(deps, pass.payment, deps.clock.now() + deps.waitMs);
  if (state === "open") return undecided(notFinal("pass"));
  if (state === "final") {
    await passes.markFinal(pass.id);
    return useOf(deps, asked, { ...pass, isFinal: true });
  }
  await passes.voidPass(pass.id);
  return refuse(asked, "void", pass);
}

function useOf(deps: ExchangeDeps, asked: PassRequest, pass: Pass): Promise<ExchangeResult> {
  return useByKey(deps, asked, {
    ...pass,
    run: (lease) => use(deps, asked, pass, lease),
    show: (headers) => addPass(headers, pass),
  });
}

function refuse(asked: PassRequest, why: keyof typeof refusals, pass?: Pass): ExchangeResult {
  const result = ask(asked.terms, { error: `pass_${why}`, message: refusals[why] });
  if (pass && why !== "elsewhere") addPass(result.response.headers, pass);
  return result;
}

/** Takes one use and serves it. A record that is `paid` had its use taken by an earlier request. */
async function use(
  deps: ExchangeDeps,
  asked: PassRequest,
  found: Pass,
  lease?: Lease,
): Promise<ExchangeResult> {
  const { passes } = asked.pass;
  const used = await takeUse(deps, asked, found, lease);
  if (!used) {
    await lease?.discard();
    const now = await passes.find(asked.token);
    return refuse(asked, (now && passes.endOf(now)) ?? "unknown", now);
  }
  if ("outcome" in used) return used;
  const { taken, made, payment } = used;
  if (lease) {
    const kept = asked.redeliver === "never" ? undefined : toStored(made, asked);
    checkHeld(await lease.complete(receiptOfUse(taken), kept));
  }
  const response = content(made.response, made.body);
  addPass(response.headers, taken);
  return { response, outcome: { type: "used", payment } };
}

/** What {@link takeUse} needs of a request. */
export interface UseOfPass extends Pick<
  PassRequest,
  "settlementTiming" | "serve" | "isStreamed" | "workMs" | "redirects"
> {
  readonly pass: Pick<SoldPass, "passes" | "isGone">;
}

/** A use that is taken, with what the seller's code has made for it. */
export interface TakenUse {
  readonly taken: Pass;
  readonly payment: SettledRequest;
  readonly made: Made;
}

/** Takes one use and runs the seller's code; undefined, with nothing taken, where none is left. */
export async function takeUse(
  deps: ExchangeDeps,
  asked: UseOfPass,
  found: Pass,
  lease?: Lease,
): Promise<ExchangeResult | TakenUse | undefined> {
  const { passes } = asked.pass;
  const isTaken = lease?.state === "paid";
  const limited = isTaken ? undefined : refuseOverLimit(deps, factsOfUse(found));
  if (limited) {
    await lease?.discard();
    addPass(limited.response.headers, found);
    return limited;
  }
  const taken = isTaken ? found : await passes.take(found);
  if (!taken) return undefined;
  if (lease) checkHeld(await lease.paid(receiptOfUse(taken)));
  const payment = factsOfUse(taken);
  const isAfterSuccess = asked.settlementTiming === "after-success";
  const made = isAfterSuccess
    ? await makeInTime(deps, asked, payment)
    : await makePaid(asked, payment, deps.records.answerBytesMax);
  const isGone = asked.pass.isGone();
  if ("outcome" in made && !isGone) {
    // First, because a record that is still `paid` would serve the use that is given back.
    if (lease) checkHeld(await lease.discard());
    addPass(made.response.headers, await passes.giveBack(taken));
    return made;
  }
  if (!("outcome" in made || "error" in made)) return { taken, payment, made };
  if ("outcome" in made) void made.response.body?.cancel().catch(() => undefined);
  const { status } = "error" in made ? made : made.response;
  const error = "error" in made ? made.error : new Error("The work failed after the buyer left.");
  const response = undelivered(status, lease !== undefined);
  addPass(response.headers, taken);
  return { response, outcome: { type: "undelivered", payment, error } };
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
