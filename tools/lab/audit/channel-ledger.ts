/** What the chain says of payment channels at the end of a run: their states, and all that moved. */
import type { Devnet } from "@farthing/devnet";
import { channelContract, type Address, type ChannelState, type Hex } from "@farthing/protocol";
import {
  channelReads,
  channelStateReads,
  decodeChannelState,
  decodeReceiverState,
  readChannelEvent,
  type ChannelEvent,
  type ReceiverState,
} from "@farthing/protocol/channel-contract";

/** A channel; sums of its events in base units. */
export interface ChannelAccount {
  readonly channelId: Hex;
  readonly state: ChannelState;
  readonly deposited: bigint;
  readonly claimed: bigint;
  readonly refunded: bigint;
  readonly withdrawn: bigint;
}

export interface ChannelLedger {
  readonly accounts: readonly ChannelAccount[];
  readonly receivers: readonly ReceiverState[];
  /** What the contract holds of the token, in base units. */
  readonly heldUnits: bigint;
}

/** Reads all channels; `receivers` are all whose channels were claimed. */
export async function readChannelLedger(
  devnet: Pick<Devnet, "rpc" | "token" | "usdc">,
  receivers: readonly Address[],
): Promise<ChannelLedger> {
  const { rpc, token } = devnet;
  const read = (data: Hex) => rpc<Hex>("eth_call", [{ to: channelContract, data }, "latest"]);
  const logs = await rpc<{ topics: Hex[]; data: Hex }[]>("eth_getLogs", [
    { address: channelContract, fromBlock: "0x0", toBlock: "latest" },
  ]);
  const byChannel = Map.groupBy(
    logs.flatMap((log) => readChannelEvent(log) ?? []),
    ({ channelId }) => channelId,
  );
  const accounts: ChannelAccount[] = [];
  for (const [channelId, events] of byChannel) {
    const state = decodeChannelState(await Promise.all(channelStateReads(channelId).map(read)));
    if (!state) throw new Error(`The contract does not tell the state of ${channelId}`);
    accounts.push({ channelId, state, ...sumsOf(events) });
  }
  const sums: ReceiverState[] = [];
  for (const receiver of receivers) {
    const reply = await read(channelReads.receivers(receiver, token));
    const state = decodeReceiverState(reply);
    if (!state)
      throw new Error(`The node has no sums of ${receiver}, but ${JSON.stringify(reply)}`);
    sums.push(state);
  }
  return { accounts, receivers: sums, heldUnits: await devnet.usdc.balanceOf(channelContract) };
}

function sumsOf(events: readonly ChannelEvent[]) {
  const sumOf = (wanted: ChannelEvent["name"]) =>
    events.reduce((sum, { name, amount }) => sum + (name === wanted ? (amount ?? 0n) : 0n), 0n);
  return {
    deposited: sumOf("Deposited"),
    claimed: sumOf("Claimed"),
    refunded: sumOf("Refunded"),
    withdrawn: sumOf("WithdrawFinalized"),
  };
}
