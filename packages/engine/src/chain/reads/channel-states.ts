/** Reads payment channels from their contract, all at one block. Throw RPC faults. */
import { channelContract, type Address, type ChannelState, type Hex } from "@farthing/protocol";
import {
  channelReads,
  channelStateReads,
  decodeChannelState,
  decodeReceiverState,
  type ReceiverState,
} from "@farthing/protocol/channel-contract";
import { Fault } from "../../base/fault.ts";
import { bytesOf, resultOf, type Chain } from "../endpoints/chain.ts";
import { ethCall, type RpcCall } from "../endpoints/rpc-endpoint.ts";

const readsPerChannel = 3;

/** Outcomes and sends go first. */
const forVerification = { priority: "verification" } as const;

const readAt = (data: Hex, block: number | "latest"): RpcCall =>
  ethCall({ to: channelContract, data }, block);

/** The states in the order of the ids; a channel that was never funded has a balance of 0. */
export async function readChannelStates(
  chain: Chain,
  channelIds: readonly Hex[],
  block: number | "latest",
): Promise<readonly ChannelState[]> {
  if (channelIds.length === 0) return [];
  const calls = channelIds.flatMap((id) =>
    channelStateReads(id).map((data) => readAt(data, block)),
  );
  const replies = await chain.read(calls, forVerification);
  return channelIds.map((_, index) => {
    const own = replies.slice(index * readsPerChannel, (index + 1) * readsPerChannel);
    const state = decodeChannelState(own.map((reply) => resultOf(reply, "eth_call")));
    if (!state) throw new Fault("rpc_refused", "The node sent no state of a channel");
    return state;
  });
}

/** What a receiver may still be sent by a sweep, and what it was. */
export async function readReceiverState(
  chain: Chain,
  { receiver, token }: { readonly receiver: Address; readonly token: Address },
  block: number | "latest",
): Promise<ReceiverState> {
  const call = readAt(channelReads.receivers(receiver, token), block);
  const [reply] = await chain.read([call], forVerification);
  const state = decodeReceiverState(resultOf(reply, "eth_call"));
  if (!state) throw new Fault("rpc_refused", "The node sent no state of a receiver");
  return state;
}

/** Whether the contract is deployed on the network. */
export async function hasChannelContract(chain: Chain): Promise<boolean> {
  const call = { method: "eth_getCode", params: [channelContract, "latest"] };
  const [reply] = await chain.read([call]);
  return bytesOf(resultOf(reply, call.method), "the channel contract's code").length > 2;
}
