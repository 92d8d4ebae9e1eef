/** The pass that a payment opens beside its record, given with the response to the payment. */
import { defined, passHeaders, type SettleResponse } from "@farthing/protocol";
import type { SettledRequest } from "../events.ts";
import type { OpenedPass } from "../payment-records/passes/passes.ts";
import { addPass, addReceipt } from "../responses.ts";
import { laterUntaken } from "./open-responses.ts";
import {
  factsAfter,
  type ChargedRequest,
  type ExchangeDeps,
  type ExchangeResult,
} from "./paid-request.ts";

/** Refuses a payment while there is no room for its pass; undefined when there is. */
export async function refuseWithoutRoom(
  { records }: ExchangeDeps,
  { binding, pass }: ChargedRequest,
): Promise<ExchangeResult | undefined> {
  if (!pass || !(await pass.passes.isFull()) || (await records.has(binding))) return undefined;
  const response = laterUntaken(
    "busy",
    "The seller can keep no more passes. Your payment was not taken.",
  );
  return { response, outcome: { type: "full" } };
}

/**
 * Adds the pass to a response whose payment has moved money. A repeat of a delivered payment must
 * prove that it comes from the buyer; it gets a new token, and the old one ends.
 */
export async function withPass(
  deps: ExchangeDeps,
  charged: ChargedRequest,
  result: ExchangeResult,
): Promise<ExchangeResult> {
  const { pass: sold, binding, access } = charged;
  const { type } = result.outcome;
  const isRepeat = type === "repeated";
  if (!sold || !result.receipt || !(isRepeat || type === "delivered" || type === "undelivered")) {
    return result;
  }
  let opened: OpenedPass | undefined;
  try {
    if (isRepeat && !(await deps.records.isProven(binding, access))) return result;
    opened = await sold.passes.open(binding.key, sold, factsAfter(charged, result.receipt));
  } catch (error) {
    // The content is paid for. A repeat of the payment opens the pass.
    deps.emit({ type: "broken", url: charged.terms.resource.url, error });
  }
  return opened ? showPass(result, result.receipt, opened) : result;
}

function showPass(result: ExchangeResult, paid: SettleResponse, { pass, token }: OpenedPass) {
  const receipt = { ...paid, extra: { ...paid.extra, passId: pass.id } };
  const { headers } = result.response;
  addReceipt(headers, receipt);
  addPass(headers, pass);
  headers.set(passHeaders.token, token);
  return { ...result, receipt };
}

/** Returns the pass's payment as the seller's code sees it. */
export function factsOfUse({
  payment,
  id,
  usesLeft,
  expiresAtMs,
}: OpenedPass["pass"]): SettledRequest {
  return { ...payment, pass: { id, usesLeft, expiresAtMs } };
}

/** Returns a receipt for the record of a use. No response shows it, because no money moved. */
export function receiptOfUse({ payment }: Pick<OpenedPass["pass"], "payment">): SettleResponse {
  const { payer, network, transaction, settlementId } = payment;
  const extra = settlementId === undefined ? undefined : { settlementId };
  return { success: true, payer, network, transaction, ...defined({ extra }) };
}
