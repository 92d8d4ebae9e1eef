/** Moves a wallet to one of our networks, and teaches it the network where it does not know it. */
import { networkOfChain, type ChainId } from "@farthing/protocol";
import type { Wallet } from "./announced-wallets.ts";
import { ask, codeOf, WalletProblem } from "./provider.ts";

/** Public endpoints that answer with `0x` addresses; wallets keep them for their own reads. */
const publicRpc: Readonly<Record<ChainId, string>> = {
  50: "https://erpc.xinfin.network",
  51: "https://erpc.apothem.network",
};

const currency: Readonly<Record<ChainId, string>> = { 50: "XDC", 51: "TXDC" };

const hexOf = (chainId: ChainId) => `0x${chainId.toString(16)}`;

/** A wallet and the network it is on, as far as it has said. */
export interface ConnectedWallet {
  readonly wallet: Wallet;
  readonly chainId: number | undefined;
}

/** Makes the wallet use a network; throws {@link WalletProblem} when it does not. */
export async function switchNetwork(
  { wallet, chainId: current }: ConnectedWallet,
  chainId: ChainId,
  signal: AbortSignal,
): Promise<void> {
  if (current === chainId) return;
  const change = () =>
    ask(wallet.provider, "wallet_switchEthereumChain", [{ chainId: hexOf(chainId) }], signal);
  try {
    await change().catch(async (error: unknown) => {
      // 4902: it has never heard of the network.
      if (codeOf(error) !== 4902) throw error;
      await ask(wallet.provider, "wallet_addEthereumChain", [described(chainId)], signal);
      await change();
    });
  } catch (error) {
    if (!(error instanceof WalletProblem)) throw refused(wallet.name, chainId);
    throw error.code === "unable" || error.code === "failed"
      ? refused(wallet.name, chainId)
      : error;
  }
}

function described(chainId: ChainId) {
  const { name, explorerUrl } = networkOfChain(chainId);
  return {
    chainId: hexOf(chainId),
    chainName: name,
    rpcUrls: [publicRpc[chainId]],
    nativeCurrency: { name: currency[chainId], symbol: currency[chainId], decimals: 18 },
    blockExplorerUrls: [explorerUrl],
  };
}

function refused(wallet: string, chainId: ChainId): WalletProblem {
  const { name } = networkOfChain(chainId);
  return new WalletProblem(
    "other_network",
    `${wallet} did not switch to ${name}. Select ${name} (chain ${chainId}) in the wallet and try again.`,
  );
}
