/** Whether several settlements share a transaction, through which contract, and how many at most. */
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/chain.ts";
import { findMulticall, type MulticallSearch } from "../chain/multicall.ts";
import type { BatchSettings } from "./batch.ts";

/** States of batching: turned off, on, without a contract, or not known until a node answers. */
export const batchingStates = ["off", "on", "no_multicall3", "unknown"] as const;

/** One of {@link batchingStates}. */
export type BatchingState = (typeof batchingStates)[number];

/** Batching on a network. */
export interface Batching {
  /** Undefined while every settlement is a transaction of its own. */
  settings(): BatchSettings | undefined;
  state(): BatchingState;
  /** Asks for the contract unless that is known. Never rejects. */
  look(): Promise<void>;
  /** A node took no batch of so many: from here on they are half as large. */
  makeSmaller(settlements: number): void;
}

/** Creates it; nothing is known before the first look. */
export function createBatching(deps: {
  readonly chain: Chain;
  readonly log: Log;
  /** Settlements of one transaction at most; 1 turns batching off. */
  readonly batchMax: number;
}): Batching {
  const { chain, log } = deps;
  const { chainId } = chain.network;
  let { batchMax: paymentsMax } = deps;
  let search: MulticallSearch | undefined;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const before = search?.kind;
    search = await findMulticall(chain);
    if (search.kind !== before) reportSearch(search, chainId, log);
  }

  return {
    settings: () =>
      search?.kind === "found" ? { multicall: search.address, paymentsMax } : undefined,
    state() {
      if (deps.batchMax === 1) return "off";
      if (search?.kind === "found") return "on";
      return search?.kind === "none" ? "no_multicall3" : "unknown";
    },
    async look() {
      const isKnown = search?.kind === "found" || search?.kind === "none";
      if (deps.batchMax === 1 || isKnown) return;
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    },
    makeSmaller(settlements) {
      const half = Math.max(1, Math.floor(settlements / 2));
      if (half >= paymentsMax) return;
      paymentsMax = half;
      log.warn({ chainId, paymentsMax }, "Batches are made smaller; a node takes no larger ones");
    },
  };
}

function reportSearch(search: MulticallSearch, chainId: number, log: Log): void {
  switch (search.kind) {
    case "found":
      log.info({ event: "batching_on", chainId, multicall: search.address }, "Batching turned on");
      return;
    case "none":
      log.warn(
        { event: "batching_without_contract", chainId },
        "Multicall3 not found on the network; every payment is a transaction of its own",
      );
      return;
    case "unknown":
      log.warn(
        { event: "batching_unknown", chainId, problem: search.problem },
        "Multicall3 not looked up; until it is, every payment is a transaction of its own",
      );
  }
}
