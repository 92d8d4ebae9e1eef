/**
 * Takes the place of `ox/Hash` in the bundle, which would be a third of it. Nothing on the page
 * hangs on a hash: wallets hash what they sign, and of an answer only the state is kept.
 */
import type { Hex } from "@farthing/protocol";

/** The hash of an answer's content goes into a record that the page does not keep. */
export const sha256 = (): Hex => "0x";

const unused = (): never => {
  throw new Error("The page has no such hash.");
};

export const hmac256 = unused;
export const keccak256 = unused;
