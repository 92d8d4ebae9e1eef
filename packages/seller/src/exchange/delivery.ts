/** Delivery of the seller's content, which is made once and kept within bounds. */
import { defined, isEventStream, replayedHeader, type SettleResponse } from "@farthing/protocol";
import { content, errorResponse } from "../responses.ts";
import { bytesOf, readHead, resume } from "../body.ts";
import { maxWorkMs } from "../configuration.ts";
import type { PaidRequest, SettledRequest } from "../events.ts";
import { ExtensionRefusedError, runHooks } from "../extensions/hooks.ts";
import type {
  PaymentRecords,
  Lease,
  StoredResponse,
} from "../payment-records/rules/payment-records.ts";
import { checkHeld } from "./lost-lease.ts";
import type { ChargedRequest, ExchangeDeps, ExchangeResult } from "./paid-request.ts";

export interface Paid {
  readonly lease: Lease;
  readonly receipt: SettleResponse;
  readonly facts: SettledRequest;
}

type Work = Pick<ChargedRequest, "serve" | "isStreamed">;

/** The seller's response, read as far as it can be kept. */
export interface Made {
  readonly response: Response;
  /** Bytes when the whole body is here; else a stream of the rest. */
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
}

/** From here on a response is a failure of the seller's code. */
export const minFailureStatus = 500;

/** Pause before a retry after a failure of the seller's code. */
export const retrySeconds = 5;

/** Never repeated: someone who rebuilt the payment must not get the buyer's credentials. */
const unrepeatedHeaders = new Set([
  "set-cookie",
  "set-cookie2",
  "authorization",
  "authentication-info",
  "proxy-authentication-info",
]);

/** Runs the seller's code and reads its response. Throws what the code throws. */
async function make(work: Work, facts: PaidRequest, bytesMax: number): Promise<Made> {
  const response = await work.serve(facts);
  // An event stream that is whole already need not be sent as one.
  const known = work.isStreamed ? undefined : bytesOf(response);
  if (known && known.byteLength <= bytesMax) return { response, body: known };
  const isStream = work.isStreamed || isEventStream(response.headers);
  if (!response.body || isStream) return { response, body: response.body };
  const head = await readHead(response.body, bytesMax);
  return { response, body: head.rest ? resume(head) : head.bytes };
}

