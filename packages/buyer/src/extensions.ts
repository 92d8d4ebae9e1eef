/** Extensions of third parties: what the buyer adds to a payment, and hooks that refuse one. */
import { isObject, member, type JsonObject } from "@farthing/protocol";
import type { Quote } from "./offer/quote.ts";
import type { Offer } from "./offer/read-challenge.ts";
import { PaymentError, refusedPayment } from "./payment-error.ts";
import type { SentPayment } from "./payment-summary.ts";

/** A reason for the caller; undefined lets the payment pass. */
export type BuyerHookResult = { readonly refuse: string } | undefined | void;

type Hook<T> = (context: T) => BuyerHookResult | Promise<BuyerHookResult>;

/** The hooks of a payment run in this order; those of a resumed payment are `afterSettle` alone. */
export interface BuyerExtension {
  /** The member of `extensions` in challenges, payments and receipts. */
  readonly key: string;
  /** Once a 402 has come, before its offers are read and checked against the limits. */
  readonly beforeVerify?: Hook<{ readonly requestId: string; readonly url: string }>;
  /** Once an offer has passed every check, before the approval. `declared`: the seller's words. */
  readonly afterVerify?: Hook<{ readonly quote: Quote; readonly declared: unknown }>;
  /** Last before the signature. */
  readonly beforeSettle?: Hook<{ readonly quote: Quote; readonly declared: unknown }>;
  /** Returns what the payment carries in place of the declaration, where the seller declares it. */
  readonly extend?: (declared: JsonObject, quote: Quote) => JsonObject | Promise<JsonObject>;
  /** Before the response is returned. The money has moved, or may have: a refusal only withholds. */
  readonly afterSettle?: Hook<{ readonly payment: SentPayment; readonly received: unknown }>;
}

type HookName = "beforeVerify" | "afterVerify" | "beforeSettle";

type ContextOf<N extends HookName> = Parameters<NonNullable<BuyerExtension[N]>>[0];

/** More are a mistake. */
const maxExtensions = 8;

/** Throws a TypeError for extensions that could not work. */
export function parseBuyerExtensions(
  extensions: readonly BuyerExtension[] = [],
): readonly BuyerExtension[] {
  const isWhole = extensions.every((one) => isObject(one) && typeof one.key === "string");
  if (isWhole && extensions.length <= maxExtensions) return extensions;
  throw new TypeError(`extensions is a list of at most ${maxExtensions} objects, each with a key.`);
}

/** Rejects with a PaymentError for the first refusal, and with the error of a hook that fails. */
export async function runBuyerHooks<N extends HookName>(
  extensions: readonly BuyerExtension[],
  name: N,
  contextOf: (key: string) => ContextOf<N>,
  requestId: string,
): Promise<void> {
  for (const extension of extensions) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript does not relate the two
    const hook = extension[name] as Hook<ContextOf<N>> | undefined;
    const result = await hook?.(contextOf(extension.key));
    if (!result) continue;
    const message = `${extension.key}: ${result.refuse}`;
    throw refusedPayment("extension_refused", message, requestId);
  }
}

/** Returns the offer with what the payment carries for each extension that the seller declares. */
export async function extendOffer(
  extensions: readonly BuyerExtension[],
  offer: Offer,
  quote: Quote,
): Promise<Offer> {
  const carried: Record<string, unknown> = { ...offer.extensions };
  for (const { key, extend } of extensions) {
    const declared = declaredBy(offer, key);
    if (extend && isObject(declared)) carried[key] = await extend(declared, quote);
  }
  return offer.extensions ? { ...offer, extensions: carried } : offer;
}

export function declaredBy({ extensions }: Offer, key: string): unknown {
  return extensions && member(extensions, key);
}

/** Rejects with a PaymentError for the first refusal of a response to a payment. */
export async function withholdResponse(
  extensions: readonly BuyerExtension[],
  payment: SentPayment,
): Promise<void> {
  const { receipt, state } = payment;
  for (const { key, afterSettle } of extensions) {
    const received = receipt?.extensions && member(receipt.extensions, key);
    const result = await afterSettle?.({ payment, received });
    if (!result) continue;
    const problem = {
      error: "extension_refused",
      message: `${key}: ${result.refuse}`,
      retryable: false,
      retry_action: "abandon",
      payment_state: state === "settled" ? state : "in_flight",
      authorization_expires_at: payment.authorizationExpiresAt,
    } as const;
    throw new PaymentError(problem, payment.requestId);
  }
}
