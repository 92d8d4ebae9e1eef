/** The table of API keys. */
import {
  integer,
  nullable,
  table,
  text,
  walletAddress,
  type KyselyTable,
} from "@farthing/engine/storage";
import type { ColumnType } from "kysely";
import type { KeyMode } from "../../http/access/request-key.ts";

export const apiKeyTable = table("api_keys", {
  id: text(),
  account: walletAddress(),
  mode: text<KeyMode>(),
  label: text(),
  hash: text(),
  lastFour: text(),
  createdAt: integer(),
  createdBy: nullable(walletAddress()),
  lastUsedAt: nullable(integer()),
  expiresAt: nullable(integer()),
  revokedAt: nullable(integer()),
});

declare module "@farthing/engine/storage" {
  interface Tables {
    api_keys: KyselyTable<typeof apiKeyTable> & {
      /** The successor. From the rotation on, `expires_at` is the end of the overlap. */
      replaced_by: ColumnType<string | null, string | null | undefined, string | null>;
    };
  }
}
