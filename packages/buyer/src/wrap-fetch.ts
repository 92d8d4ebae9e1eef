/**
 * A `fetch` that pays. A 402 is read, checked against the limits, signed once and sent until its
 * outcome is known; every other response is returned unchanged.
 *
 * Promises: nothing is signed that a limit, a list or a check refuses; one logical request never
 * has two signatures; an unknown outcome is called `ambiguous`, never failed. It does not keep
 * limits beyond its ledger, follow a redirect with a payment, or evaluate whether a price is fair.
 */
import { defined, headerNames, parseWireAddress, wireAddressProblem } from "@farthing/protocol";
import { parseChannels, type ChannelsInput } from "./channels/channel-options.ts";
import { channelTurns } from "./channels/channel-turns.ts";
import { buyerChannels, payOverChannel, type BuyerChannels } from "./channels/pay-over-channel.ts";
import type { AgreedTerms, Allow } from "./offer/check-offer.ts";
import type { PreferredVersion } from "./offer/choose-offer.ts";
import { unresolvedStates, type Ledger, type LedgerRecord } from "./ledger/ledger.ts";
import { amount, parseLimits, type LimitsInput } from "./ledger/limits.ts";
import { memoryLedger } from "./ledger/memory-ledger.ts";
import { demandSameRequest, payOnce, resumePayment, type PayingTools } from "./pay-once.ts";
import { PaymentError, refusedPayment } from "./payment-error.ts";
import { createPasses } from "./passes.ts";
import { parseBuyerExtensions, runBuyerHooks, type BuyerExtension } from "./extensions.ts";
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
import { quote402, type Quotation, type Quote } from "./offer/quote.ts";
import {
  readKept,
  readReplayable,
  type FetchFunction,
  type ReplayableRequest,
} from "./replayable-request.ts";
import { sendUnpaid, sendWithToken, type UnpaidCall } from "./send-with-token.ts";
import type { Signer } from "./signer.ts";
import { randomHex, systemRuntime, type Runtime } from "./runtime.ts";

/** Only the signer has no default. */
export interface BuyerOptions {
  /** A viem account, {@link privateKeySigner}, {@link contractWalletSigner}, or your own. */
  readonly signer: Omit<Signer, "address"> & { readonly address: string };
  /** 0.10 USDC per call and 2 USDC in 24 hours by default. */
  readonly limits?: LimitsInput;
  /** When calls are paid over a channel, and how much of it sellers may hold. */
  readonly channels?: ChannelsInput;
  /** Without `hosts`, the first payee seen at a host is kept for it. */
  readonly allow?: Allow;
  /** In memory by default: limits then hold within this process only. */
  readonly ledger?: Ledger;
  /** Asked above `limits.askAbove` and when a host's payee changes; valid for this quote. */
  readonly approve?: (quote: Quote) => boolean | Promise<boolean>;
  /** Extensions of third parties, with hooks that can refuse a payment. */
  readonly extensions?: readonly BuyerExtension[];
  /** Its errors are dropped: they must not cost the response to a payment. */
  readonly onEvent?: (event: PaymentEvent) => void;
  /** `v2` by default; `v1` pays the version 1 entry of a challenge that offers both. */
  readonly prefer?: PreferredVersion;
  /** Asked for the balance and for outcomes. Public endpoints by default; `"none"` asks no node. */
  readonly rpcUrl?: string;
  /** Derives the nonce from the caller's request id, see the README. */
  readonly nonceSecret?: Uint8Array;
  /** For one send of a paid request; 60,000 by default. */
  readonly answerTimeoutMs?: number;
  readonly runtime?: Runtime;
}

export interface CallTerms {
  /** The logical request: a repeated call with it sends the existing payment. Random by default. */
  readonly requestId?: string;
  /** The most this call may cost, in USDC decimals; it only lowers the limits. */
  readonly maxAmount?: string;
  /** Terms agreed before; other terms are refused with `challenge_changed`. */
  readonly agreed?: AgreedTerms;
}

export interface PayingInit extends RequestInit {
  readonly payment?: CallTerms;
}