/** Runs the seller's code; returns undefined after the timeout, and cancels a late result. */
export function makeWithin(work: Work, facts: PaidRequest, bytesMax: number, timeoutMs: number) {
  const making = make(work, facts, bytesMax);
  return new Promise<Made | undefined>((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(undefined);
      making.then(cancelBody, () => undefined);
    }, timeoutMs);
    making.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Whether `after-success` charges for a response. A redirect would be free content otherwise. */
export function isSold(response: Response, { redirects }: Pick<ChargedRequest, "redirects">) {
  return response.ok || (redirects === "charge" && isRedirect(response));
}

export function isRedirect({ status, headers }: Response): boolean {
  return status >= 300 && status <= 399 && headers.has("Location");
}

export function cancelBody({ body }: Made): void {
  if (body instanceof ReadableStream) void body.cancel().catch(() => undefined);
}

/** Returns a response to keep; undefined when it is a stream or too large. */
export function toStored({ response, body }: Made, { audience }: Pick<ChargedRequest, "audience">) {
  if (body instanceof ReadableStream) return undefined;
  const headers = [...response.headers].filter(([name]) => !unrepeatedHeaders.has(name));
  const stored = { status: response.status, headers, body: body ?? new Uint8Array() };
  return { ...stored, ...defined({ reader: audience }) };
}

/** Returns a kept response if it was made for this caller; the seller's code does not rerun. */
export function responseFor({ audience }: Pick<ChargedRequest, "audience">, kept?: StoredResponse) {
  const isForAnyone = kept?.reader === undefined;
  return isForAnyone || kept.reader === audience ? kept : undefined;
}

/** A failure of the seller's code, and the status of the response to it. */
export interface Failure {
  readonly status: number;
  readonly error: unknown;
}

type PaidWork = Work & Pick<ChargedRequest, "settlementTiming" | "redirects">;

/** Makes content that is paid for already. */
export async function makePaid(
  work: PaidWork,
  payment: PaidRequest,
  bytesMax: number,
): Promise<Made | Failure> {
  let made: Made | undefined;
  try {
    made = await makeWithin(work, payment, bytesMax, maxWorkMs);
  } catch (error) {
    return { status: minFailureStatus, error };
  }
  // The buyer has paid and may try again.
  const late = { status: 504, error: new Error(`The answer was not made within ${maxWorkMs} ms.`) };
  if (!made) return late;
  const { status } = made.response;
  // With `after-success` only a success counts; otherwise a refusal is a response as well.
  const isFailure =
    work.settlementTiming === "after-success"
      ? !isSold(made.response, work)
      : status >= minFailureStatus;
  if (!isFailure) return made;
  cancelBody(made);
  const error = new Error(`The seller's code answered ${status}.`);
  return { status: Math.max(status, minFailureStatus), error };
}

/** Asks the extensions once the money has moved; the content that they refuse is withheld. */
export async function withholdByHook(
  { extensions }: Pick<ExchangeDeps, "extensions">,
  charged: ChargedRequest,
  { receipt, facts: payment }: Paid,
): Promise<ExchangeResult | undefined> {
  try {
    const reason = await runHooks(extensions, "afterSettle", charged, payment);
    if (reason === undefined) return undefined;
    const message = `Your payment was taken (transaction ${receipt.transaction}), and the seller withholds the response: ${reason}`;
    const body = { error: "paid_undelivered", message, retryable: false } as const;
    const error = new ExtensionRefusedError(reason);
    const outcome = { type: "undelivered", payment, error } as const;
    return { response: errorResponse(403, body, { receipt }), outcome, receipt };
  } catch (error) {
    const response = undelivered(minFailureStatus, receipt);
    return { response, outcome: { type: "undelivered", payment, error }, receipt };
  }
}

/** Makes and keeps the content; when that fails, keeps the fact that it is paid. */
export async function deliver(
  { records }: { readonly records: PaymentRecords },
  charged: ChargedRequest,
  paid: Paid,
): Promise<ExchangeResult> {
  const { receipt, facts: payment } = paid;
  const made = await makePaid(charged, payment, records.answerBytesMax);
  // The state stays `paid`: the next request with this payment makes the content again.
  if ("error" in made) {
    const response = undelivered(made.status, receipt);
    return { response, outcome: { type: "undelivered", payment, error: made.error }, receipt };
  }
  const kept = charged.redeliver === "never" ? undefined : toStored(made, charged);
  return complete(paid, content(made.response, made.body, receipt), kept);
}

/** Ends the work with the content. Without `kept`, a response that was kept before stays. */
export async function complete(
  { lease, receipt, facts: payment }: Paid,
  response: Response,
  kept?: StoredResponse,
): Promise<ExchangeResult> {
  checkHeld(await lease.complete(receipt, kept));
  return { response, outcome: { type: "delivered", payment }, receipt };
}

/** Repeats a kept response with its receipt, marked as a repeat. */
export function replay(stored: StoredResponse, receipt?: SettleResponse): Response {
  const response = fromStored(stored, receipt);
  response.headers.set(replayedHeader, "true");
  return response;
}

export function fromStored(stored: StoredResponse, receipt?: SettleResponse): Response {
  const headers = new Headers(stored.headers.map(([name, value]) => [name, value]));
  const body = stored.body.byteLength === 0 ? null : stored.body;
  return content({ status: stored.status, headers }, body, receipt);
}

function undelivered(status: number, receipt: SettleResponse): Response {
  const message =
    `Your payment was taken (transaction ${receipt.transaction}), and the seller could not make ` +
    "the answer. Repeat the same request with the same payment soon: it costs nothing more.";
  const body = { error: "paid_undelivered", message, retryable: true } as const;
  return errorResponse(status, body, { receipt, retryAfterSeconds: retrySeconds });
}
