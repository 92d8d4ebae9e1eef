/** Whether a network's settlements are batched, through which contract, and how many at most. */
import type { Address } from "@farthing/protocol";
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/chain.ts";
import { findMulticall, type MulticallSearch } from "../chain/multicall.ts";
import type { AnyBatchSettings } from "./fit-together.ts";

/** `unknown` until a node has replied. */
export const batchingStates = ["off", "on", "no_multicall3", "unknown"] as const;

export type BatchingState = (typeof batchingStates)[number];

export function createBatching(deps: {
  readonly chain: Chain;
  readonly log: Log;
  /** Settlements of one transaction at most; 1 turns batching off. */
  readonly batchMax: number;
  /** The batch contract; undefined for Multicall3. The start has checked its code. */
  readonly batcher?: Address | undefined;
}) {
  const { chain, log, batcher } = deps;
  const { chainId } = chain.network;
  let { batchMax: paymentsMax } = deps;
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

  return {
    /** Undefined while every settlement is a transaction of its own. */
    settings(): AnyBatchSettings | undefined {
      if (batcher !== undefined) return isOff ? undefined : { batcher, paymentsMax };
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
    /** Halves the batch size after a node refused a batch of this many. */
    makeSmaller(settlements: number) {
      const half = Math.max(1, Math.floor(settlements / 2));
      if (half >= paymentsMax) return;
      paymentsMax = half;
      log.warn({ event: "batch_size_reduced", chainId, paymentsMax }, "Batch size reduced");
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
