import { formatUsdc, type Address } from "@farthing/protocol";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { noNode } from "../chain/nodes.ts";
import { readEveryBalance } from "../chain/read-balance.ts";
import { refuse, toolResult } from "./tool-result.ts";
import type { FetchFunction } from "../replayable-request.ts";

/** The tool `balance`; without a node it returns the address alone. */
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
      if (rpcUrl === noNode) return toolResult({ wallet, balances: [], notice: "No node is set." });
      try {
        const found = await readEveryBalance(fetch, rpcUrl, wallet);
        const balances = found.map(({ network, usdcUnits }) => ({
          network: network.id,
          amount: usdcUnits.toString(),
          usdc: formatUsdc(usdcUnits),
        }));
        return toolResult({ wallet, balances });
      } catch {
        // The error's text may hold the node's address, and that address a key.
        const message = "The owner's node did not say what the wallet holds.";
        return refuse({ error: "node_unavailable", message, retryable: true });
      }
    },
  );
}
