/**
 * A `fetch` that pays. A 402 is read, checked against the limits, signed once and sent until its
 * outcome is known; every other answer is returned as it is.
 *
 * Promises: nothing is signed that a limit, a list or a check refuses; one logical request never
 * has two signatures; what is not known is called `ambiguous`, never failed. It does not: keep
 * limits beyond the ledger it is given, follow a redirect with a payment, or judge a price.
 */
import { headerNames, parseWireAddress } from "@farthing/protocol";
import type { AgreedTerms, Allow } from "./offer/check-offer.ts";
import type { PreferredVersion } from "./offer/choose-offer.ts";
import { unresolvedStates, type Ledger, type LedgerRecord } from "./ledger/ledger.ts";
import { amount, parseLimits, type LimitsInput } from "./ledger/limits.ts";
import { memoryLedger } from "./ledger/memory-ledger.ts";
import { demandSameRequest, payOnce, resumePayment, type PayingTools } from "./pay-once.ts";
import { PaymentError, refusedPayment } from "./payment-error.ts";
import type { PaymentEvent } from "./payment-events.ts";
import { inFlightProblem, withPayment, type PaidResponse } from "./payment-summary.ts";
import { nodesOf } from "./chain/nodes.ts";
import {
  reconcile,
  reconcileAll,
  reconcileCounting,
  reconcileEnded,
  type Reconciliation,
} from "./chain/reconcile.ts";
import { quote402, type Quotation, type Quote, type QuotingTerms } from "./offer/quote.ts";
import {
  readKept,
  readReplayable,
  type FetchFunction,
  type ReplayableRequest,
} from "./replayable-request.ts";
import type { Signer } from "./signer.ts";
import { randomHex, systemRuntime, type Runtime } from "./runtime.ts";

/** How to pay. Only the signer has no default. */
export interface BuyerOptions {
  /** A viem account, {@link privateKeySigner}, {@link contractWalletSigner}, or your own. */
  readonly signer: Omit<Signer, "address"> & { readonly address: string };
  /** 0.10 USDC per call and 2 USDC in 24 hours unless set. */
  readonly limits?: LimitsInput;
  /** Without `hosts`, the first payee seen at a host is kept for it. */
  readonly allow?: Allow;
  /** In memory unless set: limits then hold within this process only. */
  readonly ledger?: Ledger;
  /** Asked above `limits.askAbove` and when a host's payee changes; holds for this quote. */
  readonly approve?: (quote: Quote) => boolean | Promise<boolean>;
  /** Hears what happens. What it throws is dropped: it must not cost the answer to a payment. */
  readonly onEvent?: (event: PaymentEvent) => void;
  /** `v2` unless set; `v1` pays the version 1 entry of a challenge that offers both. */
  readonly prefer?: PreferredVersion;
  /**
   * A node to ask for the balance before signing and for the outcome of open payments. Public
   * endpoints of the payment's network unless set; `"none"` asks no node at all.
   */
  readonly rpcUrl?: string;
  /** Makes the nonce follow from the caller's request id, see the README. */
  readonly nonceSecret?: Uint8Array;
  /** How long one send of a paid request may take, in milliseconds; 60,000 unless set. */
  readonly answerTimeoutMs?: number;
  /** Clock and random source, for tests. */
  readonly runtime?: Runtime;
}

/** What one call may add. */
export interface CallTerms {
  /**
   * The logical request. Calling again with it, and the same method, URL and body, sends the
   * payment that exists instead of signing another. Random unless set.
   */
  readonly requestId?: string;
  /** The most this call may cost, in USDC decimals; it only lowers the limits. */
  readonly maxAmount?: string;
  /** Terms agreed before; other terms are refused with `challenge_changed`. */
  readonly agreed?: AgreedTerms;
}

/** `RequestInit` with the terms of the payment. */
export interface PayingInit extends RequestInit {
  readonly payment?: CallTerms;
}

/** What a request would cost. */
export type QuoteAnswer =
  /** No payment is asked for; the answer is here. */
  | { readonly isRequired: false; readonly response: Response }
  | { readonly isRequired: true; readonly status: number; readonly quotation: Quotation };

/** A `fetch` that pays, see {@link wrapFetch}. */
export interface PayingFetch {
  /**
   * Like `fetch`; pays a 402. Rejects with a PaymentError when nothing was paid (`payment_state`
   * `unused`) or when no answer came to a paid request (`in_flight`), and with whatever `fetch`
   * rejects with while nothing is signed.
   */
  (input: RequestInfo | URL, init?: PayingInit): Promise<PaidResponse>;
  /** Asks for the price: sends the unpaid request, runs every check, signs nothing. */
  quote(input: RequestInfo | URL, init?: PayingInit): Promise<QuoteAnswer>;
  /**
   * Sends the payment of an earlier call again, byte for byte, from what the ledger has kept.
   * Rejects with a PaymentError: `request_unknown`, `payment_released` (proven unused, or never
   * signed: it can be paid anew), `authorization_expired`, `request_incomplete`.
   */
  resume(requestId: string, init?: ResumeInit): Promise<PaidResponse>;
  /**
   * Finds the outcome of one payment, or of every open one, by the chain, see `rpcUrl`. Also done
   * by itself before the first payment, and for what has expired before each one. Rejects only
   * when the ledger fails.
   */
  reconcile(requestId?: string): Promise<readonly Reconciliation[]>;
}

