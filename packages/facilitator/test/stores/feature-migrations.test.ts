/** Migrations of features run after the engine's, on both databases, each once. */
import type { Migrations } from "@farthing/engine/storage";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Feature } from "../../src/features/feature.ts";
import { features as ownFeatures, migrationsOf } from "../../src/features/features.ts";
import { openStore } from "../../src/features/open-store.ts";
import { bothEngines } from "./store-benches.testing.ts";

/** A feature with a table of its own, which refers to a table of another feature. */
const notes = featureOf("notes", {
  "0001-notes": async (db) => {
    await db.schema
      .createTable("notes")
      .addColumn("account", "text", (column) => column.references("accounts.address"))
      .addColumn("text", "text")
      .execute();
  },
  "0002-written": async (db) => {
    await sql`alter table notes add column written_at bigint`.execute(db);
  },
});

const labels = featureOf("labels", {
  "0001-labels": async (db) => {
    await db.schema.createTable("labels").addColumn("text", "text").execute();
  },
});

const own = Object.keys(migrationsOf(ownFeatures));

function featureOf(name: string, migrations: Migrations): Feature {
  return { name, migrations, create: () => ({}) };
}

describe.each(bothEngines())("migrations of features on %s", (_, start) => {
  async function databaseOf() {
    const bench = await start();
    onTestFinished(async () => {
      for (const table of ["notes", "labels"]) {
        await bench.query(`drop table if exists ${table}`);
        await bench.query(`delete from feature_migration where name like '${table}/%'`);
      }
      await bench.stop();
    });
    return {
      ...bench,
      async openWith(features: readonly Feature[]) {
        const migrations = migrationsOf([...ownFeatures, ...features]);
        const store = await openStore(bench.databaseUrl, { migrations });
        await store.close();
      },
      /** Those that ran besides the service's own. */
      async names() {
        const rows = await bench.query("select name from feature_migration order by name");
        return rows.map(({ name }) => name).filter((name) => !own.includes(String(name)));
      },
    };
  }

  test("run once, in the order of the features, also for one that comes in between", async () => {
    const { openWith, names, query } = await databaseOf();
    await openWith([notes]);
    await query("insert into notes (text, written_at) values ('kept', 7)");
    await openWith([notes]);
    expect(await names()).toEqual(["notes/0001-notes", "notes/0002-written"]);
    await openWith([labels, notes]);
    expect(await names()).toEqual(["labels/0001-labels", "notes/0001-notes", "notes/0002-written"]);
    expect(await query("select text from notes")).toEqual([{ text: "kept" }]);
  });

  test("leave nothing of a feature that has none", async () => {
    const { openWith, names } = await databaseOf();
    await openWith([{ name: "plain", create: () => ({}) }]);
    expect(await names()).toEqual([]);
  });

  test("one that fails is not recorded, and the start says so", async () => {
    const { openWith, names } = await databaseOf();
    const failing = featureOf("failing", {
      "0001-failing": async () => {
        throw new Error("no");
      },
    });
    await expect(openWith([failing])).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await names()).toEqual([]);
  });
});
