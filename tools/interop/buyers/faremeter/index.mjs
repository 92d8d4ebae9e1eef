/** `@faremeter/fetch` with the package's own handler for EVM, told of XDC's USDC. */
import { wrap } from "@faremeter/fetch";
import { exact } from "@faremeter/payment-evm";
import { privateKeyToAccount } from "viem/accounts";

/** A fetch that pays. */
export function connect({ privateKey, chainId, asset }) {
  const account = privateKeyToAccount(privateKey);
  const wallet = { chain: { id: chainId, name: "XDC" }, address: account.address, account };
  // Its table of assets does not list XDC.
  const usdc = { address: asset, contractName: "USDC" };
  return wrap(fetch, { handlers: [exact.createPaymentHandler(wallet, { asset: usdc })] });
}
