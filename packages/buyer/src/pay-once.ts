/** From a quote to a response. Nothing else signs, and this only with the ledger's reservation. */
import { defined, findNetwork } from "@farthing/protocol";
import type { ChannelTurns } from "./channels/channel-turns.ts";
import { deriveNonce } from "./derive-nonce.ts";
import {
  LedgerTransitionError,
  type Ledger,
  type LedgerRecord,
  type ReserveRules,
  type SignedPayment,
} from "./ledger/ledger.ts";
import { dayMs } from "./ledger/limits.ts";
import { bindingTargetOf, declaresBinding, resourceUrlOf } from "./bound-request.ts";
import {
  declaredBy,
  extendOffer,
  runBuyerHooks,
  withholdResponse,
  type BuyerExtension,
} from "./extensions.ts";
import { PaymentError, refusedPayment } from "./payment-error.ts";
import { warningOf, type PaymentEvent } from "./payment-events.ts";
import {
  inFlightProblem,
  summarize,
  UnansweredPaymentError,
  withPayment,
  type PaidResponse,
} from "./payment-summary.ts";
import type { Quotation, Quote, QuotingTerms, QuotingTools } from "./offer/quote.ts";
import { quoteText, type Offer } from "./offer/read-challenge.ts";
import type { ReplayableRequest } from "./replayable-request.ts";
import { readGiven, type Passes } from "./passes.ts";
import { recordTransition, sendPayment, type SendingTools } from "./send-payment.ts";
import { signPayment } from "./sign-payment.ts";

export interface PayingTools extends QuotingTools, SendingTools {
  readonly ledger: Ledger;
  readonly emit: (event: PaymentEvent) => void;
  readonly approve?: (quote: Quote) => boolean | Promise<boolean>;
  readonly nonceSecret?: Uint8Array;
  /** Resolves when the open payments of earlier runs have been reconciled. */
  readonly reconciledAtStart: () => Promise<void>;
  readonly passes: Passes;
  readonly extensions: readonly BuyerExtension[];
  readonly channels: ChannelTurns;
}

export interface PayingOrder {
  readonly request: ReplayableRequest;
  readonly terms: QuotingTerms;
  readonly quotation: Quotation;
  /** The caller named the request, so an earlier payment for it may exist. */
  readonly isNamed: boolean;
}

/** Throws a PaymentError when a check, the approver, the ledger or the signer refuses. */
export async function payOnce(tools: PayingTools, order: PayingOrder): Promise<PaidResponse> {
  const { request, terms, quotation } = order;
  const { chosen, refusal } = quotation;
  if (!chosen) {
    const { code, message, raise } = refusal ?? {
      code: "challenge_invalid",
      message: "Unpayable.",
    };
    throw refusedPayment(code, message, terms.requestId, { raise });
  }
  const { quote } = chosen;
  tools.emit({ type: "quote", requestId: quote.requestId, quote });
  const { extensions } = tools;
  const contextOf = (key: string) => ({ quote, declared: declaredBy(chosen.offer, key) });
  await runBuyerHooks(extensions, "afterVerify", contextOf, quote.requestId);
  await askApprover(tools, quote);
  // The caller may have stopped during checks and approval; then nothing is signed.
  request.signal?.throwIfAborted();
  await runBuyerHooks(extensions, "beforeSettle", contextOf, quote.requestId);
  const offer = await extendOffer(extensions, chosen.offer, quote);
  const reserved = await reserve(tools, request, quote);
  if (!reserved.isNew) return resumePayment(tools, request, reserved.record);
  const signed = await sign(tools, order, offer, reserved.record);
  const record = await recordSigned(tools, reserved.record, signed);
  tools.emit({ type: "signed", requestId: quote.requestId, validBefore: signed.validBefore });
  warnUnbound(tools, order, chosen.offer);
  return deliver(tools, request, record, signed);
}

export async function resumePayment(
  tools: PayingTools,
  request: ReplayableRequest,
  record: LedgerRecord,
): Promise<PaidResponse> {
  const { signed, requestId, fingerprint } = record;
  demandSameRequest(fingerprint, request, requestId);
  if (!signed) {
    throw new PaymentError(inFlightProblem("payment_unresolved", undefined), requestId);
  }
  const isExpired = tools.runtime.now() >= signed.validBefore * 1000;
  // A settled payment is shown at any time: the seller may still have its response.
  if (isExpired && record.state !== "settled") {
    throw new PaymentError(inFlightProblem("authorization_expired", signed.validBefore), requestId);
  }
  return deliver(tools, request, record, signed);
}

export function demandSameRequest(
  fingerprint: string,
  request: ReplayableRequest,
  requestId: string,
): void {
  if (fingerprint === request.fingerprint) return;
  throw refusedPayment(
    "request_id_conflict",
    "This request id belongs to a request with another method, URL or body; choose a new id.",
    requestId,
  );
}

export async function askApprover(
  tools: Pick<PayingTools, "approve">,
  quote: Quote,
): Promise<void> {
  const questions = quote.checks.filter(({ verdict }) => verdict === "ask");
  if (questions.length === 0 || !tools.approve) return;
  if (await tools.approve(quote)) return;
  const why = questions.map(({ message }) => message).join(" ");
  throw refusedPayment("approval_required", `Not approved. ${why}`, quote.requestId);
}

