/**
 * The extension `payment-identifier`: an id that the buyer gives to a payment, so that a repeat of a
 * lost request is not charged as another purchase.
 */
import { isObject, member, type JsonObject } from "./json.ts";
import { accept, refuse, type Outcome } from "./refusals.ts";

/** The extension's key. */
export const paymentIdentifierName = "payment-identifier";

const form = /^[A-Za-z0-9_-]{16,128}$/;

/** Tells whether a text can be an id of the extension. */
export function isPaymentIdentifier(value: unknown): value is string {
  return typeof value === "string" && form.test(value);
}

/**
 * Reads the id from a payment's extensions; null where the buyer gave none, as buyers that only echo
 * the declaration do. An id of another form is refused: a buyer who counts on an id that is ignored
 * signs again after a lost answer, and pays twice.
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
