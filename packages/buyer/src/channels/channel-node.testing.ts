/** A node that says what a channel and a wallet hold, for buyers who look it up. */
import { channelContract, xdc, type Network } from "@farthing/protocol";
import type { FetchFunction } from "../replayable-request.ts";
import { channelSelectors } from "./read-channel-state.ts";

interface SaidOfChannel {
  readonly balance: bigint;
  readonly totalClaimed?: bigint;
  /** The USDC of every wallet, in base units. */
  readonly walletUnits?: bigint;
  /** Of the newest block, in Unix seconds. */
  readonly blockSeconds?: number;
}

const word = (units: bigint) => units.toString(16).padStart(64, "0");

/** The `fetch` of a node; what it says is asked for with each call. */
export function channelNode(say: () => SaidOfChannel, { chainId }: Network = xdc): FetchFunction {
  return async (_url, init) => {
    const { id, method, params } = JSON.parse(await new Response(init?.body).text());
    const { balance, totalClaimed = 0n, walletUnits = 1_000_000n, blockSeconds = 0 } = say();
    const { to, data = "" } = { ...params?.[0] };
    const isChannel = String(data).startsWith(channelSelectors.channels);
    const ofChannel = isChannel ? word(balance) + word(totalClaimed) : word(0n) + word(0n);
    const results: Record<string, unknown> = {
      eth_chainId: `0x${chainId.toString(16)}`,
      eth_getBlockByNumber: { number: "0x1", timestamp: `0x${blockSeconds.toString(16)}` },
      eth_call: `0x${to === channelContract ? ofChannel : word(walletUnits)}`,
    };
    return Response.json({ jsonrpc: "2.0", id, result: results[String(method)] });
  };
}
