/**
 * Extensions of third parties: what they declare in the challenge, and their hooks around the calls of
 * the facilitator. A hook refuses a payment with a reason, and changes nothing else.
 */
import {
  isDeeperThan,
  isObject,
  member,
  paymentIdentifierName,
  type JsonObject,
} from "@farthing/protocol";
import type { PaidRequest } from "../events.ts";
import { ConfigurationError } from "../option-values.ts";
import { withinTime } from "../within-time.ts";

/** What a hook is told of a payment. */
export interface HookContext {
  /** The paid resource, as the challenge names it. */
  readonly url: string;
  /** With a transaction in `afterSettle`. */
  readonly payment: PaidRequest;
  /** What the payment carries under the extension's key: the buyer's words, so parse them. */
  readonly sent: unknown;
}

/** A reason for the buyer; undefined lets the payment pass. */
export type HookResult = { readonly refuse: string } | undefined | void;

export type PaymentHook = (context: HookContext) => HookResult | Promise<HookResult>;

/** The hooks run once for each attempt at a payment, in the order of the extensions. */
export interface SellerExtension {
  /** The member of `extensions` in challenges and payments. */
  readonly key: string;
  /** Declared in every challenge, usually `{ info, schema }`. */
  readonly declaration?: JsonObject;
  /** Before the facilitator verifies a new payment. The buyer gets a 402 with the reason. */
  readonly beforeVerify?: PaymentHook;
  /** Once the payment is valid, before any work. */
  readonly afterVerify?: PaymentHook;
  /** Before the money moves; with `after-success` the work is done by then. */
  readonly beforeSettle?: PaymentHook;
  /** The money has moved: a refusal withholds the content, and is the event `undelivered`. */
  readonly afterSettle?: PaymentHook;
}

export type HookName = "beforeVerify" | "afterVerify" | "beforeSettle" | "afterSettle";

export const hookNames: readonly HookName[] = [
  "beforeVerify",
  "afterVerify",
  "beforeSettle",
  "afterSettle",
];

/** A hook that waits for longer fails. Within the wait of a buyer there is time for two of them. */
export const maxHookMs = 5_000;

/** A reason is one sentence, and travels in a header. */
const maxReasonChars = 300;

/** The error of an event: a hook has refused content that was paid for. */
export class ExtensionRefusedError extends Error {
  override readonly name = "ExtensionRefusedError";
}

interface Hooked {
  readonly payment: { readonly extensions?: JsonObject };
  readonly terms: { readonly resource: { readonly url: string } };
}

/** Returns the first refusal of the extensions. Rejects with the error of a hook that fails. */
export async function runHooks(
  extensions: readonly SellerExtension[],
  name: HookName,
  { payment: { extensions: sent }, terms }: Hooked,
  payment: PaidRequest,
): Promise<string | undefined> {
  for (const extension of extensions) {
    const { key } = extension;
    if (!extension[name]) continue;
    const late = `The hook ${key}.${name} took more than ${maxHookMs} ms.`;
    const context = { url: terms.resource.url, payment, sent: sent && member(sent, key) };
    const run = async (): Promise<HookResult> => extension[name]?.(context);
    const result = await withinTime(run(), maxHookMs, late);
    if (result) return result.refuse.slice(0, maxReasonChars);
  }
  return undefined;
}

/** Returns what the extensions declare, by key. */
export function declarationsOf(extensions: readonly SellerExtension[]): JsonObject {
  const declared = extensions.filter(({ declaration }) => declaration !== undefined);
  return Object.fromEntries(declared.map(({ key, declaration }) => [key, declaration]));
}

/** More in one challenge is a mistake. */
const maxExtensions = 8;

/** Of all declarations as JSON: the challenge travels in a header of at most about 8 KiB. */
const maxDeclarationChars = 2_000;

/** JSON is read up to 32 levels; the challenge and the facilitator's calls have a few around these. */
const maxDeclarationLevels = 24;

/** Written by the seller itself. */
const ownKeys = new Set([
  "request-binding",
  "bazaar",
  "offer-receipt",
  paymentIdentifierName,
  "settlement-attestation",
  "sign-in-with-x",
]);

/** Throws {@link ConfigurationError} for extensions that could not work. */
export function parseExtensions(given: unknown = []): readonly SellerExtension[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [undefined];
  const extensions = list.filter(isExtension);
  const keys = new Set(extensions.map(({ key }) => key));
  const isWhole = extensions.length === list.length && keys.size === list.length;
  const declared = JSON.stringify(declarationsOf(extensions));
  const isShort =
    declared.length <= maxDeclarationChars && !isDeeperThan(declared, maxDeclarationLevels);
  if (isWhole && list.length <= maxExtensions && isShort) return extensions;
  const shape = `at most ${maxExtensions} objects with a key of their own, an optional declaration (${maxDeclarationChars} characters together) and hooks`;
  throw new ConfigurationError("extensions", shape, '[{ key: "acme", beforeSettle: () => {} }]');
}

function isExtension(value: unknown): value is SellerExtension {
  if (!isObject(value)) return false;
  const { key, declaration } = value;
  const isKey = typeof key === "string" && /^[a-z0-9][a-z0-9._/-]{0,63}$/i.test(key);
  if (!isKey || ownKeys.has(key)) return false;
  if (declaration !== undefined && !isObject(declaration)) return false;
  return hookNames.every((name) => ["undefined", "function"].includes(typeof value[name]));
}