/** Throws a PaymentError when a limit or the pin refuses. */
async function reserve(
  tools: PayingTools,
  request: ReplayableRequest,
  quote: Quote,
): Promise<{ readonly record: LedgerRecord; readonly isNew: boolean }> {
  const { ledger, signer, runtime, limits } = tools;
  const { requestId, amountUnits } = quote;
  const now = runtime.now();
  const scope = { wallet: signer.address, network: quote.network.id, asset: quote.asset };
  const outcome = await ledger.reserve(
    {
      ...scope,
      requestId,
      fingerprint: request.fingerprint,
      amountUnits,
      payTo: quote.payTo,
      host: new URL(quote.url).host,
      request: request.kept,
      reservedAt: now,
    },
    rulesOf(tools, quote),
  );
  if (!outcome.ok) {
    const { reason } = outcome;
    if (reason === "exists") return { record: outcome.record, isNew: false };
    throw refusedPayment(reason, ledgerSentences[reason], requestId);
  }
  const { perDayUnits: limitUnits } = limits;
  if (limitUnits !== undefined) {
    const { spentUnits } = await ledger.usage(scope, now - dayMs);
    const percent = warningOf(spentUnits - amountUnits, spentUnits, limitUnits);
    if (percent) tools.emit({ type: "limit_near", requestId, percent, spentUnits, limitUnits });
  }
  return { record: outcome.record, isNew: true };
}

function rulesOf(tools: PayingTools, quote: Quote): ReserveRules {
  const { perDayUnits, openPaymentsMax, openPaymentsPerHostMax } = tools.limits;
  const payeePin = payeePinOf(tools, quote);
  return { perDayUnits, windowMs: dayMs, openPaymentsMax, openPaymentsPerHostMax, payeePin };
}

export function payeePinOf(
  { allow }: Pick<PayingTools, "allow">,
  quote: Quote,
): ReserveRules["payeePin"] {
  const isPinned = allow.hosts === undefined && allow.payees === undefined;
  const isChangeApproved = quote.checks.some(
    ({ name, verdict }) => name === "pin" && verdict === "ask",
  );
  const kept = isChangeApproved ? "replace" : "keep";
  return isPinned ? kept : "off";
}

export const ledgerSentences = {
  cumulative_cap: "The price is above what is left of the limit for 24 hours.",
  open_payments_limit:
    "Other payments have taken the last places without an outcome meanwhile; `farthing ledger list --open` shows them, and each ends by itself.",
  payee_changed: "Another payee was paid at this host meanwhile; a person has to confirm.",
} as const;

async function sign(
  tools: PayingTools,
  order: PayingOrder,
  offer: Offer,
  reserved: LedgerRecord,
): Promise<SignedPayment> {
  const { request, terms, quotation } = order;
  const { requirements } = offer;
  const { requestId } = terms;
  if (!requirements) throw new Error("An offer that does not parse was chosen.");
  const { nonceSecret } = tools;
  const { fingerprint, attempt, wallet } = reserved;
  const derive =
    order.isNamed && nonceSecret !== undefined
      ? deriveNonce(nonceSecret, { requestId, attempt, fingerprint, wallet, requirements })
      : undefined;
  try {
    return await signPayment(tools.signer, tools.runtime, {
      offer,
      requirements,
      request,
      requestId,
      attempt,
      url: quotation.payUrl,
      ...defined({ derive }),
    });
  } catch (cause) {
    const released = { state: "released", ofAttempt: attempt, ofNonce: undefined } as const;
    await recordTransition(tools.ledger, requestId, released);
    tools.emit({ type: "released", requestId });
    const message = "The wallet did not sign; nothing was paid.";
    throw refusedPayment("signing_failed", message, requestId, { cause });
  }
}

function warnUnbound({ emit }: PayingTools, order: PayingOrder, offer: Offer): void {
  const { request, terms, quotation } = order;
  const { requirements, extensions } = offer;
  const url = quotation.payUrl;
  if (!requirements || bindingTargetOf({ offer, requirements, request, url })) return;
  const named = resourceUrlOf({ offer, requirements });
  emit({
    type: "unbound",
    requestId: terms.requestId,
    url,
    ...defined({ resourceUrl: named === undefined ? undefined : quoteText(named) }),
    isDeclared: declaresBinding(extensions),
  });
}

/** Records the payment before it can be sent. */
async function recordSigned(
  { ledger }: PayingTools,
  { requestId, attempt }: LedgerRecord,
  signed: SignedPayment,
): Promise<LedgerRecord> {
  try {
    const unsigned = { ofAttempt: attempt, ofNonce: undefined };
    return await ledger.transition(requestId, { state: "signed", signed, ...unsigned });
  } catch (cause) {
    if (!(cause instanceof LedgerTransitionError)) throw cause;
    const message = "The wallet took so long that the reservation was given up; nothing was sent.";
    throw refusedPayment("signing_failed", message, requestId, { cause });
  }
}

async function deliver(
  tools: PayingTools,
  request: ReplayableRequest,
  record: LedgerRecord,
  signed: SignedPayment,
): Promise<PaidResponse> {
  const { requestId } = record;
  const network = findNetwork(record.network);
  if (!network) throw new Error(`The ledger names an unknown network ${record.network}.`);
  tools.emit({ type: "sent", requestId });
  const delivery = await sendPayment(tools, {
    request,
    record,
    signed,
    expected: { payer: record.wallet, network, amountUnits: record.amountUnits },
  });
  const { pass, balance } = delivery.response ? readGiven(delivery.response) : {};
  const kept = pass ?? balance;
  if (kept) tools.passes.learn(kept, signed.url);
  tools.passes.recordPayment(signed.url);
  const payment = summarize(record, signed, network, delivery);
  const type = payment.state === "settled" ? "settled" : "ambiguous";
  tools.emit({ type, requestId, payment });
  if (delivery.response && !delivery.isInterrupted) {
    await withholdResponse(tools.extensions, payment);
    return withPayment(delivery.response, payment);
  }
  const problem = payment.problem ?? inFlightProblem("no_answer", signed.validBefore);
  throw new UnansweredPaymentError(problem, payment, delivery.cause);
}
