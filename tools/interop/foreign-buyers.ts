/** The buyers of other makers by name, each as a fetch that pays. */
import type { DevnetWallet } from "@farthing/devnet";
import { chainId, network, type Deployment } from "./deployment.ts";
import { stockClient } from "./matrix.ts";
import { loadStock, type StockVersion } from "./stock-packages.ts";
import { payByMembers } from "./thirdweb-members.ts";

/** Every buyer, with the version that is installed or followed. */
export const buyers = [
  "@x402/fetch 2.0",
  "@x402/fetch 2.10",
  "@x402/fetch 2.15",
  "@x402/fetch 2.27",
  "@x402/axios 2.11",
  "@faremeter/fetch 0.22",
  "@dexterai/x402 2.0",
  "thirdweb 5.121 (by members)",
] as const;

/** One of them. */
export type BuyerName = (typeof buyers)[number];

/** A fetch that pays what it is asked. */
export type Pay = (url: string) => Promise<Response>;

interface BuyerModule {
  readonly connect: (options: {
    readonly privateKey: string;
    readonly rpcUrl: string;
    readonly network: string;
    readonly chainId: number;
    readonly asset: string;
  }) => Pay;
}

/** Connects a buyer to a wallet. */
export async function connectBuyer(
  name: BuyerName,
  wallet: DevnetWallet,
  { devnet }: Deployment,
): Promise<Pay> {
  const connectFrom = async (folder: string): Promise<Pay> => {
    const loaded: BuyerModule = await import(
      new URL(`buyers/${folder}/index.mjs`, import.meta.url).href
    );
    const { rpcUrl, token: asset } = devnet;
    return loaded.connect({ privateKey: wallet.privateKey, rpcUrl, network, chainId, asset });
  };
  const connectStock = async (version: StockVersion): Promise<Pay> => {
    const { wrapFetchWithPayment } = await loadStock(version);
    return wrapFetchWithPayment(fetch, await stockClient(version, wallet));
  };
  return {
    "@x402/fetch 2.0": () => connectFrom("fetch"),
    "@x402/fetch 2.10": () => connectStock("2.10"),
    "@x402/fetch 2.15": () => connectStock("2.15"),
    "@x402/fetch 2.27": () => connectStock("2.27"),
    "@x402/axios 2.11": () => connectFrom("axios"),
    "@faremeter/fetch 0.22": () => connectFrom("faremeter"),
    "@dexterai/x402 2.0": () => connectFrom("dexter"),
    "thirdweb 5.121 (by members)": async () => payByMembers(wallet),
  }[name]();
}
