import { networkOfChain, type ChainId } from "@farthing/protocol";
import { publicNodes } from "../chain/nodes.ts";
import type { Wallet } from "./announced-wallets.ts";
import { ask, codeOf, WalletProblem } from "./provider.ts";

const currency: Readonly<Record<ChainId, string>> = { 50: "XDC", 51: "TXDC" };

const hexOf = (chainId: ChainId) => `0x${chainId.toString(16)}`;

export interface ConnectedWallet {
  readonly wallet: Wallet;
  /** Undefined until the wallet has reported it. */
  readonly chainId: number | undefined;
}

/** Adds the network to wallets that do not know it. Throws {@link WalletProblem}. */
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
      // 4902: the wallet does not know the network.
      if (codeOf(error) !== 4902) throw error;
      await ask(wallet.provider, "wallet_addEthereumChain", [described(chainId)], signal);
      await change();
    });
  } catch (error) {
    const code = error instanceof WalletProblem ? error.code : "failed";
    throw code === "unable" || code === "failed" ? refused(wallet.name, chainId) : error;
  }
}

function described(chainId: ChainId) {
  const { name, explorerUrl } = networkOfChain(chainId);
  return {
    chainId: hexOf(chainId),
    chainName: name,
    // Wallets keep it for their own reads.
    rpcUrls: publicNodes[chainId].slice(0, 1),
    nativeCurrency: { name: currency[chainId], symbol: currency[chainId], decimals: 18 },
    blockExplorerUrls: [explorerUrl],
  };
}

function refused(wallet: string, chainId: ChainId): WalletProblem {
  const { name } = networkOfChain(chainId);
  return new WalletProblem(
    "other_network",
    `${wallet} did not switch to ${name}. Select ${name} (chain ${chainId}) in the wallet and try again.`,
    { wallet, network: name, chain: `${chainId}` },
  );
}
