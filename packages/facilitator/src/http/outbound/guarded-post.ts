/** POST requests to URLs from third parties; only the response's status counts. */
import {
  createGuardedRequest,
  type GuardedRequestDeps,
  type OutboundRequest,
} from "./guarded-request.ts";

/** Bytes of a response that are read from the wire and ignored. */
const responseBytesMax = 64 * 1024;

export type PostOutcome =
  | { readonly kind: "answered"; readonly status: number }
  /** `problem` says why, without details of the internal network. */
  | { readonly kind: "unanswered"; readonly problem: string };

export type OutboundMessage = Pick<OutboundRequest, "url" | "headers" | "signal"> & {
  readonly body: string;
};

/** Never throws. */
export type GuardedPost = (message: OutboundMessage) => Promise<PostOutcome>;

export function createGuardedPost(deps: GuardedRequestDeps): GuardedPost {
  const send = createGuardedRequest(deps);
  return async (message) => {
    const outcome = await send({ ...message, method: "POST", bytesMax: responseBytesMax });
    return outcome.kind === "answered"
      ? { kind: "answered", status: outcome.status }
      : { kind: "unanswered", problem: outcome.problem };
  };
}

/** Returns the reach of webhooks: on devnets also this machine and plain http. */
export function webhookReach(isInsecure: boolean) {
  return { isLocal: isInsecure, isPlain: isInsecure };
}
