/** Opens the store that a DATABASE_URL names and brings its schema up to date. */
import { Kysely, sql } from "kysely";
import { Fault } from "../base/fault.ts";
import { apiKeyVerbs } from "./api-keys.ts";
import type { Engine } from "./dialect.ts";
import { migrate } from "./migrate.ts";
import { relayerVerbs } from "./relayer-transactions.ts";
import type { Tables } from "./schema.ts";
import { settlementVerbs } from "./settlements.ts";
import { openSqlite } from "./sqlite/node-sqlite.ts";
import type { Store } from "./store.ts";

/** Opens `sqlite:/path/to/file` (or `sqlite::memory:`). Throws `storage_unavailable`. */
export async function openStore(databaseUrl: string): Promise<Store> {
  const engine = engineOf(databaseUrl);
  const db = new Kysely<Tables>({ dialect: engine.dialect });
  await migrate(db, engine.idType);
  return guard({
    ...settlementVerbs(db),
    ...relayerVerbs(db),
    ...apiKeyVerbs(db),
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),
  });
}

function engineOf(databaseUrl: string): Engine {
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(databaseUrl)?.[1];
  if (path === undefined) {
    throw new Fault("configuration", "DATABASE_URL must be sqlite:/path/to/file", {
      retryable: false,
    });
  }
  try {
    return openSqlite(path);
  } catch (error) {
    throw new Fault(
      "storage_unavailable",
      `The SQLite file ${path} cannot be opened; check its folder and rights`,
      { cause: error },
    );
  }
}

/** Turns every error of the database into the one fault that the layers above know. */
function guard(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const verb: unknown = Reflect.get(target, name);
      if (typeof verb !== "function") return verb;
      return async (...parameters: unknown[]) => {
        try {
          return await Reflect.apply(verb, target, parameters);
        } catch (error) {
          if (error instanceof Fault) throw error;
          const message = `The database failed at ${String(name)}`;
          throw new Fault("storage_unavailable", message, { cause: error });
        }
      };
    },
  });
}
