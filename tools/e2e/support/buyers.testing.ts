/** Buyers: the stock one, as its documentation shows it, and what a test does to a fetch. */
import { setTimeout as pause } from "node:timers/promises";
import type { DevnetWallet } from "@farthing/devnet";
import { headerNames } from "@farthing/protocol";
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import type { Market } from "./market.testing.ts";

/** The published buyer with nothing set, on the machine's fetch or another one. */
export function stockBuyer({ network }: Market, { privateKey }: DevnetWallet, send = fetch) {
  const scheme = new ExactEvmScheme(privateKeyToAccount(privateKey));
  const client = new x402Client().register(network.id, scheme);
  return wrapFetchWithPayment(send, client);
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

/** More than a slow machine needs: each time the gateway waits for the payment again. */
const repeatsMax = 10;

/** A slow machine does not settle a hundred at once in time; a buyer comes back with the same payment. */
export async function payAgain(request: Request, repeats = 0): Promise<Response> {
  const response = await fetch(request.clone());
  if (response.status !== 503 || repeats === repeatsMax) return response;
  await response.body?.cancel();
  await pause(Number(response.headers.get("retry-after") ?? 1) * 1_000);
  return payAgain(request, repeats + 1);
}
