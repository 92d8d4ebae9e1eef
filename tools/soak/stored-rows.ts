/** What the shared database holds, read beside the facilitators. */
import type { Client } from "pg";

/** How often each relayer wallet was taken: its fencing token, which grows with each take-over. */
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
