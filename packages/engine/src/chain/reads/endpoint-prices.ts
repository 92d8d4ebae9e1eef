/** What two endpoints say that gas costs: one alone must not decide what a payment costs. */
import { findHeader, headerCall } from "./block-headers.ts";
import { quantity, type Chain } from "../endpoints/chain.ts";
import type { RpcCall, RpcReply } from "../endpoints/rpc-endpoint.ts";

const priceCalls: readonly RpcCall[] = [
  headerCall("latest"),
  { method: "eth_gasPrice", params: [] },
];

/** Prices of a unit of gas in wei. */
export interface EndpointPrices {
  readonly baseFee: bigint | undefined;
  readonly gasPrice: bigint;
}

/** Undefined where no second endpoint responds. Throws RPC faults. */
export async function readPricesTwice(
  chain: Chain,
  headNumber: number,
): Promise<readonly [EndpointPrices, EndpointPrices] | undefined> {
  const { here, elsewhere } = await chain.readTwice(priceCalls, headNumber);
  return typeof elsewhere === "string" ? undefined : [pricesIn(here), pricesIn(elsewhere)];
}

function pricesIn([header, suggestion]: readonly RpcReply[]): EndpointPrices {
  return {
    baseFee: header?.ok ? findHeader(header.result)?.baseFee : undefined,
    gasPrice: suggestion?.ok ? quantity(suggestion.result, "the gas price") : 0n,
  };
}
