/** The server that pays for an agent, the SDK's client in front and a scripted seller behind. */
import type { Server } from "node:http";
import { isObject, member, type JsonObject } from "@farthing/protocol";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect } from "vitest";
import { createAgentServer, type AgentServerOptions } from "./agent-server.ts";
import { memoryLedger } from "../ledger/memory-ledger.ts";
import {
  countingSigner,
  fakeClock,
  listen,
  startSeller,
  type Script,
} from "../scripted-seller.testing.ts";

/** What the running test has opened. */
const stack = new Set<() => unknown>();
afterEach(async () => {
  for (const close of stack) await close();
  stack.clear();
});

/** Opens a scripted seller. */
export async function openShop(script: Script = {}) {
  const seller = await startSeller(script);
  stack.add(() => seller[Symbol.asyncDispose]());
  return seller;
}

/** What the owner answers to a question. */
export type Owner = (message: string) => ElicitResult | Promise<ElicitResult>;

/** Starts the server, and a client that calls its tools. */
export async function startAgent(options: Partial<AgentServerOptions> = {}, owner?: Owner) {
  const signer = countingSigner();
  const ledger = options.buyer?.ledger ?? memoryLedger();
  const runtime = fakeClock();
  const server = createAgentServer({
    version: "1",
    allowsLocal: true,
    ...options,
    buyer: { signer, ledger, runtime, rpcUrl: "none", ...options.buyer },
  });
  const capabilities = owner === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: "agent", version: "1" }, { capabilities });
  if (owner) client.setRequestHandler(ElicitRequestSchema, ({ params }) => owner(params.message));
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  stack.add(() => client.close());
  async function call(name: string, values: object = {}) {
    const params = { name, arguments: { ...values } };
    const result = CallToolResultSchema.parse(await client.callTool(params));
    const [first] = result.content;
    const words: JsonObject = result.structuredContent ?? {};
    // A call that the SDK refuses has words for people alone.
    if (result.structuredContent) {
      expect(first?.type === "text" && JSON.parse(first.text)).toEqual(words);
    }
    return { isError: result.isError === true, words, text: JSON.stringify(result) };
  }
  return { client, call, signer, ledger, runtime };
}

/** The payment in an answer. */
export const paymentOf = (words: JsonObject) => {
  const payment = member(words, "payment");
  return isObject(payment) ? payment : {};
};
/** The body in an answer. */
export const bodyOf = (words: JsonObject) => {
  const body = member(words, "untrustedBody");
  return isObject(body) ? body : {};
};

/** Opens a server on loopback and gives its address. */
export async function openServer(server: Server): Promise<string> {
  const url = await listen(server);
  stack.add(() => server.close());
  return url;
}
