/** A devnet on which calls to the channel contract are made by anybody, and what became of them. */
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import {
  channelContract,
  channelIdOf,
  depositDigest,
  depositNonce,
  networkOfChain,
  type Address,
  type ChannelConfig,
  type ChannelState,
  type Hex,
  type SignedDeposit,
} from "@farthing/protocol";
import {
  channelReads,
  channelStateReads,
  channelTopics,
  decodeChannelState,
  decodeReceiverState,
} from "@farthing/protocol/channel-contract";
import { channelProbes, evaluateProbe, readChannelError } from "@farthing/protocol/channel-probes";
import { startDevnet, type ChannelCode, type Devnet } from "./devnet.ts";
import { RpcError } from "./json-rpc.ts";
import type { DevnetWallet } from "./wallets.ts";

/** What became of a call: the error's name, or the names of the contract's events in their order. */
export type ChannelOutcome =
  | { readonly reverted: string; readonly events?: undefined }
  | { readonly reverted?: undefined; readonly events: readonly string[]; readonly gas: number };

const eventNames = new Map(
  Object.entries(channelTopics).map(([name, topic]) => [topic as string, name]),
);

/** Above what any call here takes. */
const gasLimit = "0x4c4b40";

export interface ChannelBench {
  readonly devnet: Devnet;
  run(from: Address, data: Hex): Promise<ChannelOutcome>;
  stateOf(channelId: Hex): Promise<ChannelState>;
  receiverOf(receiver: Address): Promise<{ totalClaimed: bigint; totalSettled: bigint }>;
  /** The id as the contract computes it. */
  idOf(config: ChannelConfig): Promise<Hex>;
  /** Moves the chain's time on; returns the time of its newest block, Unix seconds. */
  wait(seconds: number): Promise<number>;
  /** The dry run of the published contracts: what it expects and found, for each call that differs. */
  dryRun(): Promise<readonly object[]>;
  reset(): Promise<void>;
}

interface Receipt {
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly logs: readonly { readonly address: Address; readonly topics: readonly Hex[] }[];
}

export async function startChannelBench(channelCode?: ChannelCode): Promise<ChannelBench> {
  const devnet = await startDevnet({
    blockTimeSeconds: 0,
    buyers: 10,
    ...(channelCode && { channelCode }),
  });
  const { rpc } = devnet;
  // Anybody's calls are sent without their keys.
  await rpc("anvil_autoImpersonateAccount", [true]);
  let snapshot = await rpc<Hex>("evm_snapshot");
  const read = (data: Hex) => rpc<Hex>("eth_call", [{ to: channelContract, data }, "latest"]);

  async function run(from: Address, data: Hex): Promise<ChannelOutcome> {
    const call = { from, to: channelContract, data, gas: gasLimit };
    try {
      await rpc("eth_call", [call, "latest"]);
    } catch (error) {
      return { reverted: errorNameOf(error) };
    }
    const hash = await rpc<Hex>("eth_sendTransaction", [call]);
    // The node mines a transaction by itself, but a moment after it responds.
    await rpc("evm_mine");
    const receipt = await rpc<Receipt>("eth_getTransactionReceipt", [hash]);
    if (receipt.status !== "0x1") throw new Error("a call that passed its simulation reverted");
    const own = receipt.logs.filter(({ address }) => BigInt(address) === BigInt(channelContract));
    const events = own.map(({ topics }) => eventNames.get(topics[0] ?? "") ?? "unknown");
    return { events, gas: Number(receipt.gasUsed) };
  }

  return {
    devnet,
    run,
    async stateOf(channelId) {
      const state = decodeChannelState(await Promise.all(channelStateReads(channelId).map(read)));
      if (!state) throw new Error("the contract's reads are not those of channels");
      return state;
    },
    async receiverOf(receiver) {
      const sums = decodeReceiverState(await read(channelReads.receivers(receiver, devnet.token)));
      if (!sums) throw new Error("the contract's read is not that of a receiver");
      return sums;
    },
    idOf: (config) => read(channelReads.getChannelId(config)),
    async wait(seconds) {
      await rpc("evm_increaseTime", [seconds]);
      await rpc("evm_mine");
      const block = await rpc<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
      return Number(block.timestamp);
    },
    async dryRun() {
      const outcomes = channelProbes(networkOfChain(devnet.chainId)).map(async (probe) => {
        const { name, from, to, data } = probe;
        const reply = await rpc("eth_call", [{ from, to, data }, "latest"]).then(
          (result) => ({ result }),
          (error: unknown) => ({ revert: error instanceof RpcError ? error.data : error }),
        );
        return { name, ...evaluateProbe(probe, reply) };
      });
      return (await Promise.all(outcomes)).filter(({ ok }) => !ok);
    },
    async reset() {
      await rpc("evm_revert", [snapshot]);
      snapshot = await rpc<Hex>("evm_snapshot");
    },
  };
}

function errorNameOf(error: unknown): string {
  if (!(error instanceof RpcError)) throw error;
  const data = JSON.stringify(error.data ?? "");
  return readChannelError(/0x[0-9a-f]{8}/.exec(data)?.[0]) ?? `${error.message} ${data}`;
}

/** Signs a digest in the 65-byte form that the contract takes. */
export function signDigest(
  digest: Uint8Array,
  { privateKey }: Pick<DevnetWallet, "privateKey">,
): Hex {
  return Signature.toHex(Secp256k1.sign({ payload: digest, privateKey }));
}

/** A deposit that the payer signs, valid for ever. */
export function signDeposit(
  config: ChannelConfig,
  payer: DevnetWallet,
  { amount, salt }: { readonly amount: bigint; readonly salt: bigint },
  chainId: 50 | 51 = 51,
): SignedDeposit {
  const network = networkOfChain(chainId);
  const terms = { validAfter: 0n, validBefore: 2n ** 63n };
  const nonce = depositNonce(channelIdOf(network, config), salt);
  const authorization = { from: payer.address, value: amount, ...terms, nonce };
  const signature = signDigest(depositDigest(network, authorization), payer);
  return { amount, salt, ...terms, signature };
}
