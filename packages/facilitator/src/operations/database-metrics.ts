/** Metrics of the database as payments meet it: claims, and how long its most frequent methods take. */
import { networkOfChain } from "@farthing/protocol";
import type { Clock } from "@farthing/engine/base";
import type { Registry } from "prom-client";
import type { ServiceStore } from "../features/open-store.ts";
import { counter, histogram } from "./make-metric.ts";

/** `write` is the periodic write of readiness, which tells of a database that no payment uses. */
type Operation = "claim" | "find" | "record" | "lease" | "write";

export function createDatabaseWatch(registry: Registry, clock: Clock) {
  const claims = counter(registry, "x402_claims_total");
  const duration = histogram(registry, "x402_database_seconds");

  async function timed<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
    const startedMs = clock.nowMs();
    try {
      return await work();
    } finally {
      const seconds = Math.max(0, clock.nowMs() - startedMs) / 1000;
      duration.observe({ operation }, seconds);
    }
  }

  return (store: ServiceStore): ServiceStore => ({
    ...store,
    async claimSettlements(...args) {
      const results = await timed("claim", () => store.claimSettlements(...args));
      for (const [index, { chainId }] of args[0].entries()) {
        const result = results[index]?.kind ?? "refused";
        claims.inc({ network: networkOfChain(chainId).id, result });
      }
      return results;
    },
    findSettlementsByKey: (...args) => timed("find", () => store.findSettlementsByKey(...args)),
    recordConfirmed: (...args) => timed("record", () => store.recordConfirmed(...args)),
    renewWalletLease: (...args) => timed("lease", () => store.renewWalletLease(...args)),
    checkWritable: () => timed("write", () => store.checkWritable()),
  });
}
