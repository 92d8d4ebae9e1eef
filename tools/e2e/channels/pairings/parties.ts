/** Buyers and sellers of channels as the plays of their pairings see them, whoever made them. */
import type { Devnet } from "@farthing/devnet";
import type { Hex, Network } from "@farthing/protocol";

export type Maker = "our" | "stock";

/** Where a seller reaches a facilitator; with a key, it has a vault. */
export interface FacilitatorAddress {
  readonly url: string;
  readonly apiKey?: string;
}

/** The chain on which parties meet. */
export interface Table {
  readonly devnet: Devnet;
  readonly network: Network;
}

/** What a shop sells: reports at `?units=`, each for so many base units, up to a most. */
export interface Goods {
  readonly priceUnits: bigint;
  /** What buyers are asked to deposit. */
  readonly depositUnits: bigint;
}

export interface Shop {
  readonly url: string;
  /** Claims what was charged. */
  claim(): Promise<unknown>;
  /** Has what is claimed sent to the seller. */
  sweep(): Promise<unknown>;
  /** What it says that a channel was charged, in base units. */
  chargedOf(channelId: Hex): Promise<bigint | undefined>;
  /** What its facilitator has acknowledged to keep; undefined without a vault. */
  vaultedOf(channelId: Hex): Promise<bigint | undefined>;
  /** Goes on without its records. */
  loseRecords(): void;
  close(): Promise<void>;
}

/** What the answer to a call says; base units. */
export interface Called {
  readonly channelId: Hex;
  readonly chargedUnits: bigint;
  readonly totalUnits: bigint;
  /** 0 where the call made no deposit. */
  readonly depositUnits: bigint;
}

export interface Buyer {
  call(url: string): Promise<Called>;
  /** What it says that it was charged in all, in base units. */
  charged(channelId: Hex): Promise<bigint | undefined>;
  /** Has what is left of its channel paid back. */
  refund(url: string): Promise<unknown>;
  /** Goes on without its ledger. */
  loseLedger(): void;
}

/** What a report costs, in base units, by the query of its address. */
export function unitsAsked({ units }: Readonly<Record<string, unknown>>): string {
  if (typeof units === "string" && /^\d+$/.test(units)) return units;
  throw new Error("A report costs ?units=");
}

const unitsPerUsdc = 1_000_000;

export function usdcOf(units: bigint): string {
  return (Number(units) / unitsPerUsdc).toFixed(6);
}
