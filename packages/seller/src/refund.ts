/**
 * Returns money of settled payments: the seller signs as the payee, the facilitator relays it. What
 * the payment has opened ends before anything is signed.
 */
import {
  authorizationTypedData,
  findNetwork,
  parseAddress,
  parseUint256,
  parseUsdc,
  refundAuthorization,
  refundEnd,
  refundProblem,
  statusOf,
  toWireAuthorization,
  type RefundablePayment,
  type RefusalCode,
  type SaleKind,
} from "@farthing/protocol";
import type { Clock } from "./clock.ts";
import type { Price, RefundSigner } from "./configuration.ts";
import type { PaidRequest } from "./events.ts";
import { paymentKey } from "./exchange/binding.ts";
import type { AccountProblem, Facilitator, Fault, RefundCalls, WireRefund } from "./facilitator.ts";
import type { PaymentRecords } from "./payment-records/rules/payment-records.ts";
import type { RefundName } from "./payment-records/rules/refunds.ts";

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
 * A payment as the seller knows it: what the handler got, or the same facts from the seller's books.
 * Each fact that is there is compared with what the facilitator says, before anything is signed.
 */
export type KnownPayment = Pick<PaidRequest, "settlementId"> &
  Partial<Pick<PaidRequest, "payer" | "amount" | "network">>;

/**
 * Refunds a payment, or a part of it; all that is left when there is no amount. Each call is another
 * refund, but one that repeats a call without an outcome of the kind `refund` is the same. With an
 * ID alone, the payer and the rest are what the facilitator says.
 */
export type Refund = (
  payment: string | KnownPayment,
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

/**
 * The code of amounts below the facilitator's minimum, which is decided by the amount alone. After
 * any other refusal the refund may still be made, so its debit stays and a repeat continues it.
 */
const tooSmall: RefusalCode = "amount_below_minimum";

/** The code of a payment that is another than the one to refund. */
const mismatch: RefusalCode = "refund_mismatch";

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

/** What every refund needs. */
export interface Refunder extends RefundDeps {
  readonly signer: RefundSigner;
  readonly calls: RefundCalls;
}

/** One refund of a payment. */
export interface Refunding extends Refunder {
  readonly settlementId: string;
  /** In base units; what is left when undefined. */
  readonly asked: bigint | undefined;
  /** The most that goes back when no amount is asked for. */
  readonly max?: bigint;
  /** What the seller knows of the payment. */
  readonly known?: Omit<KnownPayment, "settlementId">;
  /** The key of its record, which names the payer. */
  readonly key?: string;
}

export function createRefund(deps: RefundDeps): Refund {
  return async (paid, price, { waitMs = 0 } = {}) => {
    const { settlementId = "", ...known } =
      typeof paid === "string" ? { settlementId: paid } : paid;
    const refunder = openRefunder(deps);
    if ("kind" in refunder) return refunder;
    const asked = price === undefined ? undefined : amountOf(price);
    const refunding = { ...refunder, settlementId, asked, known };
    const found = await findPayment(refunding);
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

/** Returns what refunds need, or what is missing. */
export function openRefunder(deps: RefundDeps) {
  const { signer } = deps;
  const calls = deps.facilitator.refunds;
  if (!calls) return refused("unsupported", "This facilitator client has no refunds.");
  if (!signer) return refused("no_signer", "Set refundSigner to the wallet of the payee.");
  return { ...deps, signer, calls };
}

/**
 * Reads the payment. A facilitator that describes another one than the seller was paid by, such as
 * one with its own wallet as the payer, would have the seller sign their money away.
 */
export async function findPayment(refunding: Refunding) {
  const found = await refunding.calls.find(refunding.settlementId, { timeoutMs: callMs });
  const difference = found.kind === "payment" ? differenceOf(refunding, found.payment) : undefined;
  if (difference === undefined) return found;
  return refused(
    mismatch,
    `The facilitator names ${difference} for ${refunding.settlementId}, so nothing was signed. Check the payment and the facilitator.`,
  );
}

/** Returns what is another than the seller knows; undefined when nothing is. */
function differenceOf(
  { known = {}, key }: Refunding,
  payment: RefundablePayment,
): string | undefined {
  const { payer, amount, network } = known;
  if (payer !== undefined && parseAddress(payer) !== payment.payer) return "another payer";
  if (network !== undefined && findNetwork(network)?.chainId !== payment.chainId) {
    return "another network";
  }
  if (amount !== undefined && payment.rest > unitsOf(amount)) return "a larger amount";
  return key === undefined || key === paymentKey(payment) ? undefined : "another payment";
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
export async function findUntold(
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
export async function close({ records, settlementId }: Refunding, payment: RefundablePayment) {
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
export async function awaitFinal(
  refunding: Refunding,
  found: RefundablePayment,
  waitMs: number,
): Promise<RefundablePayment | RefundOutcome> {
  const { clock } = refunding;
  const deadlineMs = clock.now() + waitMs;
  let payment = found;
  while (!payment.isFinal && clock.now() < deadlineMs) {
    await clock.sleep(pauseMs);
    const next = await findPayment(refunding);
    if (next.kind === "payment") ({ payment } = next);
    else if (next.kind !== "fault") return next;
  }
  return problemOf(refunding, payment) ?? payment;
}

/** Debits the balance that the payment has topped up, signs the refund and sends it. */
export async function signAndSend(
  refunding: Refunding,
  payment: RefundablePayment,
): Promise<RefundOutcome> {
  const { records, asked, signer, calls, settlementId, max = payment.rest } = refunding;
  const name = nameOf(payment);
  const rest = max < payment.rest ? max : payment.rest;
  const debit = await records?.refunds?.debit(name, asked, rest);
  if (debit?.kind === "spent") return refused("balance_spent", "Nothing is left of the balance.");
  if (debit?.kind === "begun") {
    const message = `A refund of ${debit.amount} base units has begun. Complete it with a call without an amount, then refund the rest.`;
    return refused("refund_begun", message);
  }
  const amount = debit?.amount ?? asked ?? rest;
  const problem = refundProblem(payment, amount, signer.address);
  if (problem) {
    const outcome = refused(problem.code, problem.message);
    return problem.code === tooSmall ? reverse(refunding, name, outcome) : outcome;
  }
  const end = await endOf(refunding, name);
  const authorization = refundAuthorization(payment, amount, end);
  const signature = await signer.signTypedData(
    authorizationTypedData(payment.network, authorization),
  );
  const refund = { settlementId, authorization: toWireAuthorization(authorization), signature };
  const outcome = await send(calls, refund);
  if (outcome.kind === "refund") await records?.refunds?.markTold(name, wordsOf(refunding));
  if (outcome.kind === "refused" && outcome.code === tooSmall) {
    return reverse(refunding, name, outcome);
  }
  return outcome;
}

/** Puts the debit of a refund back that the facilitator never takes, however often it is asked. */
async function reverse(
  { records }: Refunding,
  name: RefundName,
  outcome: RefundOutcome,
): Promise<RefundOutcome> {
  await records?.refunds?.reverse(name);
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

function unitsOf(digits: string): bigint {
  const units = parseUint256(digits);
  if (units !== undefined) return units;
  throw new TypeError("The amount of the payment is base units as decimal digits, such as 10000.");
}

export function refused(code: string, message: string) {
  return { kind: "refused", code, message } as const;
}
