/** XDC mainnet and its test network Apothem: their names in both x402 versions, and their USDC. */
import { isSameAddress, type Address } from "./address.ts";
import type { Hex } from "../encoding/hex.ts";
import { isLoopback } from "../http/loopback.ts";

export type ChainId = 50 | 51;

/** One network with the one asset that is paid on it. */
export interface Network {
  readonly chainId: ChainId;
  /** CAIP-2 name, used by version 2. */
  readonly id: `eip155:${ChainId}`;
  /** Plain name, used by version 1. */
  readonly label: string;
  /** Other version 1 names that are understood, never written. */
  readonly aliases: readonly string[];
  readonly name: string;
  /** Native USDC (Circle FiatTokenV2_2 behind a proxy), 6 decimals. */
  readonly usdc: Address;
  /** The EIP-712 domain's name and version. `USD Coin`, its name elsewhere, breaks every signature. */
  readonly domain: { readonly name: "USDC"; readonly version: "2" };
  /** keccak256 of the encoded EIP-712 domain; equals the token's `DOMAIN_SEPARATOR()`. */
  readonly domainSeparator: Hex;
  /** Addresses where Multicall3 may be, most likely first; the code on chain decides. */
  readonly multicall3: readonly Address[];
  /** Tokens that are mistaken for USDC here, by address, with their name. */
  readonly lookalikes: ReadonlyMap<Address, string>;
  readonly explorerUrl: string;
}

/** 1 USDC = 1,000,000 base units. */
export const usdcDecimals = 6;

const domain = { name: "USDC", version: "2" } as const;

export const xdc: Network = {
  chainId: 50,
  id: "eip155:50",
  label: "xdc",
  aliases: [],
  name: "XDC Network",
  usdc: "0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1",
  domain,
  domainSeparator: "0xe3bb44ae105af7e23bb39b117e22bbcbf435066554f45b3a9bbcba42c80fe56d",
  multicall3: ["0x0B1795ccA8E4eC4df02346a082df54D437F8D9aF"],
  lookalikes: new Map([["0x2A8E898b6242355c290E1f4Fc966b8788729A4D4", "bridged USDC.e"]]),
  explorerUrl: "https://xdcscan.com",
};

export const apothem: Network = {
  chainId: 51,
  id: "eip155:51",
  label: "xdc-apothem",
  // Other x402 software's name for Apothem.
  aliases: ["xdc-testnet"],
  name: "Apothem Network",
  usdc: "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
  domain,
  domainSeparator: "0x3835afe643ce123f3bc71a8e3123e24651d2d4309bbf3ba58329a1db60b9b2c3",
  // Public sources disagree about Apothem; both addresses are tried.
  multicall3: [
    "0xcA11bde05977b3631167028862bE2a173976CA11",
    "0x7937b3878860eb3CDA14360cEaaa11a9646d941B",
  ],
  lookalikes: new Map(),
  explorerUrl: "https://testnet.xdcscan.com",
};

export const networks: readonly Network[] = [xdc, apothem];

export function networkOfChain(chainId: ChainId): Network {
  return chainId === 50 ? xdc : apothem;
}

/** Finds a network by chain id, CAIP-2 name, version 1 label or alias. */
export function findNetwork(name: unknown): Network | undefined {
  const found = networks.find(({ chainId }) => chainId === name);
  return found ?? findNetworkOf(2, name) ?? findNetworkOf(1, name);
}

/** Finds a network by its name in an x402 version: a label in 1, CAIP-2 in 2. */
export function findNetworkOf(version: 1 | 2, name: unknown): Network | undefined {
  return networks.find(({ id, label, aliases }) =>
    version === 1 ? label === name || aliases.some((alias) => alias === name) : id === name,
  );
}

/** Names a token that is often mistaken for the network's USDC, e.g. `bridged USDC.e`. */
export function lookalikeName(network: Network, asset: Address): string | undefined {
  return [...network.lookalikes].find(([address]) => isSameAddress(address, asset))?.[1];
}

/**
 * The explorer that shows a network's transactions to who works with these hosts. A chain with
 * Apothem's number whose hosts are all on this machine is a devnet, which no explorer knows.
 */
export function explorerOf(
  { chainId, explorerUrl }: Network,
  hostnames: readonly string[],
): string | undefined {
  return chainId === 51 && hostnames.every(isLoopback) ? undefined : explorerUrl;
}

/** Returns the link to a transaction for a seller on that host (with or without port); undefined on a devnet. */
export function explorerLink(
  network: Network,
  transaction: Hex,
  sellerHost: string,
): string | undefined {
  const explorer = explorerOf(network, [sellerHost.replace(/:\d+$/, "")]);
  return explorer && `${explorer}/tx/${transaction}`;
}