/** What a ledger does not keep: headers such as `Authorization`, and bodies above 64 KiB. */
export type ResumeInit = Pick<RequestInit, "headers" | "body" | "signal">;

/**
 * A seller settles before it answers: 25 s of the facilitator, and as much again for work and
 * network. Longer than that the connection is likely dead, and a resend is cheap.
 */
const answerTimeoutMsDefault = 60_000;

/** Wraps a `fetch` so that it pays. Throws a TypeError for options that make no sense. */
export function wrapFetch(fetch: FetchFunction, options: BuyerOptions): PayingFetch {
  const tools = toolsOf(fetch, options);
  const flights = new Map<string, Flight>();

  async function pay(input: RequestInfo | URL, init: PayingInit = {}): Promise<PaidResponse> {
    const call = await readCall(tools, input, init);
    const flight = flights.get(call.terms.requestId);
    if (!flight) return fly(flights, call, () => run(tools, call));
    demandSameRequest(flight.fingerprint, call.request, call.terms.requestId);
    return join(flight);
  }

  async function quote(input: RequestInfo | URL, init: PayingInit = {}): Promise<QuoteAnswer> {
    const { request, terms } = await readCall(tools, input, init);
    const response = await sendUnpaid(tools, request);
    if (response.status !== 402) return { isRequired: false, response };
    const quotation = await quote402(tools, request, response, terms);
    return { isRequired: true, status: response.status, quotation };
  }

  async function resume(requestId: string, init: ResumeInit = {}): Promise<PaidResponse> {
    const call = await readResumedCall(tools, requestId, init);
    const flight = flights.get(requestId);
    return flight ? join(flight) : fly(flights, call, () => runResumed(tools, call));
  }

  async function reconcileSome(requestId?: string): Promise<readonly Reconciliation[]> {
    if (requestId === undefined) return reconcileAll(tools);
    const record = await tools.ledger.find(requestId);
    return record ? [await reconcile(tools, record)] : [];
  }

  return Object.assign(pay, { quote, resume, reconcile: reconcileSome });
}

function toolsOf(fetch: FetchFunction, options: BuyerOptions): PayingTools {
  const { signer, allow = {}, ledger = memoryLedger(), approve, rpcUrl } = options;
  const address = parseWireAddress(signer.address);
  if (!address) throw new TypeError("signer.address is a 0x address of 20 bytes.");
  const walletTraits = { address, isContract: signer.isContract === true };
  const tools: PayingTools = {
    // Called as a plain function: a browser's fetch refuses to be somebody's method.
    fetch: (input, init) => fetch(input, init),
    signer: { ...walletTraits, signTypedData: (typedData) => signer.signTypedData(typedData) },
    ledger,
    allow,
    limits: parseLimits(options.limits),
    prefer: options.prefer ?? "v2",
    runtime: options.runtime ?? systemRuntime,
    answerTimeoutMs: options.answerTimeoutMs ?? answerTimeoutMsDefault,
    hasApprover: approve !== undefined,
    emit: emitterOf(options.onEvent),
    reconciledAtStart: onceOnly(() => reconcileCounting(tools)),
    ...(approve === undefined ? {} : { approve }),
    nodesOf: nodesOf(rpcUrl),
    ...(options.nonceSecret === undefined ? {} : { nonceSecret: options.nonceSecret }),
  };
  return tools;
}

/** Runs at the first call; others wait for the same run. One that fails does not count. */
function onceOnly(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  const failed = (error: unknown) => {
    running = undefined;
    throw error;
  };
  return () => (running ??= run().catch(failed));
}

function emitterOf(listener: BuyerOptions["onEvent"]): PayingTools["emit"] {
  return (event) => {
    try {
      listener?.(event);
    } catch {
      // A listener's mistake must not lose an answer that was paid for.
    }
  };
}

/** A call, read: the request in bytes and the terms in units. */
interface Call {
  readonly request: ReplayableRequest;
  readonly terms: QuotingTerms;
  /** The caller named the request, so there may be an earlier payment for it. */
  readonly isNamed: boolean;
}

