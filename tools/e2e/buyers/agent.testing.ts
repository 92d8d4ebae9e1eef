/** An agent's host: the real `farthing mcp` over stdio, and the SDK's client. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DevnetWallet } from "@farthing/devnet";
import { isObject, member, type JsonObject } from "@farthing/protocol";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  type CallToolResult,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { bin } from "../support/farthing-command.testing.ts";

/** How to start. */
export interface AgentOptions {
  readonly wallet: DevnetWallet;
  /** The owner's folder; agents that share one share a ledger. */
  readonly folder: string;
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What the owner answers; without it the host cannot ask him. */
  readonly owner?: (message: string) => ElicitResult;
}

/** An answer of a tool. */
export interface Said {
  readonly isError: boolean;
  readonly words: JsonObject;
}

/** A running agent. */
export interface Agent {
  readonly client: Client;
  /** Calls a tool; checks that both forms of its answer are one. */
  call(name: string, values?: object): Promise<Said>;
  /** All that the process has written beside the protocol. */
  readonly stderr: () => string;
  /** What arrived on standard output and was no message. */
  readonly noise: Error[];
  close(): Promise<void>;
  /** Ends the process without a chance to tidy up. */
  kill(): Promise<void>;
}

/** A folder for an owner's settings, wallets and ledger. */
export function ownerFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "farthing-owner-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts `farthing mcp` and connects to it. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { wallet, folder, flags = [], environment = {}, owner } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, "mcp", "--allow-local", ...flags],
    env: {
      PATH: process.env["PATH"] ?? "",
      FARTHING_RPC_URL: "none",
      XDG_CONFIG_HOME: folder,
      FARTHING_WALLET_KEY: wallet.privateKey,
      ...environment,
    },
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk) => (stderr += String(chunk)));
  const capabilities = owner === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: "agent", version: "1.0.0" }, { capabilities });
  if (owner) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => owner(params.message));
  }
  const noise: Error[] = [];
  Object.assign(client, { onerror: (error: Error) => void noise.push(error) });
  await client.connect(transport);
  return {
    client,
    async call(name, values = {}) {
      const params = { name, arguments: { ...values } };
      return saidBy(CallToolResultSchema.parse(await client.callTool(params)));
    },
    stderr: () => stderr,
    noise,
    close: () => client.close(),
    async kill() {
      const gone = new Promise<void>((resolve) => Object.assign(client, { onclose: resolve }));
      if (transport.pid !== null) process.kill(transport.pid, "SIGKILL");
      await gone;
    },
  };
}

function saidBy({ isError, content, structuredContent }: CallToolResult): Said {
  const [first] = content;
  const words = structuredContent ?? {};
  const isSame = first?.type === "text" && first.text === JSON.stringify(words);
  if (!isSame) throw new Error(`Not the same: ${JSON.stringify({ content, structuredContent })}`);
  return { isError: isError === true, words };
}

/** A member deep in an answer, for expectations. */
export function at(words: JsonObject, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (isObject(value) ? member(value, key) : undefined),
    words,
  );
}
