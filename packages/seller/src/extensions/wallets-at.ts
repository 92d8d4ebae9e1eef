/** Asks contract wallets through a node whether they accept a signature (ERC-1271, ERC-6492). */
import { hashOfSignedText, isObject, member, parseJson, signatureCallOf } from "@farthing/protocol";
import { readBytes } from "../body.ts";
import type { VerifyWallet } from "./sign-in.ts";

/** Longer than a node that works takes for one call. */
const answerMs = 5_000;

/** A reply has a word of the wallet, or the text of an error. The wallet chooses how long both are. */
const maxReplyBytes = 16 * 1024;

/** JSON-RPC's code of a call that has reverted. */
const revertedCode = 3;

/**
 * Returns a `verifyWallet` that asks the node at an http or https address. It rejects when the node
 * fails or serves another network, and no error holds the address, which may have a key in it. A
 * wallet that is not deployed signs in with a wrapped signature (ERC-6492): the node simulates its
 * deployment, and nothing is deployed.
 */
export function walletsAt(rpcUrl: string): VerifyWallet {
  return async ({ address, network, text, signature }) => {
    const chainId = await call(rpcUrl, "eth_chainId", []);
    // At the same address of another network may be the wallet of somebody else.
    if (`eip155:${Number(chainId)}` !== network) throw new Error("The node has another network.");
    const { accepted, ...asked } = signatureCallOf(address, hashOfSignedText(text), signature);
    const result = await call(rpcUrl, "eth_call", [asked, "latest"]);
    return typeof result === "string" && result.startsWith(accepted);
  };
}

/** Undefined when the call has reverted. */
async function call(rpcUrl: string, method: string, params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "Content-Type": "application/json" };
  const signal = AbortSignal.timeout(answerMs);
  const bytes = await fetch(rpcUrl, { method: "POST", headers, body, signal })
    .then((response) => readBytes(response.body, maxReplyBytes))
    .catch(() => undefined);
  const reply = parseJson(new TextDecoder().decode(bytes))?.value;
  const result = isObject(reply) ? member(reply, "result") : undefined;
  if (result !== undefined) return result;
  const error = isObject(reply) ? member(reply, "error") : undefined;
  if (isObject(error) && member(error, "code") === revertedCode) return undefined;
  throw new Error(`The node did not answer ${method}.`);
}
