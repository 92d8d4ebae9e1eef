/** Reads the contracts of channels from a chain, and calls each of their functions without a transaction. */
import { readReply, type NodeReply } from "@farthing/buyer";
import { channelDomain, isHexBytes, isObject, type Hex } from "@farthing/protocol";
import {
  channelProbes,
  create2Deployer,
  create2DeployerCode,
  evaluateProbe,
  keccak256Of,
  publishedContracts,
  type ChannelProbe,
  type PublishedContract,
} from "@farthing/protocol/channel-probes";
import { standIns } from "@farthing/devnet";
import type { ContractNode } from "./contract-node.ts";

/** Which code stands at an address. Only the published one counts on a chain with real money. */
export type CodeKind = "published" | "stand-in" | "unknown" | "missing";

export interface ReadContract {
  readonly name: PublishedContract["name"];
  readonly address: string;
  readonly code: CodeKind;
  readonly codeHash: Hex | null;
  readonly codeBytes: number;
}

export interface DryRunCall {
  readonly contract: PublishedContract["name"];
  readonly call: string;
  readonly ok: boolean;
  readonly expected: string;
  readonly found: string;
}

export interface ContractReport {
  readonly network: string;
  readonly block: number;
  /** Nothing differs from the published contracts, or from their stand-ins on a local chain. */
  readonly ok: boolean;
  readonly contracts: readonly ReadContract[];
  /** Whether the contracts can be deployed by anybody. */
  readonly deployer: { readonly address: string; readonly isThere: boolean };
  /** What vouchers are signed for; the dry run compares it with the contract's. */
  readonly domain: ReturnType<typeof channelDomain>;
  readonly calls: readonly DryRunCall[];
}

/** The largest code that a chain has, of EIP-170. */
const codeBytesMax = 24_576;

/** Public nodes answer a few requests at a time. */
const callsAtOnce = 4;

/** Rejects when the node does not answer. */
export async function readContracts(node: ContractNode): Promise<ContractReport> {
  const { network, call } = node;
  const head = await call("eth_getBlockByNumber", ["latest", false]);
  if (!isObject(head)) throw new Error("The node gave no block.");
  // All at one block, so that the report is of one state.
  const { number } = head;
  const codeAt = async (address: string): Promise<Hex> => {
    const code = await call("eth_getCode", [address, number]);
    if (!isHexBytes(code, codeBytesMax)) throw new Error("The node gave no code.");
    return code;
  };
  const contracts: ReadContract[] = [];
  for (const published of publishedContracts) {
    contracts.push(describe(published, await codeAt(published.address), node));
  }
  const isThere = (await codeAt(create2Deployer)) === create2DeployerCode;
  const present = contracts.filter(({ code }) => code !== "missing").map(({ name }) => name);
  const probes = channelProbes(network).filter(({ contract }) => present.includes(contract));
  const calls = await runProbes(node, probes, number);
  const areKnown = contracts.every(({ code }) => code === "published" || code === "stand-in");
  return {
    network: network.id,
    block: Number(number),
    ok: areKnown && calls.every(({ ok }) => ok),
    contracts,
    deployer: { address: create2Deployer, isThere },
    domain: channelDomain(network.chainId),
    calls,
  };
}

function describe(
  { name, address, codeHash: hashes }: PublishedContract,
  code: Hex,
  { network }: ContractNode,
): ReadContract {
  const codeBytes = (code.length - 2) / 2;
  if (codeBytes === 0) return { name, address, code: "missing", codeHash: null, codeBytes };
  const codeHash = keccak256Of(code);
  const standIn = name === "channels" ? standIns.contract : standIns.collector;
  const isPublished = codeHash === hashes[network.chainId];
  const isStandIn = codeHash === keccak256Of(standIn);
  const kind = isPublished ? "published" : isStandIn ? "stand-in" : "unknown";
  return { name, address, code: kind, codeHash, codeBytes };
}

async function runProbes(
  { url }: ContractNode,
  probes: readonly ChannelProbe[],
  block: unknown,
): Promise<DryRunCall[]> {
  const calls: DryRunCall[] = [];
  for (let first = 0; first < probes.length; first += callsAtOnce) {
    const together = probes.slice(first, first + callsAtOnce).map(async (probe) => {
      const { contract, name, from, to, data } = probe;
      const params = [{ from, to, data }, block];
      const reply = await readReply(fetch, url, { method: "eth_call", params });
      return { contract, call: name, ...evaluateProbe(probe, replyOf(reply)) };
    });
    calls.push(...(await Promise.all(together)));
  }
  return calls;
}

function replyOf({ result, error }: NodeReply) {
  return error === undefined ? { result } : { revert: error.data };
}
