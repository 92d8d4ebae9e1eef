/**
 * Returns money of settled payments: the seller signs as the payee, the facilitator relays it. What
 * the payment has opened ends before anything is signed.
 */
import {
  authorizationTypedData,
  parseUsdc,
  refundAuthorization,
  refundEnd,
  refundProblem,
  statusOf,
  toWireAuthorization,
  type RefundablePayment,
  type SaleKind,
} from "@farthing/protocol";
import type { Clock } from "./clock.ts";
import type { Price, RefundSigner } from "./configuration.ts";
import type { PaidRequest } from "./events.ts";
import { paymentKey } from "./exchange/binding.ts";
import type { AccountProblem, Facilitator, Fault, RefundCalls, WireRefund } from "./facilitator.ts";
import type { PaymentRecords } from "./payment-records/payment-records.ts";
import type { RefundName } from "./payment-records/refunds.ts";

export type RefundOutcome =
  /** `pending`: the facilitator has claimed it and repeats it by itself. */
  | {
      readonly kind: "refund";
      readonly status: "pending" | "confirmed";
      /** Of the refund's own settlement. */
      readonly id: string;
      /** "" while none is known. */
      readonly transaction: string;
      /** USDC base units. */
      readonly amount: string;
    }
  /** No money went back. The codes are those of the facilitator. */
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  | { readonly kind: "not_found" }
  | Fault
  | AccountProblem;

export interface RefundCallOptions {
  /** How long to wait for a payment that is not final yet; not at all when absent. */
  readonly waitMs?: number;
}

/**
 * Refunds a payment, or a part of it; all that is left when there is no amount. Each call is another
 * refund, but one that repeats a call without an outcome of the kind `refund` is the same.
 */
export type Refund = (
  payment: string | Pick<PaidRequest, "settlementId">,
  amount?: Price,
  options?: RefundCallOptions,
) => Promise<RefundOutcome>;

/** Longest wait for the facilitator's responses, and for the outcome, which it holds. */
const callMs = 20_000;
const waitSeconds = 15;

/** Responses that are waited for; after that the refund is pending. */
const sendsMax = 4;

/** Pause between two questions whether a payment is final: an eighth of a block. */
const pauseMs = 250;

/** An authorization that ends sooner might not reach a block. */
const secondsLeftMin = 60n;

export interface RefundDeps {
  readonly facilitator: Pick<Facilitator, "refunds">;
  readonly signer: RefundSigner | undefined;
  readonly clock: Clock;
  /** Those of the seller who sold. */
  readonly records?: Pick<PaymentRecords, "refunds">;
  /** Whether `records` are the ones of this process alone, which another may have sold by. */
  readonly isOwnStore?: boolean;
}

interface Refunding extends RefundDeps {
  readonly signer: RefundSigner;
  readonly calls: RefundCalls;
  readonly settlementId: string;
  readonly asked: bigint | undefined;
}

export function createRefund(deps: RefundDeps): Refund {
  return async (paid, price, { waitMs = 0 } = {}) => {
    const settlementId = typeof paid === "string" ? paid : (paid.settlementId ?? "");
    const { signer } = deps;
    const calls = deps.facilitator.refunds;
    if (!calls) return refused("unsupported", "This facilitator client has no refunds.");
    if (!signer) return refused("no_signer", "Set refundSigner to the wallet of the payee.");
    const asked = price === undefined ? undefined : amountOf(price);
    const refunding = { ...deps, signer, calls, settlementId, asked };
    const found = await calls.find(settlementId, { timeoutMs: callMs });
    if (found.kind !== "payment") return found;
    const untold = await findUntold(refunding, found.payment);
    if (untold) return untold;
    const problem = problemOf(refunding, { ...found.payment, isFinal: true });
    if (problem) return problem;
    const early = waitMs > 0 ? undefined : problemOf(refunding, found.payment);
    if (early) return early;
    const opened = await close(refunding, found.payment);
    const final = await awaitFinal(refunding, found.payment, waitMs);
    if ("kind" in final) return final;
    return soldElsewhere(refunding, final, opened) ?? signAndSend(refunding, final);
  };
}

function problemOf(
  { asked, signer }: Refunding,
  payment: RefundablePayment,
): RefundOutcome | undefined {
  const problem = refundProblem(payment, asked ?? payment.rest, signer.address);
  return problem && refused(problem.code, problem.message);
}

function nameOf(payment: RefundablePayment, ordinal = payment.ordinal) {
  return { key: paymentKey(payment), ordinal };
}

const wordsOf = ({ asked }: Refunding) => asked?.toString() ?? "rest";

