/** SHA-256 and HMAC as hex. Web standards alone where there are no others. */
import { hexDigits } from "@farthing/protocol";

type NodeCrypto = Pick<typeof import("node:crypto"), "createHash" | "createHmac">;

/**
 * Node's own functions, also where a runtime has them for compatibility. WebCrypto hands 32 bytes
 * to another thread and back, which costs many times what the hash does.
 */
const node = nodeCrypto();

/** Longer ones are hashed by WebCrypto, so that other requests need not wait for them. */
const bytesAtOnceMax = 64 * 1024;

function nodeCrypto(): NodeCrypto | undefined {
  try {
    return globalThis.process.getBuiltinModule("node:crypto");
  } catch {
    // Another runtime, or a Node older than 20.16.
    return undefined;
  }
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (node && bytes.byteLength <= bytesAtOnceMax) {
    return node.createHash("sha256").update(bytes).digest("hex");
  }
  return hexDigits(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

export async function sha256OfText(text: string): Promise<string> {
  return sha256(new TextEncoder().encode(text));
}

/** HMAC with SHA-256 of a text, by the bytes of another one. */
export async function hmacOfText(secret: string, text: string): Promise<string> {
  if (node) return node.createHmac("sha256", secret).update(text).digest("hex");
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secretBytes = encoder.encode(secret);
  const key = await crypto.subtle.importKey("raw", secretBytes, algorithm, false, ["sign"]);
  const tag = await crypto.subtle.sign("HMAC", key, encoder.encode(text));
  return hexDigits(new Uint8Array(tag));
}
