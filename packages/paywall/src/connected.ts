import {
  ask,
  readAddresses,
  readChainId,
  WalletProblem,
  type Wallet,
} from "@farthing/buyer/wallet";
import { isSameAddress } from "@farthing/protocol";
import { texts } from "./texts.ts";

/** A wallet that has shown an account. */
export type Connected = Awaited<ReturnType<typeof connect>>;

/** The wallet may ask the person first. Its chain is undefined until it has reported one. */
export async function connect(wallet: Wallet, signal: AbortSignal) {
  const [address] = readAddresses(await ask(wallet.provider, "eth_requestAccounts", [], signal));
  if (!address) {
    throw new Error(texts.wallet.noAccount);
  }
  const chainId = readChainId(await ask(wallet.provider, "eth_chainId", [], signal));
  return { wallet, address, chainId };
}

/** Calls back once when the wallet switches accounts. Returns a stop function. */
export function watchAccount(
  { wallet: { provider }, address }: Connected,
  moved: (problem: WalletProblem) => void,
): () => void {
  const listener = (value: unknown) => {
    const [now] = readAddresses(value);
    // Some wallets report this although nothing has changed.
    if (now && isSameAddress(now, address)) return;
    stop();
    moved(new WalletProblem("account_changed", texts.wallet.accountChanged));
  };
  const stop = () => provider.removeListener?.("accountsChanged", listener);
  provider.on?.("accountsChanged", listener);
  return stop;
}
