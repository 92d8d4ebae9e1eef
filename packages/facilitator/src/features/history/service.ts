/**
 * The history of a settlement: states with their times, transactions, and gas, which is read once
 * from final receipts and then stored. The payments of a batch share it equally.
 */
import { isSameAddress, type Address } from "@farthing/protocol";
import type { Settlement, SettlementEngine, StoredRefund } from "@farthing/engine";
import { type Log, warning } from "@farthing/engine/base";
import type { CarriedBy } from "./model.ts";
import type { HistoryStore } from "./store.ts";
import type { EngineStore } from "@farthing/engine/storage";

/** Times are milliseconds since 1970. */
export interface StoryStep {
  /** `recovered` stands in place of `queued`: when it was claimed first is lost. */
  readonly what:
    | "queued"
    | "recovered"
    | "submitted"
    | "transaction"
    | "confirmed"
    | "finalized"
    | "failed";
  readonly at: number;
  readonly carrier?: CarriedBy;
}

export interface SettlementStory {
  readonly settlement: Settlement;
  /** By ordinal. */
  readonly refunds: readonly StoredRefund[];
  /** Oldest first. */
  readonly steps: readonly StoryStep[];
  /** This settlement's share; null until it is known. */
  readonly gasUsed: number | null;
  /** Wei; null until it is known. */
  readonly gasPaid: bigint | null;
}

export interface HistoryDeps {
  readonly store: Pick<HistoryStore, "listCarriers" | "recordGas"> &
    Pick<EngineStore, "listRefunds">;
  readonly log: Log;
  readonly engine: Pick<SettlementEngine, "find" | "readGas" | "viewOf">;
}

export type History = ReturnType<typeof createHistory>;

export function createHistory(deps: HistoryDeps) {
  const { store, log } = deps;

  async function withGas(settlement: Settlement, carriers: readonly CarriedBy[]) {
    const { chainId } = settlement;
    const finalNumber = deps.engine.viewOf(chainId)?.finalized.number ?? 0;
    const hashes = carriers.flatMap(({ state, hash, gasUsed, blockNumber }) =>
      // Before finality another block could carry it with another amount of gas.
      state === "mined" && hash && gasUsed === null && (blockNumber ?? Infinity) <= finalNumber
        ? [hash]
        : [],
    );
    if (hashes.length === 0) return carriers;
    const byHash = new Map(
      (await deps.engine.readGas(chainId, hashes)).map((one) => [one.hash, one]),
    );
    const known = carriers.map((carrier) => {
      const receipt = carrier.hash && byHash.get(carrier.hash);
      if (!receipt) return carrier;
      // XDC charges the price that a legacy transaction names.
      const gasPricePaid = receipt.gasPrice ?? carrier.gasPrice;
      return { ...carrier, gasUsed: receipt.gasUsed, gasPricePaid };
    });
    const fresh = known.flatMap(({ hash, gasUsed, gasPricePaid: gasPrice }) =>
      hash && byHash.has(hash) && gasUsed !== null && gasPrice !== null
        ? [{ hash, gasUsed, gasPrice }]
        : [],
    );
    await store.recordGas(fresh);
    return known;
  }

  return {
    /**
     * Returns undefined when the account has no such settlement. One that was settled without a key
     * is its payee's, who may refund it; a recovered refund is theirs who signed it.
     */
    async find(account: Address, id: string) {
      const settlement = await deps.engine.find(id);
      if (!settlement) return undefined;
      const { owner, payTo, payer, refundOf } = settlement;
      const seller = owner ?? (refundOf === null ? payTo : payer);
      return isSameAddress(seller, account) ? settlement : undefined;
    },
    /** Reads the gas of final transactions from the chain. */
    async describe(settlement: Settlement) {
      const stored = await store.listCarriers(settlement);
      const fields = { event: "gas_read_failed", settlementId: settlement.id };
      const failed = warning(log, fields, "Gas of a settlement could not be read");
      // The history is useful without gas; the next request reads it again.
      const carriers = (await withGas(settlement, stored).catch(failed)) ?? stored;
      const refunds = await store.listRefunds([settlement.id]);
      const steps = stepsOf(settlement, carriers);
      return { settlement, refunds, steps, ...shareOf(carriers) };
    },
  };
}

function stepsOf(settlement: Settlement, carriers: readonly CarriedBy[]): StoryStep[] {
  const { createdAt, recoveredAt, submittedAt, confirmedAt, finalizedAt, failedAt } = settlement;
  const step = (what: StoryStep["what"], at: number | null): StoryStep[] =>
    at === null ? [] : [{ what, at }];
  const sent = carriers.flatMap((carrier): StoryStep[] =>
    carrier.hash === null
      ? []
      : [{ what: "transaction", at: carrier.sentAt ?? carrier.createdAt, carrier }],
  );
  // A stable sort keeps the only possible order of steps with equal times.
  return [
    ...(recoveredAt === null ? step("queued", createdAt) : step("recovered", recoveredAt)),
    ...step("submitted", submittedAt),
    ...sent,
    ...step("confirmed", confirmedAt),
    ...step("failed", failedAt),
    ...step("finalized", finalizedAt),
  ].toSorted((one, other) => one.at - other.at);
}

/** Shares of mined transactions; null while the gas of one is unknown. */
function shareOf(carriers: readonly CarriedBy[]): Pick<SettlementStory, "gasUsed" | "gasPaid"> {
  const mined = carriers.filter(({ state }) => state === "mined");
  let [gasUsed, gasPaid] = [0, 0n];
  for (const { gasUsed: gas, gasPricePaid: price, settlements } of mined) {
    if (gas === null || price === null) return { gasUsed: null, gasPaid: null };
    gasUsed += Math.round(gas / settlements);
    gasPaid += (BigInt(gas) * price) / BigInt(settlements);
  }
  return mined.length === 0 ? { gasUsed: null, gasPaid: null } : { gasUsed, gasPaid };
}
