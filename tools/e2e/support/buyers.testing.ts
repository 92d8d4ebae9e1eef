/** Buyers: the stock one, as its documentation shows it, and what a test does to a fetch. */
import type { DevnetWallet } from "@farthing/devnet";
import { headerNames } from "@farthing/protocol";
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import type { Market } from "./market.testing.ts";

/** The published buyer with nothing set. */
export function stockBuyer({ network }: Market, { privateKey }: DevnetWallet) {
  const scheme = new ExactEvmScheme(privateKeyToAccount(privateKey));
  const client = new x402Client().register(network.id, scheme);
  return wrapFetchWithPayment(fetch, client);
}

/** Whether a request carries a payment. */
export function isPaid(request: Request): boolean {
  return [headerNames.paymentSignature, headerNames.xPayment].some((name) =>
    request.headers.has(name),
  );
}

/** A fetch that treats paid requests in another way. */
export function fetchPaid(send: (request: Request, nth: number) => Promise<Response>) {
  let sent = 0;
  return async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    return isPaid(request) ? send(request, ++sent) : fetch(request);
  };
}