/** Returns the refund that an earlier call has made without learning of it. */
async function findUntold(
  refunding: Refunding,
  payment: RefundablePayment,
): Promise<RefundOutcome | undefined> {
  const { refunds } = refunding.records ?? {};
  for (const { ordinal, id, state, amount, transaction } of refunds ? payment.refunds : []) {
    const name = nameOf(payment, ordinal);
    if ((await refunds?.isUntold(name, wordsOf(refunding))) !== true) continue;
    await refunds?.markTold(name, wordsOf(refunding));
    const status = state === "confirmed" ? state : "pending";
    return { kind: "refund", status, id, transaction, amount };
  }
  return undefined;
}

/** Ends what the payment has opened; returns what that was. */
async function close({ records, settlementId }: Refunding, payment: RefundablePayment) {
  const { network, payer, rest } = payment;
  const facts = { payer, amount: `${rest}`, network: network.id, transaction: "" };
  return records?.refunds?.close(paymentKey(payment), { ...facts, settlementId });
}

/** Refuses what this process cannot end, because it has no store but its own. */
function soldElsewhere(
  { isOwnStore }: Refunding,
  { opens }: RefundablePayment,
  opened: SaleKind | undefined,
): RefundOutcome | undefined {
  if (opens === undefined || opened !== undefined || isOwnStore === false) return undefined;
  return refused(
    "sale_not_here",
    `This payment has opened a ${opens}, which is not in this seller's store; set grants to the store of the shop that sold it.`,
  );
}

/** Reads the payment until it is final. The ordinal may have changed meanwhile. */
async function awaitFinal(
  refunding: Refunding,
  found: RefundablePayment,
  waitMs: number,
): Promise<RefundablePayment | RefundOutcome> {
  const { calls, settlementId, clock } = refunding;
  const deadlineMs = clock.now() + waitMs;
  let payment = found;
  while (!payment.isFinal && clock.now() < deadlineMs) {
    await clock.sleep(pauseMs);
    const next = await calls.find(settlementId, { timeoutMs: callMs });
    if (next.kind === "payment") ({ payment } = next);
    else if (next.kind !== "fault") return next;
  }
  return problemOf(refunding, payment) ?? payment;
}

async function signAndSend(
  refunding: Refunding,
  payment: RefundablePayment,
): Promise<RefundOutcome> {
  const { records, asked, signer, calls, settlementId } = refunding;
  const name = nameOf(payment);
  const debit = await records?.refunds?.debit(name, asked, payment.rest);
  if (debit?.kind === "spent") return refused("balance_spent", "Nothing is left of the balance.");
  if (debit?.kind === "begun") {
    const message = `A refund of ${debit.amount} base units was begun; refund that first, without an amount.`;
    return refused("refund_begun", message);
  }
  const end = await endOf(refunding, name);
  const amount = debit?.amount ?? asked ?? payment.rest;
  const authorization = refundAuthorization(payment, amount, end);
  const signature = await signer.signTypedData(
    authorizationTypedData(payment.network, authorization),
  );
  const refund = { settlementId, authorization: toWireAuthorization(authorization), signature };
  const outcome = await send(calls, refund);
  if (outcome.kind === "refund") await records?.refunds?.markTold(name, wordsOf(refunding));
  return outcome;
}

/** Returns the end that an earlier call of this refund has signed, while it can still be used. */
async function endOf(refunding: Refunding, name: RefundName): Promise<bigint> {
  const nowMs = refunding.clock.now();
  const fresh = refundEnd(nowMs);
  const noted = await refunding.records?.refunds?.begin(name, wordsOf(refunding), fresh);
  const soonest = BigInt(Math.floor(nowMs / 1000)) + secondsLeftMin;
  return noted !== undefined && noted > soonest ? noted : fresh;
}

/** Repeats the same refund, which is one settlement, until it has an outcome. */
async function send(calls: RefundCalls, refund: WireRefund): Promise<RefundOutcome> {
  let outcome = await sendOnce(calls, refund);
  for (let sends = 1; sends < sendsMax && isOpen(outcome); sends++) {
    outcome = await sendOnce(calls, refund);
  }
  return outcome;
}

function isOpen(outcome: RefundOutcome): boolean {
  return outcome.kind === "refund" && outcome.status === "pending";
}

async function sendOnce(calls: RefundCalls, refund: WireRefund): Promise<RefundOutcome> {
  const reply = await calls.send(refund, { timeoutMs: callMs, waitSeconds });
  if (reply.kind !== "settlement") return reply;
  const { settlement } = reply;
  const { id = "", transaction, errorReason = "failed", errorMessage = "" } = settlement;
  const status = statusOf(settlement);
  if (status === "failed") return refused(errorReason, errorMessage);
  return { kind: "refund", status, id, transaction, amount: refund.authorization.value };
}

function amountOf(price: Price): bigint {
  const amount = typeof price === "string" ? parseUsdc(price) : price;
  if (amount !== undefined && amount >= 0n) return amount;
  throw new TypeError("The amount is USDC as text, such as 0.01, or base units as a bigint.");
}

function refused(code: string, message: string) {
  return { kind: "refused", code, message } as const;
}
