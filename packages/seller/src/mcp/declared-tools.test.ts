/** What paid tools declare for catalogues, validated by the stock extension's own functions. */
import { isObject, member } from "@farthing/protocol";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
  type DiscoveryExtension,
} from "@x402/extensions/bazaar";
import { expect, test } from "vitest";
import { createRequire } from "node:module";
import * as z3 from "zod/v3";
import * as z from "zod/v4";
import { payTo } from "../scene.testing.ts";
import { farthing, type PaidToolConfig } from "./paid-tools.ts";
import type { Schema } from "./tool-call.ts";

/** The declaration in the challenge of an unpaid call. */
async function declaredBy(config: PaidToolConfig<Schema, Schema>) {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  const seller = farthing({ facilitator: { url: "https://facilitator.example" }, payTo });
  seller.registerTool(server, "forecast", { price: "0.01", ...config }, () => ({ content: [] }));
  const [one, other] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "agent", version: "1.0.0" });
  await Promise.all([server.connect(one), client.connect(other)]);
  const { structuredContent } = await client.callTool({
    name: "forecast",
    arguments: { city: "Oslo" },
  });
  await client.close();
  const extensions = isObject(structuredContent) && member(structuredContent, "extensions");
  const bazaar = isObject(extensions) ? member(extensions, "bazaar") : undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the stock functions' own type
  return bazaar as DiscoveryExtension | undefined;
}

// The current zod comes with ox; the stock packages of x402 hold ours at 3.25.
const current: typeof z = createRequire(createRequire(import.meta.url).resolve("ox"))("zod");

const city = { city: z.string().max(40) };
const degrees = { degrees: z.number() };

test.each([
  ["input and output", { inputSchema: city, outputSchema: degrees, description: "Tomorrow" }],
  ["input alone", { inputSchema: city }],
  ["an object of zod", { inputSchema: z.object(city) }],
  ["members of zod 3", { inputSchema: { city: z3.string().max(40) } }],
  ["an object of the current zod", { inputSchema: current.object({ city: current.string() }) }],
] as const)(
  "a tool with %s is declared as the stock extension validates it",
  async (_what, config) => {
    const declared = await declaredBy(config);
    expect(declared?.info.input).toMatchObject({
      type: "mcp",
      toolName: "forecast",
      inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    });
    if (!declared) throw new Error("nothing is declared");
    expect(validateDiscoveryExtension(declared)).toEqual({ valid: true });
    expect(validateDiscoveryExtensionSpec(Object(declared))).toEqual({ valid: true });
  },
);

test("a schema without room in a challenge is left out, and the tool is sold", async () => {
  const inputSchema = { city: z.string().describe("x".repeat(4_000)) };
  expect(await declaredBy({ inputSchema })).toBeUndefined();
});
