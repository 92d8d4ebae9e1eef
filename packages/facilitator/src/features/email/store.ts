/** The store of e-mail addresses and their confirmation. */
import type { Address } from "@farthing/protocol";
import { atomic, textList, type Database } from "@farthing/engine/storage";
import type { WebhookEndpoint } from "../webhooks/model.ts";
import { endpointTable, workingEndpoints } from "../webhooks/tables.ts";
import { digestMethods } from "./digest-store.ts";
import type { EmailRecipient } from "./model.ts";
import { confirmationTable } from "./tables.ts";

export type EmailStore = ReturnType<typeof createEmailStore>;

export function createEmailStore(database: Database) {
  const { db } = database;
  return {
    /** Addresses that are not removed, oldest first. */
    listEmails: listEmails.bind(undefined, database),
    /** Finds an address of any account, also a removed one, which has no text any more. */
    findEmail: async (id: string): Promise<WebhookEndpoint | undefined> => {
      const row = await db
        .selectFrom("webhook_endpoints")
        .selectAll()
        .where("id", "=", id)
        .where("channel", "=", "email")
        .executeTakeFirst();
      return row && endpointTable.read(row);
    },
    /** Counts a confirmation mail; returns false, and counts nothing, when there were `sentMax`. */
    countEmail: atomic(database, countEmail),
    /** Keeps the hash of an address's token. Earlier links of the address end with it. */
    keepConfirmation: async (endpointId: string, tokenHash: string, expiresAt: number) => {
      const row = confirmationTable.write({ endpointId, tokenHash, expiresAt, confirmedAt: null });
      await db
        .insertInto("email_confirmations")
        .values(row)
        .onConflict((on) =>
          on.column("endpoint_id").doUpdateSet({ token_hash: tokenHash, expires_at: expiresAt }),
        )
        .execute();
    },
    /** Uses a token once, and has its address receive notices; undefined for an unknown one. */
    confirmEmail: atomic(database, confirmEmail),
    ...digestMethods(database),
  };
}

async function listEmails(database: Database, account: Address): Promise<EmailRecipient[]> {
  const { db, engine } = database;
  const rows = await workingEndpoints(database, account, "email")
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  const ids = textList(
    engine,
    rows.map(({ id }) => id),
  );
  const confirmed = await db
    .selectFrom("email_confirmations")
    .select(["endpoint_id", "confirmed_at"])
    .where("endpoint_id", "in", db.selectFrom(ids).select("given.of"))
    .execute();
  const times = new Map(confirmed.map((row) => [row.endpoint_id, row.confirmed_at]));
  return rows.map((row) => {
    const confirmedAt = times.get(row.id) ?? null;
    return {
      endpoint: endpointTable.read(row),
      confirmedAt: confirmedAt === null ? null : Number(confirmedAt),
    };
  });
}

async function countEmail(
  { db }: Database,
  subject: string,
  { since, sentMax }: { readonly since: number; readonly sentMax: number },
): Promise<boolean> {
  await db.deleteFrom("email_counts").where("since", "<", since).execute();
  const row = await db
    .insertInto("email_counts")
    .values({ subject, since, sent: 1 })
    .onConflict((on) =>
      on
        .columns(["subject", "since"])
        .doUpdateSet(({ eb }) => ({ sent: eb("email_counts.sent", "+", 1) }))
        .where("email_counts.sent", "<", sentMax),
    )
    .returning("sent")
    .executeTakeFirst();
  return row !== undefined;
}

async function confirmEmail(
  { db }: Database,
  tokenHash: string,
  now: number,
): Promise<WebhookEndpoint | undefined> {
  const used = await db
    .updateTable("email_confirmations")
    .set({ token_hash: null, confirmed_at: now })
    .where("token_hash", "=", tokenHash)
    .where("expires_at", ">", now)
    .returning("endpoint_id")
    .executeTakeFirst();
  if (!used) return undefined;
  const row = await db
    .updateTable("webhook_endpoints")
    .set({ paused_at: null, watched_since: now })
    .where("id", "=", used.endpoint_id)
    .where("disabled_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  return row && endpointTable.read(row);
}
