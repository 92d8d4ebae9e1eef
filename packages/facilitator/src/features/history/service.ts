/**
 * The history of a settlement: its states with their times, the transactions that carried it, and
 * the gas that it cost the facilitator. Gas is read once, from the receipts of final blocks, and
 * kept; the payments of a batch share the cost of its transaction equally.
 */
import { isSameAddress, type Address } from "@farthing/protocol";
import type { Settlement, SettlementEngine } from "@farthing/engine";
import { type Log, messageOf } from "@farthing/engine/base";
import type { CarriedBy } from "./model.ts";
import type { HistoryStore } from "./store.ts";
import type { EngineStore } from "@farthing/engine/storage";

/** One thing that happened; times are milliseconds since 1970. */
export interface StoryStep {
  readonly what: "queued" | "submitted" | "transaction" | "confirmed" | "finalized" | "failed";
  readonly at: number;
  /** The transaction, where it is one. */
  readonly carrier?: CarriedBy;
}

/** A settlement with its story. */
export interface SettlementStory {
  readonly settlement: Settlement;
  /** Oldest first. */
  readonly steps: readonly StoryStep[];
  /** This settlement's share; null until it is known. */
  readonly gasUsed: number | null;
  /** Wei; null until it is known. */
  readonly gasPaid: bigint | null;
}

export interface HistoryDeps {
  readonly store: Pick<HistoryStore, "listCarriers" | "recordGas"> &
    Pick<EngineStore, "findSettlement">;
  readonly log: Log;
  readonly engine: Pick<SettlementEngine, "readGas" | "viewOf">;
}

/** The history of accounts. */
export interface History {
  /** A settlement of the account; undefined when there is none such. */
  find(account: Address, id: string): Promise<Settlement | undefined>;
  /** Reads the gas of its transactions once they are final. */
  describe(settlement: Settlement): Promise<SettlementStory>;
}

/** Creates the history. */
export function createHistory(deps: HistoryDeps): History {
  const { store, log } = deps;

  async function withGas(settlement: Settlement, carriers: readonly CarriedBy[]) {
    const { chainId } = settlement;
    const finalNumber = deps.engine.viewOf(chainId)?.finalized.number ?? 0;
    const hashes = carriers.flatMap(({ state, hash, gasUsed, blockNumber }) =>
      // What could still be mined in another block could use another amount.
      state === "mined" && hash && gasUsed === null && (blockNumber ?? Infinity) <= finalNumber
        ? [hash]
        : [],
    );
    if (hashes.length === 0) return carriers;
    try {
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
    } catch (error) {
      // The story is worth telling without it; the next reader asks again.
      log.warn(
        {
          event: "gas_read_failed",
          settlementId: settlement.id,
          problem: messageOf(error),
        },
        "Gas of a settlement could not be read",
      );
      return carriers;
    }
  }

  return {
    async find(account, id) {
      const settlement = await store.findSettlement(id);
      const isOwn = settlement?.owner != null && isSameAddress(settlement.owner, account);
      return isOwn ? settlement : undefined;
    },
    async describe(settlement) {
      const carriers = await withGas(settlement, await store.listCarriers(settlement.id));
      return { settlement, steps: stepsOf(settlement, carriers), ...shareOf(carriers) };
    },
  };
}

function stepsOf(settlement: Settlement, carriers: readonly CarriedBy[]): StoryStep[] {
  const { createdAt, submittedAt, confirmedAt, finalizedAt, failedAt } = settlement;
  const step = (what: StoryStep["what"], at: number | null): StoryStep[] =>
    at === null ? [] : [{ what, at }];
  const sent = carriers.flatMap((carrier): StoryStep[] =>
    carrier.hash === null
      ? []
      : [{ what: "transaction", at: carrier.sentAt ?? carrier.createdAt, carrier }],
  );
  // Stable: what has the same time stays in the order in which it can only have happened.
  return [
    ...step("queued", createdAt),
    ...step("submitted", submittedAt),
    ...sent,
    ...step("confirmed", confirmedAt),
    ...step("failed", failedAt),
    ...step("finalized", finalizedAt),
  ].toSorted((one, other) => one.at - other.at);
}

/** What the mined ones cost, shared by the payments they carried; null while one is not known. */
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
