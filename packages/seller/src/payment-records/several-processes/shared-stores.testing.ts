/** The stores that processes can share, and how a process opens one. */
import { Pool } from "pg";
import { createClient } from "redis";
import { createDurableObjectGrants } from "../durable-object/durable-object.ts";
import type { PaymentRecords } from "../rules/payment-records.ts";
import { createPostgresGrants } from "../postgres/postgres.ts";
import { createRedisGrants } from "../redis/redis.ts";
import { createSqliteGrants } from "../sqlite/sqlite.ts";

/** What the processes share, as text for another process. */
export interface Store {
  readonly kind: "sqlite" | "redis" | "postgres" | "durable object";
  /** A file for SQLite, a socket for Redis, and an address for the others. */
  readonly path: string;
}

export interface StoreSettings {
  readonly leaseMs?: number;
  /** The clock of the store when absent. */
  readonly now?: () => number;
}

export interface OpenStore {
  readonly records: PaymentRecords;
  close(): Promise<void>;
}

/** Opens a store as one process does. */
export async function openStore(
  { kind, path }: Store,
  settings: StoreSettings,
): Promise<OpenStore> {
  if (kind === "sqlite") {
    const records = createSqliteGrants({ path, ...settings });
    return { records, close: async () => records.close() };
  }
  if (kind === "redis") {
    const client = await createClient({ socket: { path, tls: false } }).connect();
    return {
      records: createRedisGrants({ client, ...settings }),
      close: async () => client.destroy(),
    };
  }
  if (kind === "postgres") {
    const client = new Pool({ connectionString: path, max: 4 });
    return {
      records: createPostgresGrants({ client, ...settings }),
      close: () => client.end(),
    };
  }
  const namespace = {
    idFromName: (name: string) => name,
    get: () => ({ fetch: (_url: string, init: RequestInit) => fetch(path, init) }),
  };
  return {
    records: createDurableObjectGrants({ namespace, ...settings }),
    close: async () => undefined,
  };
}
