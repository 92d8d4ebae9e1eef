/** The extension `payment-identifier`: the buyer's id of a payment that is charged once. */
import { isObject, member, type JsonObject } from "../encoding/json.ts";
import { accept, refuse, type Outcome } from "../errors/refusals.ts";

export const paymentIdentifierName = "payment-identifier";

const charactersMin = 16;
const charactersMax = 128;
const form = new RegExp(`^[A-Za-z0-9_-]{${charactersMin},${charactersMax}}$`);

/** Declares the extension in a challenge: a buyer may send an id. */
export function declarePaymentIdentifier(): JsonObject {
  const id = { type: "string", minLength: charactersMin, maxLength: charactersMax };
  return {
    info: { required: false },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { required: { type: "boolean" }, id: { ...id, pattern: "^[a-zA-Z0-9_-]+$" } },
      required: ["required"],
    },
  };
}

/** An id names a payment and is no part of what was signed. */
export function withoutPaymentIdentifier(
  extensions: JsonObject | undefined,
): JsonObject | undefined {
  if (extensions === undefined) return undefined;
  const others = Object.entries(extensions).filter(([key]) => key !== paymentIdentifierName);
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

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
