/** The channel contract's events of a range of blocks. */
import { channelContract, isHexBytes, isObject, toLowerHex, type Hex } from "@farthing/protocol";
import { readChannelEvent, type ChannelEvent } from "@farthing/protocol/channel-contract";
import { Fault } from "../../base/fault.ts";
import { resultOf, type Chain } from "../endpoints/chain.ts";
import { hexOf } from "../endpoints/rpc-endpoint.ts";

/** The data of these events are a config at most: seven words. */
const dataBytesMax = 32 * 8;

/** An event with the transaction that made it. */
export interface MinedChannelEvent extends ChannelEvent {
  readonly transaction: Hex;
  readonly blockNumber: number;
}

/** Both blocks belong to the range. Throws RPC faults. */
export async function readChannelEvents(
  chain: Chain,
  fromBlock: number,
  toBlock: number,
): Promise<readonly MinedChannelEvent[]> {
  const range = { fromBlock: hexOf(fromBlock), toBlock: hexOf(toBlock) };
  const method = "eth_getLogs";
  const [reply] = await chain.read([{ method, params: [{ address: channelContract, ...range }] }]);
  const logs = resultOf(reply, method);
  if (!Array.isArray(logs)) throw new Fault("rpc_refused", "The node sent no list of logs");
  return logs.flatMap((log) => {
    if (!isObject(log) || !Array.isArray(log["topics"])) return [];
    const topics = log["topics"].filter((topic): topic is Hex => isHexBytes(topic, 32));
    const data = isHexBytes(log["data"], dataBytesMax) ? log["data"] : "0x";
    const event = readChannelEvent({ topics, data });
    const { transactionHash: transaction, blockNumber } = log;
    if (!event || !isHexBytes(transaction, 32) || typeof blockNumber !== "string") return [];
    return { ...event, transaction: toLowerHex(transaction), blockNumber: Number(blockNumber) };
  });
}
