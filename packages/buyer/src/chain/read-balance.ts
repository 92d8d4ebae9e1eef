/** Asks a node whether the payer can pay. Advice only: a node that fails stops no payment. */
import {
  addressWord,
  findNetwork,
  shortUsdc,
  networks,
  type Address,
  type Network,
  type Requirements,
} from "@farthing/protocol";
import { nodeAnswerMs, nodeCall, type NodeCall } from "./call-node.ts";
import { askNodes, noNode, publicNodes } from "./nodes.ts";
import { fail, pass, skip, type Check } from "../offer/check-offer.ts";
import type { FetchFunction } from "../replayable-request.ts";
import type { Signer } from "../signer.ts";

const balanceOfSelector = "0x70a08231";

/** The check `balance`: the payer's USDC, and a contract wallet's code. */
export async function checkBalance(
  fetch: FetchFunction,
  rpcUrl: string,
  signer: Signer,
  requirements: Requirements,
  answerMs?: number,
): Promise<Check> {
  const { network, amount } = requirements;
  const node = nodeCall(fetch, rpcUrl, answerMs);
  const call = async (method: string, params: unknown[]) => String(await node(method, params));
  const { address, isContract } = signer;
  // Asked together: a payment waits for one answer of a node that may be far away.
  const asked = [
    call("eth_chainId", []),
    isContract === true ? call("eth_getCode", [address, "latest"]) : Promise.resolve(""),
    readUsdc(node, network, address),
  ] as const;
  // On another chain there is no such token, and the failure of its balance says nothing.
  const [chain, code, usdc] = asked;
  await Promise.allSettled(asked);
  try {
    const chainId = await chain;
    if (BigInt(chainId) !== BigInt(network.chainId)) {
      return skip("balance", `the node serves chain ${BigInt(chainId)}, not ${network.chainId}`);
    }
    if ((await code) === "0x") {
      return insufficient(`The contract wallet ${address} is not deployed on ${network.id}.`);
    }
    const balance = await usdc;
    if (balance >= amount) return pass("balance", `${shortUsdc(balance)} USDC`);
    return insufficient(
      `The balance is ${shortUsdc(balance)} USDC, the price ${shortUsdc(amount)} USDC; send USDC on ${network.id} to ${address}.`,
    );
  } catch {
    // The error's text may hold the node's address, and that address a key.
    return skip("balance", "the node did not answer");
  }
}

const insufficient = (message: string) => fail("balance", "insufficient_balance", message);

export async function checkBalanceAt(
  fetch: FetchFunction,
  rpcUrls: readonly string[],
  signer: Signer,
  requirements: Requirements,
): Promise<Check> {
  // Together they may take as long as one node.
  const answerMs = nodeAnswerMs / Math.max(1, rpcUrls.length);
  const balance = await askNodes(
    rpcUrls,
    (url) => checkBalance(fetch, url, signer, requirements, answerMs),
    ({ verdict }) => verdict !== "skip",
  );
  return balance ?? skip("balance", "no node is named to ask");
}

export interface Balances {
  readonly network: Network;
  readonly usdcUnits: bigint;
  /** Not needed to pay by x402; 18 decimals. */
  readonly nativeWei: bigint;
}

/** Rejects when the node does not respond or serves an unknown chain. */
export async function readBalances(
  fetch: FetchFunction,
  rpcUrl: string,
  address: Address,
): Promise<Balances> {
  const call = nodeCall(fetch, rpcUrl);
  const chainId = Number(await call("eth_chainId", []));
  const network = findNetwork(chainId);
  if (!network) throw new Error(`The node serves chain ${chainId}, which is not XDC.`);
  const [usdcUnits, native] = await Promise.all([
    readUsdc(call, network, address),
    call("eth_getBalance", [address, "latest"]),
  ]);
  return { network, usdcUnits, nativeWei: BigInt(String(native)) };
}

/**
 * Reads balances as `rpcUrl` says: from an own node, or on every network by public endpoints, of
 * which those that fail are left out. Rejects when no node answers.
 */
export async function readEveryBalance(
  fetch: FetchFunction,
  rpcUrl: string | undefined,
  address: Address,
): Promise<Balances[]> {
  if (rpcUrl === noNode) return [];
  if (rpcUrl !== undefined) return [await readBalances(fetch, rpcUrl, address)];
  const found = await Promise.all(
    networks.map((network) =>
      askNodes(
        publicNodes[network.chainId],
        (url) => readBalances(fetch, url, address).catch(() => undefined),
        (balances) => balances !== undefined,
      ),
    ),
  );
  const balances = found.filter((one) => one !== undefined);
  if (balances.length === 0) {
    throw new Error(
      "No public node answers. Set FARTHING_RPC_URL, or rpcUrl, to another node, or try again later.",
    );
  }
  return balances;
}

/** In base units. Rejects when the node does not say. */
export async function readUsdc(call: NodeCall, network: Network, owner: Address): Promise<bigint> {
  const data = `${balanceOfSelector}${addressWord(owner)}`;
  return BigInt(String(await call("eth_call", [{ to: network.usdc, data }, "latest"])));
}
