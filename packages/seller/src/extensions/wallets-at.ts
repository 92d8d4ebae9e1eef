/** Asks contract wallets through a node whether they accept a signature (ERC-1271, ERC-6492). */
import { hashOfSignedText, signatureCallOf } from "@farthing/protocol";
import { callNode } from "../call-node.ts";
import type { VerifyWallet } from "./sign-in.ts";

/** A reply has a word of the wallet, or the text of an error. The wallet chooses how long both are. */
const maxReplyBytes = 16 * 1024;

/**
 * Returns a `verifyWallet` that asks the node at an http or https address. It rejects when the node
 * fails or serves another network, and no error holds the address, which may have a key in it. A
 * wallet that is not deployed signs in with a wrapped signature (ERC-6492): the node simulates its
 * deployment, and nothing is deployed.
 */
export function walletsAt(rpcUrl: string): VerifyWallet {
  return async ({ address, network, text, signature }) => {
    // At the same address of another network may be the wallet of somebody else.
    const call = await callNode(rpcUrl, network, maxReplyBytes);
    const { accepted, ...asked } = signatureCallOf(address, hashOfSignedText(text), signature);
    const result = await call("eth_call", [asked, "latest"]);
    return typeof result === "string" && result.startsWith(accepted);
  };
}
