/** What the shared database holds, read beside the facilitators. */
import type { Client } from "pg";
import { storedFrom, type Row, type Stored } from "../sim/stored.ts";

/** Reads all that is audited; signed bytes and calldata stay where they are. */
export async function readRows(client: Client): Promise<Stored> {
  const all = async (columns: string, table: string): Promise<Row[]> => {
    const { rows } = await client.query<Row>(`select ${columns} from ${table} order by 1`);
    return rows;
  };
  return storedFrom({
    settlements: await all("*", "settlements"),
    relayer_transactions: await all("id, lane, nonce, hash, state", "relayer_transactions"),
    transaction_settlements: await all("*", "transaction_settlements"),
    lanes: await all("lane, next_nonce", "lanes"),
  });
}

/** How often each relayer wallet was taken: the fence that grows with each take-over. */
export async function readFences(client: Client): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ lane: string; fence: string }>(
    "select lane, fence from lanes",
  );
  return new Map(rows.map(({ lane, fence }) => [lane, Number(fence)]));
}

/** Settlements without a final outcome and transactions without an end. */
const countRestless = `
  select
    (select count(*) from settlements
      where state in ('queued', 'submitted') or (state = 'confirmed' and finalized_at is null))
    + (select count(*) from relayer_transactions where state in ('intent', 'signed', 'sent'))
    as restless`;

/** How many rows are not at rest yet. */
export async function readRestless(client: Client): Promise<number> {
  const { rows } = await client.query<{ restless: string }>(countRestless);
  return Number(rows[0]?.restless);
}