async function readCall(
  tools: PayingTools,
  input: RequestInfo | URL,
  init: PayingInit,
): Promise<Call> {
  const { payment = {}, ...rest } = init;
  const { maxAmount, agreed } = payment;
  const requestId = payment.requestId ?? `req_${randomHex(tools.runtime, 16)}`;
  const request = await readReplayable(input, rest, requestId);
  const own = [headerNames.paymentSignature, headerNames.xPayment];
  if (own.some((name) => request.headers.has(name))) {
    throw refusedPayment(
      "payment_header_present",
      "The request already carries a payment; send it with the plain fetch.",
      requestId,
    );
  }
  demandOwnHost(request, requestId);
  const terms = {
    requestId,
    ...(maxAmount === undefined ? {} : { maxAmountUnits: amount("maxAmount", maxAmount) }),
    ...(agreed === undefined ? {} : { agreed }),
  };
  return { request, terms, isNamed: payment.requestId !== undefined };
}

/**
 * Some servers answer for the host that the header names, whatever the address says; lists and
 * pins are about the address.
 */
function demandOwnHost({ headers, url }: ReplayableRequest, requestId: string): void {
  const named = headers.get("Host");
  if (named === null || named.toLowerCase() === new URL(url).host) return;
  const message = "The request has a Host header of another host than its address.";
  throw refusedPayment("host_not_allowed", message, requestId);
}

async function run(tools: PayingTools, call: Call): Promise<PaidResponse> {
  const { request, terms, isNamed } = call;
  const { requestId } = terms;
  const record = isNamed ? await findReconciled(tools, requestId) : undefined;
  if (record && record.state !== "released") return resumePayment(tools, request, record);
  const response = await sendUnpaid(tools, request);
  if (response.status !== 402) return withPayment(response, { state: "not_required", requestId });
  await tools.reconciledAtStart();
  await reconcileEnded(tools);
  const quotation = await quote402(tools, request, response, terms);
  return payOnce(tools, { request, terms, quotation, isNamed });
}

/** The record of an earlier call; one that has no outcome although it should is asked about. */
async function findReconciled(
  tools: PayingTools,
  requestId: string,
): Promise<LedgerRecord | undefined> {
  const record = await tools.ledger.find(requestId);
  if (!record || !unresolvedStates.includes(record.state)) return record;
  const { signed } = record;
  const isAlive = signed && tools.runtime.now() < signed.validBefore * 1000;
  return isAlive ? record : (await reconcile(tools, record)).record;
}

async function readResumedCall(
  { ledger }: PayingTools,
  requestId: string,
  init: ResumeInit,
): Promise<Call> {
  const record = await ledger.find(requestId);
  if (!record?.request) {
    const message = `The ledger has no request ${requestId} that can be sent again.`;
    throw refusedPayment("request_unknown", message, requestId);
  }
  const request = await readKept(record.request, init, requestId);
  if (request) return { request, terms: { requestId }, isNamed: true };
  const problem = inFlightProblem("request_incomplete", record.signed?.validBefore);
  throw new PaymentError(problem, requestId);
}

async function runResumed(tools: PayingTools, call: Call): Promise<PaidResponse> {
  const { requestId } = call.terms;
  const record = await findReconciled(tools, requestId);
  if (record && record.state !== "released") return resumePayment(tools, call.request, record);
  const message = "Nothing of this request is out; request it again to pay it.";
  throw refusedPayment("payment_released", message, requestId);
}

function sendUnpaid({ fetch }: PayingTools, request: ReplayableRequest): Promise<Response> {
  return request.send(fetch, request.signal ? { signal: request.signal } : {});
}

/** A call under way, so that a second one with the same id joins it instead of paying. */
interface Flight {
  readonly fingerprint: string;
  joined: number;
  readonly landing: Promise<PaidResponse[]>;
}

async function fly(
  flights: Map<string, Flight>,
  { request, terms }: Call,
  run: () => Promise<PaidResponse>,
): Promise<PaidResponse> {
  const { requestId } = terms;
  // The step that ends the flight makes the copies: nobody joins later, nobody has read a body.
  const landing = run().then(
    (response) => {
      flights.delete(requestId);
      const copies = Array.from({ length: flight.joined }, () =>
        withPayment(response.clone(), response.payment),
      );
      return [response, ...copies];
    },
    (error: unknown) => {
      flights.delete(requestId);
      throw error;
    },
  );
  const flight: Flight = { fingerprint: request.fingerprint, joined: 0, landing };
  flights.set(requestId, flight);
  return pick(await landing, 0);
}

async function join(flight: Flight): Promise<PaidResponse> {
  flight.joined += 1;
  const place = flight.joined;
  return pick(await flight.landing, place);
}

function pick(responses: readonly PaidResponse[], place: number): PaidResponse {
  const response = responses[place];
  if (!response) throw new Error("A joined request has no copy of the answer.");
  return response;
}
