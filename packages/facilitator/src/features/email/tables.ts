/** The tables of e-mail notices; addresses and their notices are in those of webhooks. */
import { integer, nullable, table, text, type KyselyTable } from "@farthing/engine/storage";

export const confirmationTable = table("email_confirmations", {
  endpointId: text(),
  /** SHA-256 of the link's token; null once it has been used. */
  tokenHash: nullable(text()),
  expiresAt: integer(),
  confirmedAt: nullable(integer()),
});

/** Confirmation mails by what their number is limited by, in windows of a day. */
export const countTable = table("email_counts", {
  subject: text(),
  since: integer(),
  sent: integer(),
});

declare module "@farthing/engine/storage" {
  interface Tables {
    email_confirmations: KyselyTable<typeof confirmationTable>;
    email_counts: KyselyTable<typeof countTable>;
  }
}
