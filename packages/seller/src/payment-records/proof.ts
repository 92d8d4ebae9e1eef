/** Access to a record after its first request. A repeat needs a proof that is not on the chain. */
import { parseJson, isObject, member } from "@farthing/protocol";
import type { Access, Proof } from "./payment-records.ts";

/** The part of the first request's proof that a record keeps. */
export type Opener = Omit<Proof, "isTokenShared">;

/** Returns the part of a proof to keep. A token that two payers have shown is left out. */
export function openerOf({ isTokenShared, token, ...rest }: Proof): Opener {
  return token === undefined || isTokenShared ? rest : { ...rest, token };
}

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

/** Parses a stored opener. Records of earlier versions have none, so nothing proves them. */
export function openerIn(stored: unknown): Opener {
  const value = typeof stored === "string" ? parseJson(stored)?.value : stored;
  if (!isObject(value)) return {};
  const hashes = (["token", "authorization", "cookie"] as const).flatMap((name) => {
    const hash = member(value, name);
    return typeof hash === "string" ? [[name, hash] as const] : [];
  });
  const isOpened = member(value, "isOpened") === true;
  return { ...Object.fromEntries(hashes), ...(isOpened ? { isOpened } : {}) };
}

/** Creates an exchange key, see {@link Lease.exchangeKey}. */
export function newExchangeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
