/** Access to a record after its first request. A repeat needs a proof that is not on the chain. */
import { defined, hexDigits, isObject, member, parseJson, textMembers } from "@farthing/protocol";
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

export function isProven(opener: Opener, proof: Proof): boolean {
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
  const isOpened = member(value, "isOpened") === true || undefined;
  return { ...textMembers(value, "token", "authorization", "cookie"), ...defined({ isOpened }) };
}

/** Bytes of a value of {@link randomHex}. */
const randomBytes = 16;

/** Random bytes for the next values, since the source takes as long for one of them as for all. */
const pool = new Uint8Array(256 * randomBytes);
let used = pool.length;

/** Creates 128 random bits: a challenge's token, or {@link Lease.exchangeKey}. */
export function randomHex(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const bytes = pool.subarray(used, (used += randomBytes));
  const digits = hexDigits(bytes);
  // Nothing keeps what was given out.
  bytes.fill(0);
  return digits;
}
