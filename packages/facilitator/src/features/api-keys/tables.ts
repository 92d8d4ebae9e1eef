/** The table of API keys. */
import { toLowerHex, type Address } from "@farthing/protocol";
import type { ColumnType, Insertable, Selectable } from "kysely";
import { address, numberOrNull, type Whole, type WholeOrNull } from "@farthing/engine/storage";
import type { ApiKey, KeyMode } from "./model.ts";

export interface ApiKeyTable {
  id: string;
  account: Address;
  mode: KeyMode;
  label: string;
  hash: string;
  last_four: string;
  created_at: Whole;
  last_used_at: WholeOrNull;
  expires_at: WholeOrNull;
  revoked_at: WholeOrNull;
  /** The successor. From the rotation on, `expires_at` is the end of the overlap. */
  replaced_by: ColumnType<string | null, string | null | undefined, string | null>;
}

declare module "@farthing/engine/storage" {
  interface Tables {
    api_keys: ApiKeyTable;
  }
}

export function toApiKey(row: Selectable<ApiKeyTable>): ApiKey {
  return {
    id: row.id,
    account: address(row.account),
    mode: row.mode,
    label: row.label,
    hash: row.hash,
    lastFour: row.last_four,
    createdAt: Number(row.created_at),
    lastUsedAt: numberOrNull(row.last_used_at),
    expiresAt: numberOrNull(row.expires_at),
    revokedAt: numberOrNull(row.revoked_at),
  };
}

export function toApiKeyRow(key: ApiKey): Insertable<ApiKeyTable> {
  return {
    id: key.id,
    account: toLowerHex(key.account),
    mode: key.mode,
    label: key.label,
    hash: key.hash,
    last_four: key.lastFour,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
  };
}
