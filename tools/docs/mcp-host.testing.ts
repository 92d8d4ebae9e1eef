/** Imitates an agent's host: starts the servers that a page's settings name. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { isObject } from "@farthing/protocol";
import type { Stage } from "./stage.testing.ts";

/** Returns whether a JSON block holds such settings. */
export function isHostSettings(value: unknown): value is { mcpServers: Record<string, unknown> } {
  return isObject(value) && isObject(value["mcpServers"]);
}

/** Starts every named server and lists its tools; throws if a server has none. */
export async function startServers(
  { mcpServers }: { mcpServers: Record<string, unknown> },
  stage: Stage,
): Promise<void> {
  for (const [name, server] of Object.entries(mcpServers)) {
    if (!isObject(server) || typeof server["command"] !== "string")
      throw new Error(`the server ${name} has no command`);
    const { command, args, env } = server;
    const transport = new StdioClientTransport({
      command,
      args: Array.isArray(args) ? args.map(String) : [],
      cwd: stage.folder,
      env: { ...stage.environment, ...textsOf(env) },
    });
    const client = new Client({ name: "guides", version: "1.0.0" });
    await client.connect(transport);
    const { tools } = await client.listTools();
    await client.close();
    if (tools.length === 0) throw new Error(`the server ${name} has no tools`);
  }
}

function textsOf(value: unknown): Record<string, string> {
  const entries = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.map(([name, text]) => [name, String(text)]));
}
