/** The tool `balance`: what the wallet holds, by the owner's node. */
import { findNetwork, formatUsdc, type Address } from "@farthing/protocol";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { nodeCall } from "../chain/call-node.ts";
import { readUsdc } from "../chain/read-balance.ts";
import { refuse, say } from "./say.ts";
import type { FetchFunction } from "../replayable-request.ts";

/** Adds the tool; without a node it gives the address alone. */
export function addBalance(
  server: McpServer,
  fetch: FetchFunction,
  { wallet, rpcUrl }: { readonly wallet: Address; readonly rpcUrl?: string | undefined },
): void {
  server.registerTool(
    "balance",
    {
      description: "The wallet's address and the USDC it holds.",
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    async () => {
      if (rpcUrl === undefined) return say({ wallet, balances: [], notice: "No node is set." });
      const call = nodeCall(fetch, rpcUrl);
      try {
        const chainId = Number(await call("eth_chainId", []));
        const network = findNetwork(chainId);
        if (!network) return refuse({ error: "node_unavailable", message: `Chain ${chainId}?` });
        const units = await readUsdc(call, network, wallet);
        const held = { network: network.id, amount: units.toString(), usdc: formatUsdc(units) };
        return say({ wallet, balances: [held] });
      } catch {
        // Not the error's text: it can hold the node's address, and that address a key.
        const message = "The owner's node did not say what the wallet holds.";
        return refuse({ error: "node_unavailable", message, retryable: true });
      }
    },
  );
}
