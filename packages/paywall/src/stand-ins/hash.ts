/**
 * Takes the place of `ox/Hash` in the bundle, which would be a third of it. The page needs one hash,
 * for the nonce that binds the payment to this page; wallets hash what they sign, and of an answer
 * only the state is kept.
 */
import type { Hex } from "@farthing/protocol";
import { keccak256Of } from "./keccak.ts";

/** The hash of an answer's content goes into a record that the page does not keep. */
export const sha256 = (): Hex => "0x";

export const keccak256 = keccak256Of;

export const hmac256 = (): never => {
  throw new Error("The page has no such hash.");
};
