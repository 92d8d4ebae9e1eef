/** What the channels of an account come to, kept with each change of a channel. */
import type { Database } from "@farthing/engine/storage";
import { toLowerHex, type Address, type ChainId } from "@farthing/protocol";
import { sql } from "kysely";
import { dayOf } from "../history/participant.ts";
import { dayTable, sumTable } from "./tables.ts";

/** By which the sums of an account change. */
export interface ChannelChange {
  readonly account: Address;
  readonly chainId: ChainId;
  readonly open?: number;
  readonly charged?: bigint;
  readonly claimed?: bigint;
}

/** Adds changes of one step, in one order, so that no two transactions wait for each other. */
export async function addChannelChanges(
  { db, engine }: Database,
  changes: readonly ChannelChange[],
  now: number,
): Promise<void> {
  const sums = new Map<string, Required<ChannelChange>>();
  for (const { account, chainId, open = 0, charged = 0n, claimed = 0n } of changes) {
    const key = `${toLowerHex(account)} ${chainId}`;
    const before = sums.get(key) ?? { account, chainId, open: 0, charged: 0n, claimed: 0n };
    sums.set(key, {
      ...before,
      open: before.open + open,
      charged: before.charged + charged,
      claimed: before.claimed + claimed,
    });
  }
  const changed = [...sums]
    .filter(([, { open, charged, claimed }]) => open !== 0 || charged !== 0n || claimed !== 0n)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, sum]) => sum);
  if (changed.length === 0) return;
  const rows = changed.map((sum) => sumTable.write({ ...sum, settled: 0n }));
  await sql`insert into channel_sums (account, chain_id, open, charged, claimed, settled)
    select account, chain_id, open, cast(charged as bigint), cast(claimed as bigint), 0
    from ${engine.list(rows, sumTable.types)} where true
    on conflict (account, chain_id) do update set
      open = channel_sums.open + excluded.open,
      charged = channel_sums.charged + excluded.charged,
      claimed = channel_sums.claimed + excluded.claimed`.execute(db);
  const days = changed
    .filter(({ charged, claimed }) => charged !== 0n || claimed !== 0n)
    .map((sum) => dayTable.write({ ...sum, day: dayOf(now) }));
  if (days.length === 0) return;
  await sql`insert into channel_days (account, chain_id, day, charged, claimed)
    select account, chain_id, day, cast(charged as bigint), cast(claimed as bigint)
    from ${engine.list(days, dayTable.types)} where true
    on conflict (account, chain_id, day) do update set
      charged = channel_days.charged + excluded.charged,
      claimed = channel_days.claimed + excluded.claimed`.execute(db);
}
