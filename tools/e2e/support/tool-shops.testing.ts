/** An MCP server with paid tools, over real HTTP: a new server for every request, one seller. */
import { farthing, type ToolSellerOptions } from "@farthing/seller/mcp";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import * as z from "zod/v4";
import { listenFetch } from "@farthing/seller/testing/listen";
import { termsOn, type Market } from "./market.testing.ts";

/** A server that sells two tools. */
export interface ToolShop {
  /** Of the MCP server. */
  readonly url: string;
  /** What the tools were asked. */
  readonly runs: readonly string[];
  /** A client of the SDK, connected. */
  connect(): Promise<Client>;
  close(): Promise<void>;
}

/** Opens a shop; a second one after it remembers nothing of the first. */
export async function openToolShop(
  market: Market,
  options: Partial<ToolSellerOptions> = {},
): Promise<ToolShop> {
  const runs: string[] = [];
  const seller = farthing({ ...termsOn(market, "public"), ...options });

  function createServer(): McpServer {
    const server = new McpServer({ name: "weather", version: "1.0.0" });
    for (const tool of ["forecast", "climate"]) {
      const config = { description: `Weather: ${tool}`, inputSchema: { city: z.string() } };
      seller.registerTool(server, tool, config, ({ city }) => {
        runs.push(`${tool} ${city}`);
        const isError = city === "Atlantis";
        const text = isError ? "no such city" : `${tool} ${runs.length} for ${city}`;
        return { isError, content: [{ type: "text", text }] };
      });
    }
    return server;
  }

  const listening = await listenFetch(async (request) => {
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await createServer().connect(transport);
    return transport.handleRequest(request);
  });
  const url = `${listening.url}/mcp`;
  return {
    url,
    runs,
    async connect() {
      const client = new Client({ name: "agent", version: "1.0.0" });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      return client;
    },
    close: listening.close,
  };
}
