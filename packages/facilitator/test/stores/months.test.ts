/** Tables by months on PostgreSQL: where rows go, what is still found, and what dropping a month keeps. */
import type { Address, Hex } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { startPostgres, type TestPostgres } from "@farthing/engine/source/storage/postgres.testing";
import type { ServiceStore } from "../../src/features/open-store.ts";
import type { WebhookDelivery } from "../../src/features/webhooks/model.ts";
import { collectPlanTexts, explainAll } from "./statement-capture.testing.ts";
import { webhooksSuite } from "./webhooks.suite.ts";
import { postgresStarter, storeForEach, undividedStarter } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  held,
  hex32,
  idOf,
  lane,
  minedIn,
  next,
  planOf,
} from "./store-values.testing.ts";

const seller: Address = `0x${"33".repeat(20)}`;

/** In March 2024, and the start of the months around it. */
const inMarch = Date.UTC(2024, 2, 10);
const march = Date.UTC(2024, 2);
const april = Date.UTC(2024, 3);
const may = Date.UTC(2024, 4);
const june = Date.UTC(2024, 5);

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

const at = storeForEach(() => postgresStarter(() => server)());
const store = () => at().store;
const query = (statement: string) => at().bench.query(statement);

/** The part that each row of a table is in, by id. */
async function partsOf(table: string): Promise<string[]> {
  const rows = await query(`select tableoid::regclass::text as part from ${table} order by id`);
  return rows.map(({ part }) => String(part));
}

const transactions = () => partsOf("closed_transactions");

/** Settles payments with a transaction each, until they are final; ids and hashes in this order. */
async function settle(count: number, now = inMarch, block = 10, into = store()) {
  const claims = Array.from({ length: count }, () => claimOf({ validBefore: 900n }));
  const ids = (await into.claimSettlements(claims, now)).map((result) => idOf(result) ?? "");
  const lease = await held(into);
  const plans = ids.map((id) => planOf(id));
  const reserved = await into.reserveTransactions(lease, plans, now);
  const hashes = reserved.map((): Hex => hex32(next()));
  const signed = reserved.map(({ id }, index) => ({
    id,
    raw: "0xabcd" as const,
    hash: hashes[index] ?? "0x",
  }));
  await into.recordSigned(lease, signed, now);
  const opened = await into.listOpenTransactions(chainId, lane);
  await into.closeTransactions(opened, "mined", block);
  const confirmations = ids.map((id) => ({ id, mined: minedIn(block) }));
  await into.recordConfirmed(confirmations, now);
  await into.recordFinalized(chainId, block, now);
  return { ids, hashes, lease, nonces: reserved.map(({ nonce }) => nonce) };
}

test("a transaction that is over moves to its month, where its settlement and its hash find it", async () => {
  await store().prepareTransactionMonths(inMarch);
  const { ids, hashes, nonces } = await settle(3);
  const before = await store().countMinedNonces(chainId, lane);
  expect(await store().pruneSignedBytes(chainId, 10, 10)).toBe(3);
  expect(await transactions()).toEqual(Array(2).fill("closed_transactions_2024_03"));
  // The newest of the wallet tells its nonce.
  expect(await query("select nonce, raw, data from relayer_transactions")).toEqual([
    { nonce: String(nonces[2]), raw: null, data: "" },
  ]);
  expect(await store().countMinedNonces(chainId, lane)).toBe(before);
  for (const hash of hashes) expect(await store().isRelayerTransaction(hash)).toBe(true);
  await store().recordGas([{ hash: hashes[0] ?? "0x", gasUsed: 7, gasPrice: 5n }]);
  const carriers = await store().listCarriers({ id: ids[0] ?? "", createdAt: inMarch });
  expect(carriers).toMatchObject([{ hash: hashes[0], nonce: nonces[0], gasUsed: 7 }]);
});

test("a transaction stays where payments look for it until all its settlements are over", async () => {
  const { ids } = await settle(2);
  await query(`update settlements set finalized_at = null where id = '${ids[0]}'`);
  await store().pruneSignedBytes(chainId, 10, 10);
  expect(await transactions()).toEqual([]);
  await query(`update settlements set finalized_at = 1 where id = '${ids[0]}'`);
  expect(await store().moveClosedTransactions({ since: april, limit: 1 })).toMatchObject({
    last: null,
  });
  const moved = await store().moveClosedTransactions({ since: march, limit: 10 });
  expect(moved).toEqual({ moved: 1, last: null });
});

