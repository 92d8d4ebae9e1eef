/**
 * Reads a channel from the chain by hand-written calldata: the contract's general encoder would be
 * most of what a browser loads for channels.
 */
import {
  channelContract,
  isHexBytes,
  isObject,
  type ChannelState,
  type Hex,
  type Network,
} from "@farthing/protocol";
import { nodeCall, type NodeCall } from "../chain/call-node.ts";
import { askNodes } from "../chain/nodes.ts";
import type { FetchFunction } from "../replayable-request.ts";

/** The first four bytes of each read's hash; a test compares them with the contract's entry. */
export const channelSelectors = {
  channels: "0x7a7ebd7b",
  pendingWithdrawals: "0xb7f06ebe",
  refundNonce: "0xf0dc792e",
} as const;

export interface ReadChannel {
  readonly state: ChannelState;
  /** Of the block that was read; Unix seconds. */
  readonly blockSeconds: number;
}

/** Undefined where no node of the chain answers. */
export async function readChannelState(
  fetch: FetchFunction,
  rpcUrls: readonly string[],
  network: Network,
  channelId: Hex,
): Promise<ReadChannel | undefined> {
  return askNodes(
    rpcUrls,
    (url) => readAt(nodeCall(fetch, url), network, channelId).catch(() => undefined),
    (read) => read !== undefined,
  );
}

async function readAt(
  call: NodeCall,
  network: Network,
  channelId: Hex,
): Promise<ReadChannel | undefined> {
  const [chainId, block] = await Promise.all([
    call("eth_chainId", []),
    call("eth_getBlockByNumber", ["latest", false]),
  ]);
  if (BigInt(String(chainId)) !== BigInt(network.chainId)) return undefined;
  if (!isObject(block)) return undefined;
  const { number, timestamp } = block;
  // All at one block: a claim in between would show a state that never was.
  const read = async (selector: Hex) => {
    const data = `${selector}${channelId.slice(2)}`;
    return wordsOf(await call("eth_call", [{ to: channelContract, data }, number]));
  };
  const [channel, withdrawal, nonce] = await Promise.all([
    read(channelSelectors.channels),
    read(channelSelectors.pendingWithdrawals),
    read(channelSelectors.refundNonce),
  ]);
  const [balance, totalClaimed] = channel;
  const [withdrawing, initiatedAt] = withdrawal;
  const [refundNonce] = nonce;
  if (balance === undefined || totalClaimed === undefined) return undefined;
  if (withdrawing === undefined || initiatedAt === undefined) return undefined;
  if (refundNonce === undefined) return undefined;
  const withdrawRequestedAt = Number(initiatedAt);
  return {
    state: { balance, totalClaimed, withdrawing, withdrawRequestedAt, refundNonce },
    blockSeconds: Number(BigInt(String(timestamp))),
  };
}

/** Without the contract, calls return no bytes. */
function wordsOf(result: unknown): readonly bigint[] {
  if (!isHexBytes(result, 128)) return [];
  return (result.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}
