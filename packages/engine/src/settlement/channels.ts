/**
 * What the engine does for payment channels beside their deposits, which are settlements: reads of
 * their contract, and calls of it through the relayer's wallets.
 */
import {
  channelContract,
  type Address,
  type ChainId,
  type ChannelState,
  type Hex,
} from "@farthing/protocol";
import type { ReceiverState } from "@farthing/protocol/channel-contract";
import { assert } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import { readChannelEvents, type MinedChannelEvent } from "../chain/logs/channel-events.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import {
  hasChannelContract,
  readChannelStates,
  readReceiverState,
} from "../chain/reads/channel-states.ts";
import type { ContractCallResult } from "../relayer/contract-calls.ts";
import type { Relayer } from "../relayer/relayer.ts";

export interface Channels {
  /** Whether the contract is deployed on a network. Throws RPC faults. */
  isDeployed(chainId: ChainId): Promise<boolean>;
  /** The states in the order of the ids, at one block that is at or above `block`. */
  read(chainId: ChainId, ids: readonly Hex[], block?: number): Promise<readonly ChannelState[]>;
  readReceiver(
    chainId: ChainId,
    receiver: { readonly receiver: Address; readonly token: Address },
    block?: number,
  ): Promise<ReceiverState>;
  /** The newest block that is followed; undefined until one was read. */
  headOf(chainId: ChainId): number | undefined;
  /** Events of channels in a range of blocks, both ends included. Throws RPC faults. */
  events(
    chainId: ChainId,
    fromBlock: number,
    toBlock: number,
  ): Promise<readonly MinedChannelEvent[]>;
  /** Calls the contract from a relayer wallet. What came of it is read from the chain. */
  call(chainId: ChainId, data: Hex, timeoutMs: number): Promise<ContractCallResult>;
}

interface ChannelNetwork {
  readonly chain: Chain;
  readonly relayer: Pick<Relayer, "sendCall">;
  headNumber(): number;
}

/** A contract that is missing may be deployed; one request a minute at most asks for it. */
const lookAgainMs = 60_000;

export function createChannels(deps: {
  readonly clock: Clock;
  networkOf(chainId: ChainId): ChannelNetwork | undefined;
}): Channels {
  /** When the contract was found missing; a contract that was found stays. */
  const looked = new Map<ChainId, "found" | number>();

  function at(chainId: ChainId): ChannelNetwork {
    const network = deps.networkOf(chainId);
    assert(network, "a served network is configured");
    return network;
  }

  return {
    async isDeployed(chainId) {
      const known = looked.get(chainId);
      if (known === "found") return true;
      const now = deps.clock.nowMs();
      if (known !== undefined && now < known + lookAgainMs) return false;
      const isThere = await hasChannelContract(at(chainId).chain);
      looked.set(chainId, isThere ? "found" : now);
      return isThere;
    },
    async read(chainId, ids, block) {
      const network = at(chainId);
      return readChannelStates(network.chain, ids, blockOf(network, block));
    },
    async readReceiver(chainId, receiver, block) {
      const network = at(chainId);
      return readReceiverState(network.chain, receiver, blockOf(network, block));
    },
    headOf: (chainId) => at(chainId).headNumber() || undefined,
    events: (chainId, fromBlock, toBlock) =>
      readChannelEvents(at(chainId).chain, fromBlock, toBlock),
    call: (chainId, data, timeoutMs) =>
      at(chainId).relayer.sendCall({ to: channelContract, data }, timeoutMs),
  };
}

/** The followed head, so that all that is read together is of one block. */
function blockOf(network: ChannelNetwork, block = 0): number | "latest" {
  return Math.max(network.headNumber(), block) || "latest";
}
