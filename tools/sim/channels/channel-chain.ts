/**
 * The chain of a run: a devnet with the stand-in contracts, whose blocks are made here. Transactions
 * are late or wait for the price to fall, nodes lag, and blocks are replaced.
 */
import type { Devnet } from "@farthing/devnet";
import {
  channelContract,
  type Address,
  type ChainId,
  type ChannelState,
  type Hex,
} from "@farthing/protocol";
import {
  channelReads,
  channelStateReads,
  decodeChannelState,
  decodeReceiverState,
  readChannelEvent,
} from "@farthing/protocol/channel-contract";
import type { Channels } from "@farthing/engine";
import type { SeededRandom } from "../seeded-random.ts";
import { finalDepth } from "@farthing/lab/audit";
import type { SteppingClock } from "./stepping-clock.ts";

interface Sent {
  readonly from: Address;
  readonly data: Hex;
  fromBlock: number;
  block: number | undefined;
  hash: Hex | undefined;
}

/** What happens to the chain of a run, whoever the facilitator is. */
export interface SimChain {
  /** Sends a payer's transaction into one of the next blocks. */
  sendBy(from: Address, data: Hex): void;
  /** A channel at the newest block. */
  stateOf(channelId: Hex): Promise<ChannelState>;
  mine(): Promise<void>;
  /** Replaces the newest blocks; what was in them comes back some blocks later. */
  reorganise(depth: number): Promise<void>;
  /** Blocks that the facilitator's node is behind. */
  lag: number;
  /** Most blocks that a transaction of the facilitator takes. */
  lateBlocksMax: number;
  /** While the price is above what the facilitator pays, nothing of its is sent or mined. */
  isDear: boolean;
}

export interface ChannelChain extends SimChain {
  /** What a facilitator sees of the chain, and how it calls the contract. */
  readonly channels: Channels;
  /** Whether an authorization of the token is used. */
  isUsed(payer: Address, nonce: Hex): Promise<boolean>;
}

/** Above what any call of this contract takes here. */
const gas = "0x4c4b40";

/** A caller looks whether its transaction is in a block. */
const lookMs = 1_000;

interface ChainDeps {
  readonly devnet: Devnet;
  readonly clock: SteppingClock;
  readonly random: SeededRandom;
}

/** A request to the chain, during which time stands still. */
type Rpc = <T>(method: string, params: unknown[]) => Promise<T>;

const hexOf = (number: number): Hex => `0x${number.toString(16)}`;

export async function createChannelChain(deps: ChainDeps): Promise<ChannelChain> {
  const { devnet, clock, random } = deps;
  const rpc: Rpc = (method, params) => clock.during(devnet.rpc(method, params));
  const relayer = devnet.relayers[0]?.address ?? channelContract;
  const blocks = await createBlocks({
    rpc,
    clock,
    random,
    isHeld: (from) => chain.isDear && from === relayer,
  });
  const seenHead = () => Math.max(1, blocks.head() - chain.lag);
  const readAt = (to: Address, data: string, block = 0) => {
    const at = hexOf(Math.min(blocks.head(), Math.max(seenHead(), block)));
    return rpc<Hex>("eth_call", [{ to, data }, at]);
  };

  async function call(data: Hex, timeoutMs: number): ReturnType<Channels["call"]> {
    if (chain.isDear) throw new Error("The price is above what this service pays");
    const tx = { from: relayer, to: channelContract, data };
    try {
      await rpc("eth_call", [tx, hexOf(seenHead())]);
    } catch {
      return { kind: "reverts", revertData: undefined };
    }
    const sent = blocks.send(relayer, data, random.whole(0, chain.lateBlocksMax));
    const endsAt = clock.nowMs() + timeoutMs;
    while (clock.nowMs() < endsAt) {
      await clock.sleep(lookMs);
      if (sent.block === undefined || sent.block > seenHead() || sent.hash === undefined) continue;
      return { kind: "mined", transaction: sent.hash, blockNumber: sent.block };
    }
    return { kind: "pending", transaction: null };
  }

  const chain: ChannelChain = {
    channels: {
      ...createReads({ rpc, readAt, seenHead }),
      call: (_chainId, data, timeoutMs) => call(data, timeoutMs),
    },
    lag: 0,
    lateBlocksMax: 0,
    isDear: false,
    stateOf: (channelId) => clock.during(readChannel(devnet, channelId)),
    sendBy: (from, data) => void blocks.send(from, data, random.whole(0, 1)),
    async isUsed(payer, nonce) {
      const words = `${payer.slice(2).toLowerCase().padStart(64, "0")}${nonce.slice(2)}`;
      return BigInt(await readAt(devnet.token, `${authorizationState}${words}`)) === 1n;
    },
    mine: blocks.mine,
    reorganise: blocks.reorganise,
  };
  return chain;
}

