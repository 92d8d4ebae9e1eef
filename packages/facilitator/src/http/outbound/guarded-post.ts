/** POST of a message to an address that a stranger named; of the answer only the status counts. */
import { createGuardedRequest, type GuardedRequestDeps } from "./guarded-request.ts";

/** Bytes of an answer that are taken from the wire; nobody looks at them. */
const answerBytesMax = 64 * 1024;

/** What became of it. */
export type PostOutcome =
  | { readonly kind: "answered"; readonly status: number }
  /** There was no answer; `problem` says why, with nothing of the network's inside. */
  | { readonly kind: "unanswered"; readonly problem: string };

/** A message to somebody. */
export interface OutboundMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal;
}

/** Sends a message. Never throws. */
export type GuardedPost = (message: OutboundMessage) => Promise<PostOutcome>;

/** Creates the function. */
export function createGuardedPost(deps: GuardedRequestDeps): GuardedPost {
  const send = createGuardedRequest(deps);
  return async (message) => {
    const outcome = await send({ ...message, method: "POST", bytesMax: answerBytesMax });
    return outcome.kind === "answered"
      ? { kind: "answered", status: outcome.status }
      : { kind: "unanswered", problem: outcome.problem };
  };
}

/** How far webhooks reach: to this machine and over plain http too, on devnets. */
export function webhookReach(isInsecure: boolean) {
  return { isLocal: isInsecure, isPlain: isInsecure };
}
