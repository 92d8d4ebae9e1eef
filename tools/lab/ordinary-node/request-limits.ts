/** Refusals of a whole request for what it is: too long, too many calls, an expired key. */
import type { BatchLimit, NodeConditions } from "./conditions.ts";
import {
  errorOfNone,
  html,
  json,
  type NodeRequest,
  type NodeResponse,
} from "@farthing/devnet/rpc-proxy";

/** Why a whole request is refused. */
export const refusalKinds = ["key", "body", "batch", "rate"] as const;

/** One of {@link refusalKinds}. */
export type RefusalKind = (typeof refusalKinds)[number];

/** A refusal of a whole request. */
export interface Refusal {
  readonly kind: RefusalKind;
  readonly response: NodeResponse;
}

/** The refusal that a request meets whatever was asked before it; undefined: it may pass. */
export function refuseRequest(
  { expiredKey, maxBodyBytes, batchLimit }: NodeConditions,
  request: NodeRequest,
): Refusal | undefined {
  if (expiredKey !== undefined) {
    const message = expiredKey === 401 ? "invalid project id" : "key has expired";
    return { kind: "key", response: json(expiredKey, { error: message }) };
  }
  if (maxBodyBytes !== undefined && request.bytes > maxBodyBytes) {
    return { kind: "body", response: html(413, "413 Request Entity Too Large") };
  }
  if (batchLimit && request.isBatch && request.calls.length > batchLimit.maxCalls) {
    return { kind: "batch", response: refuseBatch(batchLimit) };
  }
  return undefined;
}

/** geth's code for an invalid request, and its words for a batch beyond its limit. */
const invalidRequest = -32_600;

function refuseBatch({ style, maxCalls }: BatchLimit): NodeResponse {
  if (style === "http_413") return html(413, "413 Request Entity Too Large");
  const error = errorOfNone(invalidRequest, `batch too large: at most ${maxCalls} calls`);
  return json(200, style === "one_error" ? error : [error]);
}