test("nonces of old transactions that turn out unused are sent anew, and the one below counts", async () => {
  const { nonces, lease } = await settle(4);
  await store().pruneSignedBytes(chainId, 10, 10);
  expect(await transactions()).toHaveLength(3);
  const [, second = 0] = nonces;
  await store().reopenTransactions(chainId, { lane, fromNonce: second, upToBlock: 10 });
  expect(await store().countMinedNonces(chainId, lane)).toBe(second);
  expect(await store().listOpenTransactions(chainId, lease.lane)).toEqual([]);
});

test("a row without a month is kept, and moves when its month is made, by whichever process", async () => {
  await settle(3);
  await store().pruneSignedBytes(chainId, 10, 10);
  expect(await transactions()).toEqual(Array(2).fill("closed_transactions_rest"));
  const other = await at().bench.open();
  try {
    const both = [store(), other];
    const prepare = async () => {
      await Promise.all(both.map((one) => one.prepareTransactionMonths(inMarch)));
      return transactions();
    };
    // Whoever finds another one at work, also on its indexes, comes again later.
    const moved = Array(2).fill("closed_transactions_2024_03");
    await expect.poll(prepare).toEqual(moved);
  } finally {
    await other.close();
  }
});

test("an old month is dropped, but for transactions that settlements still name", async () => {
  await store().prepareTransactionMonths(inMarch);
  const { ids } = await settle(3);
  await store().pruneSignedBytes(chainId, 10, 10);
  expect(await store().dropTransactionMonths(april - 1)).toBe(0);
  await query(`delete from transaction_settlements where settlement_id = '${ids[0]}'`);
  expect(await store().dropTransactionMonths(april)).toBe(1);
  expect(await transactions()).toEqual(["closed_transactions_rest"]);
  const named = { id: ids[1] ?? "", createdAt: inMarch };
  expect(await store().listCarriers(named)).toHaveLength(1);
});

test("months before a claim are not read for its transactions, nor any month for a payment", async () => {
  await store().prepareTransactionMonths(inMarch);
  for (const statement of explainAll(new URL(at().bench.databaseUrl).pathname.slice(1))) {
    await query(statement);
  }
  const plans = collectPlanTexts();
  onTestFinished(() => void vi.restoreAllMocks());
  const watched = await at().bench.open();
  onTestFinished(() => watched.close());
  const dayMs = 24 * 60 * 60_000;
  await watched.listCarriers({ id: "stl_1", createdAt: april + dayMs });
  const [ofHistory = ""] = plans.filter((plan) => plan.includes("closed_transactions"));
  expect(ofHistory).toContain("closed_transactions_2024_04");
  expect(ofHistory).not.toContain("closed_transactions_2024_03");
  const before = plans.length;
  await settle(2, april, 10, watched);
  const ofPayments = plans.slice(before);
  expect(ofPayments.length).toBeGreaterThan(10);
  expect(ofPayments.filter((plan) => plan.includes("closed_transactions"))).toEqual([]);
});

/** Deliveries of an endpoint, one for each time, in this order. */
async function deliver(into: ServiceStore, ...times: readonly number[]) {
  await into.ensureAccount(seller, 1);
  const endpoint = {
    id: `whk_${next()}`,
    account: seller,
    channel: "webhook" as const,
    url: "https://shop.example/hook",
    secret: "whsec_x",
    events: [],
    createdAt: 1,
    disabledAt: null,
    pausedAt: null,
    isPausedByOwner: false,
  };
  await into.createWebhook(endpoint, { endpointsMax: 5 });
  const ids = times.map(() => `evt_${next()}`);
  for (const [index, createdAt] of times.entries()) {
    const id = ids[index] ?? "";
    const delivery = { id, endpointId: endpoint.id, account: seller, body: "{}", createdAt };
    await into.addDelivery({ ...delivery, type: "webhook.test" });
  }
  return { endpointId: endpoint.id, ids };
}

const delivered = { isDelivered: true, status: 200, error: null, retryAt: null };
const deliveries = () => partsOf("webhook_deliveries");

test("a delivery that ends moves to its month, and back when it is sent again", async () => {
  await store().prepareDeliveryMonths(inMarch);
  const { endpointId, ids } = await deliver(store(), inMarch, june);
  const [first = "", second = ""] = ids;
  expect(await deliveries()).toEqual(Array(2).fill("webhook_deliveries_waiting"));
  await store().recordAttempt(first, delivered, june);
  await store().recordAttempt(second, delivered, june);
  // A missing month stops nothing.
  expect(await deliveries()).toEqual([
    "webhook_deliveries_ended_2024_03",
    "webhook_deliveries_ended_rest",
  ]);
  const { items } = await store().listDeliveries(endpointId, { limit: 10 });
  expect(items.map(({ id }) => id)).toEqual([second, first]);
  await store().resendDelivery(endpointId, first, june);
  expect((await deliveries())[0]).toBe("webhook_deliveries_waiting");
  await store().prepareDeliveryMonths(april);
  expect((await deliveries())[1]).toBe("webhook_deliveries_ended_2024_06");
});

