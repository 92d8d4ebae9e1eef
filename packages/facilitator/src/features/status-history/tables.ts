/** The tables of the service's history, which all processes add to. */
import { integer, smallInteger, table, type KyselyTable } from "@farthing/engine/storage";
import type { ChainId } from "@farthing/protocol";

/** Each number of minutes is a set of bits: the lowest is the first minute of the half hour. */
export const slotTable = table("availability_slots", {
  chainId: smallInteger<ChainId>(),
  slot: integer(),
  looked: integer(),
  available: integer(),
});

export const countTable = table("latency_counts", {
  chainId: smallInteger<ChainId>(),
  hour: integer(),
  within: integer(),
  settlements: integer(),
});

declare module "@farthing/engine/storage" {
  interface Tables {
    availability_slots: KyselyTable<typeof slotTable>;
    latency_counts: KyselyTable<typeof countTable>;
  }
}
