/** The gas price, the newest final block and the wallets' state, read with a head if needed. */
import type { RpcReply, RpcCall } from "../endpoints/rpc-endpoint.ts";
import { findHeader, headerCall, readHeader, type BlockHead } from "../reads/block-headers.ts";
import { quantity, type Chain } from "../endpoints/chain.ts";
import type { Finalized, WalletState } from "./chain-view.ts";
import { classifyNodeError, isEndpointProblem } from "../endpoints/node-errors.ts";

export interface WantedConditions {
  readonly finality: boolean;
  readonly gasPrice: boolean;
  readonly wallets: readonly string[];
}

/** Refused values are left out and requested again. */
export interface Conditions {
  readonly finalized: Finalized | undefined;
  /** True if the node was asked for the final block and has none. */
  readonly lacksFinality: boolean;
  readonly gasPrice: bigint | undefined;
  readonly wallets: ReadonlyMap<string, WalletState>;
}

export function conditionCalls({ finality, gasPrice, wallets }: WantedConditions): RpcCall[] {
  return [
    ...(finality ? [headerCall("finalized")] : []),
    ...(gasPrice ? [{ method: "eth_gasPrice", params: [] }] : []),
    ...wallets.flatMap((wallet) => [
      { method: "eth_getTransactionCount", params: [wallet, "latest"] },
      { method: "eth_getBalance", params: [wallet, "latest"] },
    ]),
  ];
}

/** Reads the replies to {@link conditionCalls}; `head` came in the same request. */
export function readConditions(
  wanted: WantedConditions,
  replies: readonly (RpcReply | undefined)[],
  head: BlockHead,
): Conditions {
  const rest = [...replies];
  const final = wanted.finality ? rest.shift() : undefined;
  const price = wanted.gasPrice ? rest.shift() : undefined;
  const named = final?.ok ? findHeader(final.result) : undefined;
  const isRefused = final?.ok === false && !isEndpointProblem(classifyNodeError(final.error));
  return {
    // A block above or after the head cannot be final: the node or a backend is wrong.
    finalized: named && named.number <= head.number && named.time <= head.time ? named : undefined,
    lacksFinality: (final?.ok === true && named === undefined) || isRefused,
    gasPrice: valueIn(price, "the gas price"),
    wallets: new Map(
      wanted.wallets.flatMap((wallet, index): [string, WalletState][] => {
        const count = valueIn(rest[index * 2], "a transaction count");
        const balance = valueIn(rest[index * 2 + 1], "a balance");
        if (count === undefined || balance === undefined) return [];
        return [[wallet, { transactionCount: Number(count), balance }]];
      }),
    ),
  };
}

function valueIn(reply: RpcReply | undefined, name: string): bigint | undefined {
  return reply?.ok ? quantity(reply.result, name) : undefined;
}

/** Depth that counts as final where the node names no final block. */
const finalDepth = 12;

/** Throws RPC faults. */
export async function readDeepBlock(chain: Chain, { number }: BlockHead): Promise<Finalized> {
  return readHeader(chain, Math.max(0, number - finalDepth));
}
