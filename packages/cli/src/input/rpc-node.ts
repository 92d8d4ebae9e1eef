/** The node that is asked for balances and outcomes: `--rpc-url`, FARTHING_RPC_URL or public ones. */
import { noNode } from "@farthing/buyer";
import { buyerVariables } from "@farthing/protocol";
import { Option } from "commander";
import { ConfigurationError } from "../command/command-errors.ts";
import { parseHttpUrl } from "./http-url.ts";

/** An address, or `none`; public nodes are asked where it is absent. */
export interface NodeFlags {
  readonly rpcUrl?: string;
}

/** The URL may hold a key, so the environment is the better place for it. */
export function rpcOption(purpose: string): Option {
  const text = `${purpose}; ${noNode}: no node at all (default: public nodes)`;
  return new Option("--rpc-url <url>", text).env(buyerVariables.rpcUrl);
}

/** The node to ask; undefined for public ones. Throws a ConfigurationError. */
export function nodeUrl({ rpcUrl }: NodeFlags): string | undefined {
  if (rpcUrl === undefined || rpcUrl === "") return undefined;
  if (rpcUrl === noNode || parseHttpUrl(rpcUrl)) return rpcUrl;
  // The text may hold a key and is not repeated.
  throw new ConfigurationError(
    `FARTHING_RPC_URL must be the address of a node, such as https://…, or ${noNode}.`,
  );
}

/** The same where only the chain can tell; throws a ConfigurationError when no node may be asked. */
export function demandNode(flags: NodeFlags): string | undefined {
  const rpcUrl = nodeUrl(flags);
  if (rpcUrl !== noNode) return rpcUrl;
  throw new ConfigurationError(
    `This command reads the chain, and FARTHING_RPC_URL is ${noNode}: set it to a node's address, or unset it to use public nodes.`,
  );
}
