/**
 * The price of gas on the chain of a run: what nodes ask for by a setting of their own, and the base
 * fee of blocks, which a release of XDC can multiply between two blocks.
 */
import type { PriceStep } from "@farthing/lab/audit";
import { isObject, type Hex } from "@farthing/protocol";
import type { BlockPool } from "./block-pool.ts";
import type { ObservedFaultKind, ObservedFaults } from "./observed-faults.ts";
import type { Trace } from "./trace.ts";

/** XDC's minimum gas price, which its nodes enforce, in wei. */
export const gasPriceMin = 12_500_000_000n;

/** Prices by block, in wei. */
export interface ChainPrices {
  /** The least that nodes with this head accept. */
  priceAt(block: number): bigint;
  /** The base fee of a block; undefined before the first step, as in a devnet's headers. */
  baseFeeAt(block: number): bigint | undefined;
  /** The highest base fee of the block and those after it. */
  highestSince(block: number): bigint;
  /** The last step, at which the base fee stays; undefined before the first one. */
  lastStep(): PriceStep | undefined;
  /** A block's header with its base fee. */
  headerWith<T>(header: T): T | (T & { readonly baseFeePerGas: Hex });
  /** Changes what nodes ask for; the base fee stays. Transactions that pay less leave all pools. */
  setPrice(wei: bigint): void;
  /** From the next block on this is the base fee. */
  stepBaseFee(wei: bigint): void;
  /** Drops what pays less than the next block's base fee, also what lagging nodes still take. */
  sweep(): void;
}

/** What the prices are made with. */
export interface ChainPricesDeps {
  readonly pool: BlockPool;
  readonly trace: Trace;
  readonly observedFaults: ObservedFaults;
  head(): number;
}

function lastOf(prices: readonly PriceStep[], block: number): bigint | undefined {
  return prices.findLast(({ fromBlock }) => fromBlock <= block)?.wei;
}

/** Starts at XDC's minimum. */
export function createChainPrices(deps: ChainPricesDeps): ChainPrices {
  const { pool, trace, observedFaults, head } = deps;
  const minimums: PriceStep[] = [{ fromBlock: 0, wei: gasPriceMin }];
  const baseFees: PriceStep[] = [];

  function baseFeeAt(block: number): bigint | undefined {
    return lastOf(baseFees, block) ?? (baseFees.length > 0 ? gasPriceMin : undefined);
  }

  function drop(wei: bigint, kind: ObservedFaultKind): void {
    for (const transaction of pool.payingLessThan(wei)) {
      observedFaults.note(kind);
      pool.lose(transaction, `it pays less than ${wei} wei`);
    }
  }

  return {
    baseFeeAt,
    priceAt(block) {
      const [minimum = gasPriceMin, baseFee = 0n] = [lastOf(minimums, block), baseFeeAt(block)];
      return minimum > baseFee ? minimum : baseFee;
    },
    highestSince(block) {
      const later = baseFees.filter(({ fromBlock }) => fromBlock >= block).map(({ wei }) => wei);
      return later.reduce((most, wei) => (wei > most ? wei : most), baseFeeAt(block) ?? 0n);
    },
    lastStep: () => baseFees.at(-1),
    headerWith(header) {
      const number = isObject(header) ? Number(header["number"]) : Number.NaN;
      const baseFee = Number.isNaN(number) ? undefined : baseFeeAt(number);
      if (baseFee === undefined) return header;
      return { ...header, baseFeePerGas: `0x${baseFee.toString(16)}` };
    },
    setPrice(wei) {
      trace.note(`gas price: nodes ask for ${wei} wei`);
      minimums.push({ fromBlock: head(), wei });
      drop(wei, "rules: priced out");
    },
    stepBaseFee(wei) {
      trace.note(`gas price: the base fee is ${wei} wei from block ${head() + 1} on`);
      baseFees.push({ fromBlock: head() + 1, wei });
    },
    sweep: () => drop(baseFeeAt(head() + 1) ?? 0n, "gas: swept"),
  };
}
