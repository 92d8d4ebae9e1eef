/** What an operator asks of a database at work, sampled now and then: open settlements and its size. */
import type { ChainId } from "@farthing/protocol";
import { openStates, type SettlementState } from "../model/settlement.ts";
import { measureDatabase, type DatabaseSize } from "./database-size.ts";
import type { Database } from "./dialect.ts";

/** The settlements of one open state. */
export interface OpenSettlements {
  readonly state: SettlementState;
  readonly count: number;
  /** When the oldest of them was claimed, in milliseconds; null where there is none. */
  readonly oldestAt: number | null;
}

/** More than the queue and the transactions of 16 wallets hold. What is above is not counted. */
export const openSettlementsMax = 20_000;

export type StateMethods = ReturnType<typeof stateMethods>;

export function stateMethods({ db, engine }: Database) {
  return {
    /** Counts the open settlements of a chain by state, up to {@link openSettlementsMax} in all. */
    countOpenSettlements: async (chainId: ChainId): Promise<OpenSettlements[]> => {
      const open = db
        .selectFrom("settlements")
        .select(["state", "created_at"])
        .where("chain_id", "=", chainId)
        .where("state", "in", openStates)
        .limit(openSettlementsMax)
        .as("open");
      const rows = await db
        .selectFrom(open)
        .select(["open.state"])
        .select(({ fn }) => [
          fn.countAll<number | string>().as("count"),
          fn.min<number | string>("open.created_at").as("oldest_at"),
        ])
        .groupBy("open.state")
        .execute();
      return openStates.map((state) => {
        const row = rows.find((one) => one.state === state);
        if (!row) return { state, count: 0, oldestAt: null };
        return { state, count: Number(row.count), oldestAt: Number(row.oldest_at) };
      });
    },
    /** Asks the file system, or the server for its files: no table is read. */
    measureSize: (): Promise<DatabaseSize> =>
      measureDatabase(db, engine.hasRowLocks ? undefined : (engine.file ?? ":memory:")),
  };
}