export type QuoteResponse =
  | { readonly isRequired: false; readonly response: Response }
  | { readonly isRequired: true; readonly status: number; readonly quotation: Quotation };

export interface PayingFetch {
  /**
   * Like `fetch`; pays a 402. Rejects with a PaymentError when nothing was paid (`unused`) or a
   * paid request got no response (`in_flight`), and with `fetch`'s own error before the signature.
   */
  (input: RequestInfo | URL, init?: PayingInit): Promise<PaidResponse>;
  /** Sends the unpaid request and runs every check. Signs nothing. */
  quote(input: RequestInfo | URL, init?: PayingInit): Promise<QuoteResponse>;
  /**
   * Sends the payment of an earlier call again, byte for byte. Rejects with a PaymentError:
   * `request_unknown`, `payment_released`, `authorization_expired`, `request_incomplete`.
   */
  resume(requestId: string, init?: ResumeInit): Promise<PaidResponse>;
  /** Resolves one payment, or every open one, by the chain. Rejects only when the ledger fails. */
  reconcile(requestId?: string): Promise<readonly Reconciliation[]>;
  /** The channels of the ledger, and refunds of them. */
  readonly channels: BuyerChannels;
}

/** What a ledger does not keep: headers such as `Authorization`, and bodies above 64 KiB. */
export type ResumeInit = Pick<RequestInit, "headers" | "body" | "signal">;

/** 25 s of the facilitator, and as much for work and network; later the line is likely dead. */
const answerTimeoutMsDefault = 60_000;

/**
 * Throws a TypeError for invalid options. `nodeFetch` asks nodes, where `fetch` is not meant for them;
 * `fetch` by default.
 */
export function wrapFetch(
  fetch: FetchFunction,
  options: BuyerOptions,
  nodeFetch: FetchFunction = fetch,
): PayingFetch {
  const tools = toolsOf(fetch, nodeFetch, options);
  const runs = new Map<string, SharedRun>();

  async function pay(input: RequestInfo | URL, init: PayingInit = {}): Promise<PaidResponse> {
    const call = await readCall(tools, input, init);
    const running = runs.get(call.terms.requestId);
    if (!running) return share(runs, call, () => run(tools, call));
    demandSameRequest(running.fingerprint, call.request, call.terms.requestId);
    return running.join();
  }

  async function quote(input: RequestInfo | URL, init: PayingInit = {}): Promise<QuoteResponse> {
    const { request, terms } = await readCall(tools, input, init);
    const response = await sendUnpaid(tools, request);
    if (response.status !== 402) return { isRequired: false, response };
    const quotation = await quote402(tools, request, response, terms);
    return { isRequired: true, status: response.status, quotation };
  }

  async function resume(requestId: string, init: ResumeInit = {}): Promise<PaidResponse> {
    const call = await readResumedCall(tools, requestId, init);
    const running = runs.get(requestId);
    return running ? running.join() : share(runs, call, () => runResumed(tools, call));
  }

  async function reconcileSome(requestId?: string): Promise<readonly Reconciliation[]> {
    if (requestId === undefined) return reconcileAll(tools);
    const record = await tools.ledger.find(requestId);
    return record ? [await reconcile(tools, record)] : [];
  }

  const channels = buyerChannels(tools);
  return Object.assign(pay, { quote, resume, reconcile: reconcileSome, channels });
}

