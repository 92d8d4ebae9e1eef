/** How many deliveries wait in the outbox, for the operator's metrics. */
import { sql } from "kysely";
import type { Database } from "@farthing/engine/storage";
import type { Channel } from "./model.ts";

/** Enough to see that an outbox does not empty. Counting so many entries of an index takes milliseconds. */
export const waitingDeliveriesMax = 10_000;

export function outboxStateMethods({ db }: Database) {
  return {
    /** Counts pending deliveries by channel, up to {@link waitingDeliveriesMax} of both channels. */
    countWaitingDeliveries: async (): Promise<Readonly<Record<Channel, number>>> => {
      const pending = db
        .selectFrom("webhook_deliveries")
        .select("endpoint_id")
        // A literal, so that SQLite sees that the partial index applies.
        .where("state", "=", sql.lit("pending"))
        .limit(waitingDeliveriesMax)
        .as("pending");
      const byEndpoint = db
        .selectFrom(pending)
        .select("pending.endpoint_id")
        .select(({ fn }) => fn.countAll<number | string>().as("count"))
        .groupBy("pending.endpoint_id")
        .as("waiting");
      const rows = await db
        .selectFrom(byEndpoint)
        .innerJoin("webhook_endpoints", "webhook_endpoints.id", "waiting.endpoint_id")
        .select("webhook_endpoints.channel")
        .select(({ fn }) => fn.sum<number | string>("waiting.count").as("count"))
        .groupBy("webhook_endpoints.channel")
        .execute();
      const countOf = (channel: Channel) =>
        Number(rows.find((row) => row.channel === channel)?.count ?? 0);
      return { webhook: countOf("webhook"), email: countOf("email") };
    },
  };
}
