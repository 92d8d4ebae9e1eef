/**
 * Replaces `ox/Hash` in the bundle, of which it would be a third. The page needs one hash, for the
 * nonce that binds the payment to this page.
 */
import type { Hex } from "@farthing/protocol";
import { keccak256Of } from "./keccak.ts";

/** The content's hash would go into a record that the page does not keep. */
export const sha256 = (): Hex => "0x";

export const keccak256 = keccak256Of;

export const hmac256 = (): never => {
  throw new Error("The page has no such hash.");
};
