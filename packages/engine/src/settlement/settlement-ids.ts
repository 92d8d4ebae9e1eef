/** The ids of new settlements. */
import { createHmac, randomBytes } from "node:crypto";
import type { Secret } from "../base/secret.ts";
import { keyText, type AuthorizationKey } from "../model/settlement.ts";

/** Too many to guess, since some surfaces ask for no key. */
const idBytes = 16;

/**
 * With a secret, the id is a keyed function of the authorization: a payment that the database has lost
 * is recovered under the id that its caller was told. The function must never change. Without one, ids
 * are random.
 */
export function createSettlementIds(secret: Secret | undefined): (key: AuthorizationKey) => string {
  const bytesFor = (key: AuthorizationKey): Buffer =>
    secret
      ? createHmac("sha256", secret.expose()).update(keyText(key)).digest().subarray(0, idBytes)
      : randomBytes(idBytes);
  return (key) => `stl_${bytesFor(key).toString("hex")}`;
}
