/** Bearer tokens of passes and balances. A store finds its entry by the id and knows a hash alone. */
import { hexDigits } from "@farthing/protocol";
import { sha256OfText } from "../../sha256.ts";

/** Hex digits of an id: 128 bits of a hash. */
export const idChars = 32;

const tokenShape = /^([0-9a-f]{32})\.[0-9a-f]{64}$/;

/** The token is the id and 256 random bits. */
export async function createToken(id: string) {
  const token = `${id}.${hexDigits(crypto.getRandomValues(new Uint8Array(32)))}`;
  return { token, tokenHash: await sha256OfText(token) };
}

export function idOfToken(token: string): string | undefined {
  return tokenShape.exec(token)?.[1];
}