test("old months of deliveries are dropped after their export; what waits is removed by itself", async () => {
  await store().prepareDeliveryMonths(inMarch);
  const { ids } = await deliver(store(), inMarch, inMarch + 1, inMarch + 2, may);
  for (const id of [ids[0], ids[1], ids[3]]) await store().recordAttempt(id ?? "", delivered, may);
  const exported: WebhookDelivery[] = [];
  const keep = async (some: readonly WebhookDelivery[]) => void exported.push(...some);
  const failing = store().dropDeliveryMonths(may, 1, async () => {
    throw new Error("no space left on device");
  });
  await expect(failing).rejects.toThrow();
  expect(await deliveries()).toHaveLength(4);
  expect(await store().dropDeliveryMonths(may, 1, keep)).toBe(2);
  expect(exported.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect(await store().removeDeliveries(may, 10, keep)).toBe(1);
  expect(exported.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  expect(await deliveries()).toEqual(["webhook_deliveries_ended_2024_05"]);
});

describe("a database that an earlier version has filled", () => {
  const earlier = storeForEach(() => undividedStarter(() => server)());
  const partsNow = async () => {
    const rows = await earlier().bench.query(
      "select id, tableoid::regclass::text as part from webhook_deliveries order by id",
    );
    return rows.map(({ part }) => String(part));
  };

  test("deliveries are divided beside the service: what waits at once, the rest newest first", async () => {
    const { store: old, bench } = earlier();
    const { endpointId, ids } = await deliver(old, inMarch, inMarch + 1, may);
    const [first = "", second = ""] = ids;
    await old.recordAttempt(first, delivered, may);
    await old.recordAttempt(second, delivered, may);
    expect(await partsNow()).toEqual(Array(3).fill("webhook_deliveries"));
    expect(await old.divideDeliveries()).toBe(true);
    expect(await partsNow()).toEqual(["webhook_deliveries_waiting"]);
    await old.prepareEarlierMonths(may);
    expect(await old.moveEarlierDeliveries(1)).toBe(1);
    const { items } = await old.listDeliveries(endpointId, { limit: 10 });
    expect(items.map(({ id }) => id)).toEqual([ids[2], second]);
    // It was stopped here, and another run continues.
    expect(await old.divideDeliveries()).toBe(true);
    expect(await old.moveEarlierDeliveries(10)).toBe(1);
    expect(await old.moveEarlierDeliveries(10)).toBe(0);
    expect(await partsNow()).toEqual([
      "webhook_deliveries_ended_2024_03",
      "webhook_deliveries_ended_2024_03",
      "webhook_deliveries_waiting",
    ]);
    const [left] = await bench.query("select to_regclass('webhook_deliveries_before') as name");
    expect(left).toEqual({ name: null });
    const due = await old.takeDueDeliveries({ now: may, leaseMs: 1, limit: 10 });
    expect(due.map(({ delivery }) => delivery.id)).toEqual([ids[2]]);
  });

  test("it is divided into the tables that a new database has, which a migration spells out", async () => {
    await earlier().store.divideDeliveries();
    const structureOf = async (bench: ReturnType<typeof at>["bench"]) => [
      await bench.query(`select tablename, indexname, indexdef from pg_indexes
        where tablename like 'webhook_deliveries%' and tablename not like '%_before' order by 1, 2`),
      await bench.query(`select conrelid::regclass::text as name, pg_get_constraintdef(oid) as text
        from pg_constraint where conrelid::regclass::text like 'webhook_deliveries%'
        and conrelid::regclass::text not like '%_before' order by 1, 2`),
      await bench.query(`select table_name, column_name, data_type, column_default, is_nullable
        from information_schema.columns where table_name like 'webhook_deliveries%'
        and table_name not like '%_before' order by 1, ordinal_position`),
      await bench.query(`select relname, pg_get_expr(relpartbound, oid) as bound, relkind::text
        from pg_class where relname like 'webhook_deliveries%' and relkind in ('r', 'p')
        and relname not like '%_before' order by 1`),
    ];
    const months = (
      await at().bench.query(`select relname from pg_class
      where relname ~ '^webhook_deliveries_ended_[0-9]{4}' and relkind = 'r'`)
    ).length;
    expect(months).toBe(0);
    expect(await structureOf(earlier().bench)).toEqual(await structureOf(at().bench));
  });

  describe("before it is divided", () => webhooksSuite(undividedStarter(() => server)));
});
