/** The extension `payment-identifier`: the buyer's id of a payment that is charged once. */
import { isObject, member, type JsonObject } from "./json.ts";
import { accept, refuse, type Outcome } from "./refusals.ts";

export const paymentIdentifierName = "payment-identifier";

const form = /^[A-Za-z0-9_-]{16,128}$/;

export function isPaymentIdentifier(value: unknown): value is string {
  return typeof value === "string" && form.test(value);
}

/**
 * Reads the id from a payment's extensions; null when there is none. A malformed id is refused: a
 * buyer who relies on an id that is ignored would sign again after a lost response, and pay twice.
 */
export function readPaymentIdentifier(extensions: JsonObject | undefined): Outcome<string | null> {
  const extension = extensions && member(extensions, paymentIdentifierName);
  const info = isObject(extension) ? member(extension, "info") : undefined;
  const id = (isObject(info) ? member(info, "id") : undefined) ?? null;
  if (id === null || isPaymentIdentifier(id)) return accept(id);
  return refuse(
    "invalid_payload",
    `extensions.${paymentIdentifierName}.info.id must be 16 to 128 characters of A-Z, a-z, 0-9, _ and -.`,
  );
}
