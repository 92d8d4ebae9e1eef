/** The error codes of the reference page and their meaning for the caller. */
import { problemTable } from "@farthing/facilitator";
import { errorCodes, type ErrorCode } from "@farthing/protocol";

/** The type requires a sentence for each code. */
export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  invalid_request: "The request cannot be read; the message says where.",
  unauthorized: "The API key is missing, not valid, or of the other mode; or there is no session.",
  insufficient_facilitator_credits:
    "The seller has no credits left. The payment was not evaluated; the seller buys credits.",
  seller_plan_inactive:
    "The seller's plan is inactive. The payment was not evaluated; the seller asks the operator.",
  payee_mismatch: "The API key acts for an address other than `payTo`.",
  sign_in_failed: "The signature does not sign in; ask for a new text and sign that.",
  step_up_failed: "The signature does not allow this action; ask for a new text and sign that.",
  role_not_allowed:
    "The member's role in the account does not allow this; ask an owner of the account.",
  foreign_origin: "A page of another origin requested a change.",
  not_found: "There is no such path, or the caller owns nothing under it.",
  method_not_allowed: "The path accepts other methods; `Allow` names them.",
  conflict: "The stored state does not allow the action; the message says why.",
  request_too_large: "The body or the headers are too large.",
  unsupported_media_type: "The body is not `application/json`, or it is compressed.",
  rate_limited: "The caller sent too many requests; `Retry-After` says when to retry.",
  caller_gas_share_used:
    "The caller's network has used its share of the gas for callers without a key; wait, or use a key.",
  keyless_gas_exhausted:
    "The gas for callers without a key is used up for now; wait, or use a key. Nothing was evaluated.",
  reverted_gas_exhausted:
    "Reverted transactions of contract wallets have used up the daily gas budget; wait, or pay from a plain address. Nothing was evaluated.",
  gas_price_too_high:
    "The chain's gas price is above what the service pays; nothing was accepted. Try again later, with the same payment while it is valid. The operator finds the reason in `/ready`.",
  no_wallet:
    "No relayer wallet can send: all are out of coins, paused or held up; nothing was accepted. Try again shortly with the same payment.",
  payer_limited:
    "This payer has too many open payments; other payers are served. Wait until some have expired.",
  queue_full: "Too many settlements are waiting; nothing was accepted. Try again shortly.",
  service_unavailable:
    "The chain, the database or all relayer wallets are unavailable, or the service is stopping. Nothing was evaluated.",
  internal_error: "Something went wrong in the service; the operator finds it by the `requestId`.",
};

/** Returns the table's rows: code, HTTP status, whether a repeat can succeed later, meaning. */
export function errorRows(): string[] {
  return errorCodes.map((code) => {
    const { status, retryable } = problemTable[code];
    return `| \`${code}\` | ${status} | ${retryable ? "yes" : "no"} | ${errorMeanings[code]} |`;
  });
}