function toolsOf(
  fetch: FetchFunction,
  nodeFetch: FetchFunction,
  options: BuyerOptions,
): PayingTools {
  const { signer, allow = {}, ledger = memoryLedger(), approve, rpcUrl } = options;
  const address = parseWireAddress(signer.address);
  if (!address) throw new TypeError(`${wireAddressProblem("signer.address", signer.address)}.`);
  const walletTraits = { address, isContract: signer.isContract === true };
  const runtime = options.runtime ?? systemRuntime;
  const tools: PayingTools = {
    // Called as a plain function: a browser's fetch refuses to be another object's method.
    fetch: (input, init) => fetch(input, init),
    nodeFetch: (input, init) => nodeFetch(input, init),
    signer: {
      ...walletTraits,
      signTypedData: (typedData) => signer.signTypedData(typedData),
      ...(signer.signMessage ? { signMessage: signer.signMessage.bind(signer) } : {}),
    },
    ledger,
    allow,
    limits: parseLimits(options.limits),
    prefer: options.prefer ?? "v2",
    runtime,
    answerTimeoutMs: options.answerTimeoutMs ?? answerTimeoutMsDefault,
    hasApprover: approve !== undefined,
    extensions: parseBuyerExtensions(options.extensions),
    emit: emitterOf(options.onEvent),
    reconciledAtStart: onceOnly(() => reconcileCounting(tools)),
    nodesOf: nodesOf(rpcUrl),
    passes: createPasses(ledger, () => runtime.now()),
    channels: channelTurns(parseChannels(options.channels), randomHex(runtime, 8)),
    ...defined({ approve, nonceSecret: options.nonceSecret }),
  };
  return tools;
}

/** Runs once for all callers; a failed run does not count. */
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
      // A listener's error must not lose a response that was paid for.
    }
  };
}

async function readCall(
  tools: PayingTools,
  input: RequestInfo | URL,
  init: PayingInit,
): Promise<UnpaidCall> {
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
  const maxAmountUnits = maxAmount === undefined ? undefined : amount("maxAmount", maxAmount);
  const terms = { requestId, ...defined({ maxAmountUnits, agreed }) };
  return { request, terms, isNamed: payment.requestId !== undefined };
}

/** Some servers route by the Host header; lists and pins are about the address. */
function demandOwnHost({ headers, url }: ReplayableRequest, requestId: string): void {
  const named = headers.get("Host");
  if (named === null || named.toLowerCase() === new URL(url).host) return;
  const message = "The request has a Host header of another host than its address.";
  throw refusedPayment("host_not_allowed", message, requestId);
}

async function run(tools: PayingTools, call: UnpaidCall): Promise<PaidResponse> {
  const { request, terms, isNamed } = call;
  const { requestId } = terms;
  const record = isNamed ? await findReconciled(tools, requestId) : undefined;
  if (record && record.state !== "released") return resumePayment(tools, request, record);
  const { response, ...used } = await sendWithToken(tools, call);
  if (response.status !== 402) {
    return withPayment(response, { state: "not_required", requestId, ...used });
  }
  const context = { requestId, url: response.url === "" ? request.url : response.url };
  await runBuyerHooks(tools.extensions, "beforeVerify", () => context, requestId);
  await tools.reconciledAtStart();
  await reconcileEnded(tools);
  const paid = await payOverChannel(tools, call, response);
  if (paid) return paid;
  const quotation = await quote402(tools, request, response, terms);
  return payOnce(tools, { ...call, quotation });
}

/** The record of an earlier call, reconciled when it should have an outcome. */
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
): Promise<UnpaidCall> {
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

async function runResumed(tools: PayingTools, call: UnpaidCall): Promise<PaidResponse> {
  const { requestId } = call.terms;
  const record = await findReconciled(tools, requestId);
  if (record && record.state !== "released") return resumePayment(tools, call.request, record);
  const message = "Nothing of this request is out; request it again to pay it.";
  throw refusedPayment("payment_released", message, requestId);
}

/** A call under way: a second one with the same id joins it instead of paying. */
interface SharedRun {
  readonly fingerprint: string;
  join(): Promise<PaidResponse>;
}

async function share(
  runs: Map<string, SharedRun>,
  { request: { fingerprint }, terms: { requestId } }: UnpaidCall,
  run: () => Promise<PaidResponse>,
): Promise<PaidResponse> {
  const waiters: Pick<PromiseWithResolvers<PaidResponse>, "resolve" | "reject">[] = [];
  const join = () =>
    new Promise<PaidResponse>((resolve, reject) => waiters.push({ resolve, reject }));
  runs.set(requestId, { fingerprint, join });
  try {
    const response = await run();
    // Copied before anyone can read the body.
    for (const { resolve } of waiters) resolve(withPayment(response.clone(), response.payment));
    return response;
  } catch (error) {
    for (const { reject } of waiters) reject(error);
    throw error;
  } finally {
    runs.delete(requestId);
  }
}
