/** What every store does by itself, without the rules: one of many changes takes effect. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MemoryStore } from "../memory/memory.ts";
import { binding, dayMs, receipt } from "./payment-records.testing.ts";
import { findRedisServer, startRedis } from "../redis/redis-server.testing.ts";
import { RedisStore } from "../redis/record-store.ts";
import { openRecords } from "../sqlite/file.ts";
import { SqliteStore } from "../sqlite/record-store.ts";
import type { Expected, NewPaymentRecord, PaymentRecordStore } from "./store.ts";
import { transit } from "./transit.ts";

const bounds = { entriesMax: 100, totalBytesMax: 1_000, now: () => 1_000 };

/** Opens two connections to one store, as two processes have them; `age` gives a record a format. */
interface Opened {
  readonly stores: readonly [PaymentRecordStore, PaymentRecordStore];
  age?(key: string, format: number): Promise<void>;
  close(): Promise<void>;
}

async function openMemory(): Promise<Opened> {
  const store = new MemoryStore(bounds);
  return { stores: [store, store], close: async () => undefined };
}

async function openSqlite(): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), "farthing-store-"));
  const path = join(folder, "records.db");
  const files = [openRecords(path, 5_000), openRecords(path, 5_000)] as const;
  return {
    stores: [new SqliteStore(files[0], bounds), new SqliteStore(files[1], bounds)],
    async age(key, format) {
      const database = new DatabaseSync(path);
      database.prepare("update grants set format = ? where key = ?").run(format, key);
      database.close();
    },
    async close() {
      for (const file of files) file.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function openRedis(): Promise<Opened> {
  const server = await startRedis();
  const clients = [await server.connect(), await server.connect()] as const;
  const place = { prefix: "", tokensMax: 10, now: bounds.now };
  return {
    stores: [
      new RedisStore({ ...place, client: clients[0] }),
      new RedisStore({ ...place, client: clients[1] }),
    ],
    age: async (key, format) => void (await clients[0].hSet(`{${key}}`, "v", String(format))),
    async close() {
      for (const client of clients) client.destroy();
      await server.stop();
    },
  };
}

const newRecord = (holder: string): NewPaymentRecord => ({
  binding: binding("a"),
  opener: {},
  exchangeKey: "k",
  lock: { holder, until: { inMs: 10 } },
  expires: { inMs: dayMs },
});

describe.each([
  ["memory", true, openMemory],
  ["sqlite", true, openSqlite],
  ["redis", findRedisServer() !== undefined, openRedis],
] as const)("the store in %s", (_name, isThere, open) => {
  describe.skipIf(!isThere)("by itself", () => {
    let opened: Opened;
    let one: PaymentRecordStore;
    beforeEach(async () => {
      opened = await open();
      [one] = opened.stores;
    });
    afterEach(() => opened.close());

    /** Calls both connections in turn, and counts what came of it. */
    async function countOf(call: (store: PaymentRecordStore, nth: number) => Promise<string>) {
      const kinds = Array.from({ length: 20 }, (_one, nth) =>
        call(opened.stores[nth % 2 === 0 ? 0 : 1], nth),
      );
      return Object.groupBy(await Promise.all(kinds), (kind) => kind);
    }

    test("of many insertions one makes the record", async () => {
      const kinds = await countOf(async (at, nth) => (await at.insert(newRecord(`${nth}`))).kind);
      expect([kinds["inserted"]?.length, kinds["exists"]?.length]).toEqual([1, 19]);
    });

    test("of many changes that expect the same, one takes effect", async () => {
      await one.insert(newRecord("dead"));
      const asRead: Expected = { states: ["claimed"], holder: "dead", heldUntilMs: 1_010 };
      const kinds = await countOf(async (at, nth) => {
        const lock = { holder: `${nth}`, until: { inMs: 10 } };
        return (await at.compareAndSet("a", asRead, { lock })).kind;
      });
      expect([kinds["changed"]?.length, kinds["stale"]?.length]).toEqual([1, 19]);
    });

    test("a transition that may not start from a state changes nothing", async () => {
      await one.insert(newRecord("h"));
      await transit(one, "a", "complete", { holder: "h" }, { receipt, lock: null });
      const delivered = await one.get("a");
      for (const name of ["acquire", "settle", "pay", "discard", "unlock"] as const) {
        expect((await transit(one, "a", name, {}, { lock: null })).kind).toBe("stale");
      }
      expect(await one.get("a")).toEqual(delivered);
      expect(delivered).toMatchObject({ state: "delivered", receipt });
    });

    test("a record of a later version is left alone, one of an earlier version is read", async () => {
      if (!opened.age) return;
      await one.insert(newRecord("h"));
      await opened.age("a", 1);
      expect(await one.get("a")).toMatchObject({ state: "claimed", holder: "h", exchangeKey: "k" });
      await opened.age("a", 4);
      await expect(one.get("a")).rejects.toThrow(/later version/);
      await expect(one.insert(newRecord("other"))).rejects.toThrow(/later version/);
      await opened.age("a", 3);
      expect(await one.get("a")).toMatchObject({ state: "claimed", holder: "h" });
    });
  });
});
