/** SHA-256 as hex, of bytes and of text. */
import { hexDigits } from "@farthing/protocol";

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hexDigits(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

export async function sha256OfText(text: string): Promise<string> {
  return sha256(new TextEncoder().encode(text));
}
