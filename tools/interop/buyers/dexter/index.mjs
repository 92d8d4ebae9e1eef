/** `@dexterai/x402`, as its documentation shows it. It reads the balance from the chain first. */
import { wrapFetch } from "@dexterai/x402/client";

/** A fetch that pays. */
export function connect({ privateKey, network, rpcUrl }) {
  return wrapFetch(fetch, { evmPrivateKey: privateKey, rpcUrls: { [network]: rpcUrl } });
}
