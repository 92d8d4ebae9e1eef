/** Whether a network's settlements are batched, through which contract, and how many at most. */
import type { Address } from "@farthing/protocol";
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { findMulticall, type MulticallSearch } from "../chain/contracts/multicall.ts";
import { formatEther } from "../base/ether.ts";
import { batchGasWithin, feeCapWei, paymentsWithin } from "./batch.ts";
import type { AnyBatchSettings } from "./fit-together.ts";
import type { GasPrices } from "./gas-prices.ts";
import type { RefusedBatch } from "./pending-nonce.ts";

/** `unknown` until a node has replied. */
export const batchingStates = ["off", "on", "no_multicall3", "unknown"] as const;

export type BatchingState = (typeof batchingStates)[number];

export interface BatchingDeps {
  readonly chain: Chain;
  readonly log: Log;
  /** Settlements of one transaction at most; 1 turns batching off. */
  readonly batchMax: number;
  /** The batch contract; undefined for Multicall3. The start has checked its code. */
  readonly batcher?: Address | undefined;
  readonly gasPrices: Pick<GasPrices, "now">;
  /** Of the newest block; undefined until one was read, and where its node omits it. */
  blockGasLimit(): bigint | undefined;
}

export function createBatching(deps: BatchingDeps) {
  const { chain, log, batcher, gasPrices, blockGasLimit } = deps;
  const { chainId } = chain.network;
  let { batchMax: countMax } = deps;
  /** What a transaction may cost, in wei; less where a node has refused less. */
  let feeMax = feeCapWei;
  const isOff = deps.batchMax === 1;
  if (batcher !== undefined && !isOff) {
    log.info({ event: "batching_on", chainId, batcher }, "Batching turned on");
  }
  let search: MulticallSearch | undefined;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const before = search?.kind;
    search = await findMulticall(chain);
    if (search.kind !== before) reportSearch(search, chainId, log);
  }

  const gasMax = () => batchGasWithin(blockGasLimit());
  const batchPayments = () => paymentsWithin(gasMax(), feeMax, gasPrices.now());

  return {
    /** How many payments a batch could carry at the present gas price and block gas limit, by any settings. */
    batchPayments,
    /**
     * Undefined while every settlement is a transaction of its own. As many as fit at the present gas
     * price and block gas limit.
     */
    settings(): AnyBatchSettings | undefined {
      const paymentsMax = Math.min(countMax, batchPayments());
      if (batcher !== undefined) {
        return isOff ? undefined : { batcher, paymentsMax, gasMax: gasMax() };
      }
      return search?.kind === "found" ? { multicall: search.address, paymentsMax } : undefined;
    },
    state(): BatchingState {
      if (isOff) return "off";
      if (batcher !== undefined || search?.kind === "found") return "on";
      return search?.kind === "none" ? "no_multicall3" : "unknown";
    },
    /** Looks for the contract until it is known. Never rejects. */
    async look() {
      const isKnown = search?.kind === "found" || search?.kind === "none";
      if (isOff || isKnown || batcher !== undefined) return;
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    },
    /** After a node refused a batch: halves the number of payments, or what they may cost together. */
    makeSmaller({ settlements, feeWei, isTooDear }: RefusedBatch) {
      if (settlements < 2) return;
      const event = "batch_size_reduced";
      if (isTooDear) {
        // By its cost, not its number: what is refused at one price is accepted at a lower one.
        const half = feeWei / 2n;
        if (half >= feeMax) return;
        feeMax = half;
        log.warn({ event, chainId, feeMaxXdc: formatEther(feeMax) }, "Batch size reduced");
      } else {
        const half = Math.floor(settlements / 2);
        if (half >= countMax) return;
        countMax = half;
        log.warn({ event, chainId, paymentsMax: countMax }, "Batch size reduced");
      }
    },
  };
}

function reportSearch(search: MulticallSearch, chainId: number, log: Log): void {
  const consequence = "every payment is sent in its own transaction";
  if (search.kind === "found") {
    log.info({ event: "batching_on", chainId, multicall: search.address }, "Batching turned on");
  } else if (search.kind === "none") {
    const fields = { event: "batching_without_contract", chainId };
    log.warn(fields, `Multicall3 not found; ${consequence}`);
  } else {
    const fields = { event: "batching_unknown", chainId, problem: search.problem };
    log.warn(fields, `Multicall3 lookup failed; ${consequence}`);
  }
}
