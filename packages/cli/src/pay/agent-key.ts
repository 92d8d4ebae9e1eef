/** `farthing agent-key`: the key with which an agent says who it is, and the directory for its host. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FetchFunction } from "@farthing/buyer";
import {
  agentDirectory,
  createAgentKey,
  parseAgentKey,
  signRequests,
  type AgentKey,
} from "@farthing/buyer/agent";
import {
  agentDirectoryPath,
  agentDirectoryType,
  buyerVariables,
  parseJson,
  writeTo,
} from "@farthing/protocol";
import { Option, type Command } from "commander";
import { ConfigurationError, UsageError } from "../command/command-errors.ts";
import { runCommand } from "../command/run-command.ts";
import {
  buyerFolder,
  readNamedFile,
  readVariable,
  writePrivateJson,
} from "../input/buyer-settings.ts";

export interface AgentFlags {
  readonly agentKey?: string;
}

export function agentKeyOption(): Option {
  return new Option(
    "--agent-key <file>",
    "sign requests as the agent of this key, so that sellers know who asks; see `farthing agent-key` (default: FARTHING_AGENT_KEY, and none without it)",
  );
}

/** The key that a flag or the environment names. Throws a ConfigurationError. */
export function readAgentKey({ agentKey }: AgentFlags): AgentKey | undefined {
  const path = agentKey ?? readVariable(buyerVariables.agentKey);
  if (path === undefined) return undefined;
  return readKey(path, agentKey === undefined ? buyerVariables.agentKey : "--agent-key");
}

/** A `fetch` that signs where a key is named; the plain one otherwise. Throws a ConfigurationError. */
export function agentFetch(flags: AgentFlags): FetchFunction {
  const key = readAgentKey(flags);
  return key ? signRequests(fetch, key) : fetch;
}

export function register(program: Command): void {
  const command = program
    .command("agent-key")
    .description(
      "A key with which an agent proves who it is, by HTTP message signatures (Web Bot Auth). Sellers can have another price for agents that they know. The key pays nothing.",
    );
  command
    .command("create")
    .description("create a key, and print the document that the agent's host has to serve")
    .argument("<origin>", "the https origin that stands for the agent: https://agent.example")
    .option("--out <file>", "the file of the key, for its owner alone", defaultPath())
    .action((origin: string, { out }: { out: string }) => runCommand(() => create(origin, out)));
  command
    .command("show")
    .description("print the document for the agent's host, with the public keys of these files")
    .argument("[files...]", "several while a key is replaced", [defaultPath()])
    .action((files: readonly string[]) => runCommand(() => show(files)));
}

function defaultPath(): string {
  return join(buyerFolder(), "agent-key.json");
}

async function create(origin: string, out: string): Promise<void> {
  if (existsSync(out)) {
    throw new ConfigurationError(
      `${out} exists. Choose another file with --out; the host serves both keys until the old one is retired.`,
    );
  }
  const key = newKey(origin);
  writePrivateJson(out, { ...key });
  writeTo(process.stderr, `${howToServe(key, out)}\n`);
  writeTo(process.stdout, directoryText([key]));
}

function newKey(origin: string): AgentKey {
  try {
    return createAgentKey(origin);
  } catch {
    throw new UsageError("The origin must be https without path and port: https://agent.example.");
  }
}

function howToServe({ directory }: AgentKey, out: string): string {
  return [
    `The key is in ${out}. Serve what follows at ${directory}${agentDirectoryPath}`,
    `with Content-Type: ${agentDirectoryType}, then pay with --agent-key ${out}.`,
  ].join("\n");
}

async function show(files: readonly string[]): Promise<void> {
  const keys = files.map((path) => readKey(path, "the argument"));
  const [first] = keys;
  if (keys.some(({ directory }) => directory !== first?.directory)) {
    throw new UsageError("These keys are of different hosts; show each host's keys on their own.");
  }
  writeTo(process.stdout, directoryText(keys));
}

function directoryText(keys: readonly AgentKey[]): string {
  return `${JSON.stringify(agentDirectory(keys), undefined, 2)}\n`;
}

function readKey(path: string, name: string): AgentKey {
  const text = readNamedFile(path, name);
  try {
    return parseAgentKey(parseJson(text)?.value);
  } catch (error) {
    const why = error instanceof Error ? error.message : "It cannot be read.";
    throw new ConfigurationError(`${path} is no key of \`farthing agent-key create\`: ${why}`);
  }
}
