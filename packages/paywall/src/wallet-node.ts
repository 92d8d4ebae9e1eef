/** The wallet's own connection to the chain, in the shape in which a node is asked over HTTP. */
import type { FetchFunction } from "@farthing/buyer/steps";
import { ask, type Provider } from "@farthing/buyer/wallet";

/** Stands where a node's address is wanted; nothing is ever sent there. */
export const walletNodeUrl = "wallet:";

/** Answers JSON-RPC requests by asking the wallet. */
export function walletNode(provider: Provider): FetchFunction {
  return async (_url, init) => {
    const body = typeof init?.body === "string" ? init.body : "{}";
    const { method, params }: { method: string; params: unknown } = JSON.parse(body);
    const result = await ask(provider, method, params, init?.signal ?? undefined);
    return Response.json({ jsonrpc: "2.0", id: 1, result: result ?? null });
  };
}
