/** `@x402/fetch`, as its documentation shows it. */
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPayment } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

/** A fetch that pays. */
export function connect({ privateKey, network }) {
  const scheme = new ExactEvmScheme(privateKeyToAccount(privateKey));
  const pay = wrapFetchWithPayment(fetch, new x402Client().register(network, scheme));
  // 2.0 pays only for requests with options.
  return (url) => pay(url, { method: "GET" });
}
