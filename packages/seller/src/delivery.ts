/**
 * The seller's content, after the payment is confirmed: made once, kept within bounds for a buyer
 * whose connection broke, and handed out with the receipt.
 */
import type { SettleResponse } from "@farthing/protocol";
import { content, replayedHeader, say } from "./answers.ts";
import { readHead, resume, type BodyHead } from "./body.ts";
import type { EventListener, PaidRequest } from "./events.ts";
import type { GrantStore, Lease, StoredAnswer } from "./grants.ts";
import type { ChallengeTerms } from "./answers.ts";

/** Makes the content. Called after confirmation only, and once for each payment. */
export type Serve = (payment: PaidRequest) => Response | Promise<Response>;

/** A paid grant that waits for its content. */
export interface Paid {
  readonly lease: Lease;
  readonly receipt: SettleResponse;
  readonly facts: PaidRequest;
}

/** What is delivered. */
export interface Delivery {
  readonly serve: Serve;
  readonly isStreamed: boolean;
  readonly terms: ChallengeTerms;
}

/** Statuses from here on say that the seller's code failed. */
const failureStatusMin = 500;

/** Seconds after which a repeat of a paid request that failed is worth it. */
const undeliveredRetrySeconds = 5;

/**
 * Headers that are not given out again: a repeat may come from somebody who rebuilt the payment
 * from the chain, and must not get the first buyer's session.
 */
const unrepeatedHeaders = new Set(["set-cookie", "set-cookie2"]);

/** Makes the content, and keeps it; when it cannot be made, keeps the fact that it is paid. */
export async function deliver(
  at: { readonly grants: GrantStore; readonly emit: EventListener },
  sale: Delivery,
  paid: Paid,
): Promise<Response> {
  const { lease, receipt, facts } = paid;
  const { url } = sale.terms.resource;
  const failed = (status: number, error: unknown): Response => {
    // The lease is left as `paid`: the next request with this payment makes the content again.
    at.emit({ type: "undelivered", url, payment: facts, error });
    return undelivered(status, receipt);
  };
  let answer: Response;
  let head: BodyHead | undefined;
  try {
    answer = await sale.serve(facts);
    if (answer.status >= failureStatusMin) {
      void answer.body?.cancel().catch(() => undefined);
      return failed(answer.status, new Error(`The seller's code answered ${answer.status}.`));
    }
    head = isStream(sale, answer) ? undefined : await readAnswer(answer, at.grants.answerBytesMax);
  } catch (error) {
    return failed(failureStatusMin, error);
  }
  await lease.deliver(head && toStored(answer, head));
  at.emit({ type: "delivered", url, payment: facts });
  if (!head || !answer.body) return content(answer, answer.body, receipt);
  return content(answer, head.rest ? resume(head) : head.bytes, receipt);
}

/** Hands out a kept answer again, with its receipt and the word that it is a repeat. */
export function replay(answer: StoredAnswer, receipt: SettleResponse): Response {
  const headers = new Headers(answer.headers.map(([name, value]) => [name, value]));
  const body = answer.body.byteLength === 0 ? null : answer.body;
  const response = content({ status: answer.status, headers }, body, receipt);
  response.headers.set(replayedHeader, "true");
  return response;
}

function isStream(sale: Delivery, answer: Response): boolean {
  const type = answer.headers.get("Content-Type") ?? "";
  // Events are worth nothing when they all come at the end.
  return sale.isStreamed || type.startsWith("text/event-stream");
}

async function readAnswer(answer: Response, bytesMax: number): Promise<BodyHead> {
  return answer.body ? readHead(answer.body, bytesMax) : { bytes: new Uint8Array() };
}

function toStored(answer: Response, head: BodyHead): StoredAnswer | undefined {
  if (head.rest) return undefined;
  const headers = [...answer.headers].filter(([name]) => !unrepeatedHeaders.has(name));
  return { status: answer.status, headers, body: head.bytes };
}

function undelivered(status: number, receipt: SettleResponse): Response {
  const message =
    `Your payment was taken (transaction ${receipt.transaction}), and the seller could not make ` +
    "the answer. Repeat the same request with the same payment soon: it costs nothing more.";
  const body = { error: "paid_undelivered", message, retryable: true } as const;
  return say(status, body, { receipt, retryAfterSeconds: undeliveredRetrySeconds });
}