/** Reads a channel at the newest block. */
export async function readChannel({ rpc }: Pick<Devnet, "rpc">, id: Hex): Promise<ChannelState> {
  const read = (data: Hex) => rpc<Hex>("eth_call", [{ to: channelContract, data }, "latest"]);
  const state = decodeChannelState(await Promise.all(channelStateReads(id).map(read)));
  if (!state) throw new Error("The contract does not tell a state");
  return state;
}

/** The first four bytes of `authorizationState(address,bytes32)`. */
const authorizationState = "0xe94a0102";

/** The blocks of a run, and what waits for them. */
async function createBlocks(deps: {
  readonly rpc: Rpc;
  readonly clock: SteppingClock;
  readonly random: SeededRandom;
  /** Whether nothing of a sender is mined now. */
  isHeld(from: Address): boolean;
}) {
  const { rpc, clock, random, isHeld } = deps;
  let head = Number(await rpc<Hex>("eth_blockNumber", []));
  let lastTime = 0;
  let waiting: Sent[] = [];
  const made = new Map<number, readonly Sent[]>();

  async function mine(): Promise<void> {
    const ready = waiting.filter(({ fromBlock, from }) => fromBlock <= head + 1 && !isHeld(from));
    waiting = waiting.filter((sent) => !ready.includes(sent));
    for (const sent of ready) {
      const { from, data } = sent;
      const tx = { from, to: channelContract, data, gas };
      sent.hash = await rpc<Hex>("eth_sendTransaction", [tx]);
    }
    lastTime = Math.max(lastTime + 1, Math.floor(clock.nowMs() / 1_000));
    await rpc("evm_setNextBlockTimestamp", [lastTime]);
    await rpc("evm_mine", []);
    head++;
    for (const sent of ready) sent.block = head;
    made.set(head, ready);
  }

  return {
    head: () => head,
    send(from: Address, data: Hex, lateBlocks: number): Sent {
      const fromBlock = head + 1 + lateBlocks;
      const sent: Sent = { from, data, fromBlock, block: undefined, hash: undefined };
      waiting.push(sent);
      return sent;
    },
    mine,
    async reorganise(wanted: number): Promise<void> {
      const depth = Math.min(wanted, finalDepth, made.size);
      if (depth === 0) return;
      await rpc("anvil_rollback", [depth]);
      const first = head - depth + 1;
      for (let block = first; block <= head; block++) {
        for (const sent of made.get(block) ?? []) {
          Object.assign(sent, { block: undefined, fromBlock: first + random.whole(0, depth) });
          waiting.push(sent);
        }
        made.delete(block);
      }
      head -= depth;
      for (let count = 0; count <= depth; count++) await mine();
    },
  };
}

interface Log {
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
}

interface ReadsDeps {
  readonly rpc: Rpc;
  /** At the block that the node has, or at a later one that is named. */
  readAt(to: Address, data: string, block?: number): Promise<Hex>;
  seenHead(): number;
}

function createReads({ rpc, readAt, seenHead }: ReadsDeps): Omit<Channels, "call"> {
  const read = (data: Hex, block: number) => readAt(channelContract, data, block);
  return {
    isDeployed: async () => true,
    headOf: () => seenHead(),
    read: (_chainId: ChainId, ids, block = 0) =>
      Promise.all(
        ids.map(async (id) => {
          const results = channelStateReads(id).map((data) => read(data, block));
          const state = decodeChannelState(await Promise.all(results));
          if (!state) throw new Error("The contract does not tell a state");
          return state;
        }),
      ),
    async readReceiver(_chainId, { receiver, token }, block = 0) {
      const sums = decodeReceiverState(await read(channelReads.receivers(receiver, token), block));
      if (!sums) throw new Error("The contract does not tell a receiver");
      return sums;
    },
    async events(_chainId, from, to) {
      if (from > seenHead()) return [];
      const range = { fromBlock: hexOf(from), toBlock: hexOf(Math.min(to, seenHead())) };
      const filter = { address: channelContract, ...range };
      const logs = await rpc<Log[]>("eth_getLogs", [filter]);
      return logs.flatMap((log) => {
        const event = readChannelEvent(log);
        const place = { transaction: log.transactionHash, blockNumber: Number(log.blockNumber) };
        return event ? [{ ...event, ...place }] : [];
      });
    },
  };
}
