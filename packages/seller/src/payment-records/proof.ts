/**
 * Who may use a payment record after its first request. Anyone can rebuild a settled payment from
 * the chain, so a repeat has to show something that was never there.
 */
import { parseJson, isObject, member } from "@farthing/protocol";
import type { Access, Proof } from "./payment-records.ts";

/** What a record keeps of the request that opened it. */
export type Opener = Omit<Proof, "isTokenShared">;

/** The part of a proof that is kept. A token that two payers have shown is not. */
export function openerOf({ isTokenShared, token, ...rest }: Proof): Opener {
  return token === undefined || isTokenShared ? rest : { ...rest, token };
}

/** Whether a request may have what belongs to a record that another request has opened. */
export function mayResume(opener: Opener, { proof, rule }: Access, isDelivered: boolean): boolean {
  if (rule === "anyone" || isProven(opener, proof)) return true;
  return rule === "bound" && !isDelivered && !isBound(opener, proof);
}

function isProven(opener: Opener, proof: Proof): boolean {
  return (
    proof.isOpened === true ||
    (proof.isTokenShared !== true && isSame(opener.token, proof.token)) ||
    isSame(opener.authorization, proof.authorization) ||
    isSame(opener.cookie, proof.cookie)
  );
}

/** Whether the opener has shown anything that a repeat could show again. */
function isBound(opener: Opener, { isTokenShared }: Proof): boolean {
  return (
    opener.isOpened === true ||
    opener.authorization !== undefined ||
    opener.cookie !== undefined ||
    (opener.token !== undefined && isTokenShared !== true)
  );
}

function isSame(kept: string | undefined, shown: string | undefined): boolean {
  return kept !== undefined && kept === shown;
}

/** The opener as JSON, for stores outside of the process. */
export function openerText(opener: Opener): string {
  return JSON.stringify(opener);
}

/**
 * Reads it back from JSON, or from its values. A record of an earlier version has none: nothing can
 * prove anything for it.
 */
export function openerIn(stored: unknown): Opener {
  const value = typeof stored === "string" ? parseJson(stored)?.value : stored;
  if (!isObject(value)) return {};
  return {
    ...hashIn(member(value, "token"), "token"),
    ...hashIn(member(value, "authorization"), "authorization"),
    ...hashIn(member(value, "cookie"), "cookie"),
    ...(member(value, "isOpened") === true ? { isOpened: true } : {}),
  };
}

function hashIn<K extends string>(value: unknown, key: K): { readonly [key in K]?: string };
function hashIn(value: unknown, key: string): Record<string, string> {
  return typeof value === "string" ? { [key]: value } : {};
}

/** Random bytes of an exchange key: too many to guess or to meet twice. */
const exchangeKeyBytes = 16;

/** Makes the name of an exchange, see {@link Lease.exchangeKey}. */
export function newExchangeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(exchangeKeyBytes));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
