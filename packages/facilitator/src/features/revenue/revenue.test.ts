/** Revenue by resource, route and payer: kept with each confirmation, read for one network. */
import { DatabaseSync } from "node:sqlite";
import { apothem, refundNonce, type Address, type JsonObject } from "@farthing/protocol";
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openSignedIn, type Browser } from "../../../test/support/browser.testing.ts";
import {
  bodyOn,
  serveOn,
  startChain,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { keyIn } from "../../../test/support/api-keys.testing.ts";
import { holdAnswers, readContract } from "../../../test/support/openapi.testing.ts";
import { bothEngines } from "../../../test/stores/store-benches.testing.ts";
import { claimOf, hex32, next } from "../../../test/stores/store-values.testing.ts";
import { type ServiceStore } from "../open-store.ts";
import { dayMs, dayOf } from "../history/participant.ts";
import { monthOf } from "./participant.ts";
import { spansOf } from "./routes.ts";
import type { RankedCursor } from "../../http/messages/cursor.ts";
import type { Customer, CustomerOrder } from "./customer-store.ts";
import { revenueBases } from "./tables.ts";

const { chainId } = apothem;
const payer: Address = `0x${"55".repeat(20)}`;
const month = Date.UTC(2026, 10, 3);

function confirm(store: ServiceStore, ids: readonly string[], blockNumber: number) {
  const place = { blockNumber, blockHash: hex32(blockNumber), logIndex: 0 };
  const mined = () => ({ ...place, transaction: hex32(next()), settledBy: "relayer" as const });
  return store.recordConfirmed(
    ids.map((id) => ({ id, mined: mined() })),
    month + 1,
  );
}

describe.each(bothEngines())("on %s", (_, start) => {
  let account: Address;
  beforeEach(() => {
    account = `0x${next().toString(16).padStart(40, "3")}`;
  });
  const customerOf = () => ({ account, chainId, firstAt: month, lastAt: month });
  const sale = (amount: bigint, route: string | null, changes: object = {}) =>
    claimOf({
      account,
      payer,
      amount,
      terms: { books: { resource: "https://shop.example/r", route, reference: null } },
      ...changes,
    });

  async function read(store: ServiceStore, at = month): Promise<object> {
    const lists = await Promise.all(
      revenueBases.map(async (basis) => {
        const of = { chainId, basis, month: monthOf(at) };
        const { items } = await store.listRevenue(account, of, { limit: 9 });
        const shown = items.map(({ name, settlements, units }) => [
          name,
          settlements,
          Number(units),
        ]);
        return [basis, shown] as const;
      }),
    );
    return Object.fromEntries(lists);
  }

  test("a sale counts once, while it is confirmed, in the month of its claim", async () => {
    const bench = await start();
    const store = await bench.open();
    const other: Address = `0x${"66".repeat(20)}`;
    const sales = [sale(5n, "GET /a"), sale(7n, "GET /b"), sale(9n, null, { payer: other })];
    const noSale = claimOf({ account, payer, amount: 100n });
    const open = sale(50n, "GET /a");
    await store.claimSettlements([...sales, noSale, open], month);
    const later = sale(3n, "GET /a");
    await store.claimSettlements([later], Date.UTC(2026, 11, 1));
    const ids = sales.map(({ id }) => id);
    await confirm(store, [...ids, noSale.id, later.id], 90);
    const [lowPayer, lowOther] = [payer, other].map((one) => one.toLowerCase());
    const all = {
      resource: [["https://shop.example/r", 3, 21]],
      route: [
        ["GET /b", 1, 7],
        ["GET /a", 1, 5],
      ],
      payer: [
        [lowPayer, 2, 12],
        [lowOther, 1, 9],
      ],
    };
    expect(await read(store)).toEqual(all);
    expect(await read(store, Date.UTC(2026, 11, 1))).toMatchObject({ route: [["GET /a", 1, 3]] });
    expect(await read(store, Date.UTC(2026, 9, 31))).toMatchObject({ route: [] });
    await store.recordReorganised(chainId, 80, 8);
    expect(await read(store)).toEqual({ resource: [], route: [], payer: [] });
    await confirm(store, ids, 91);
    await confirm(store, ids, 91);
    expect(await read(store)).toEqual(all);
    const december = Date.UTC(2026, 11, 1);
    expect(await customersOf(store, "amount")).toEqual([
      // The sale of December is still reorganised out; when it was made stays known.
      { ...customerOf(), payer, settlements: 2, units: 12n, lastAt: december },
      { ...customerOf(), payer: other, settlements: 1, units: 9n },
    ]);
    const mostRecent = [payer, other];
    const found = await customersOf(store, "recent");
    expect(found.map(({ payer: one }) => one)).toEqual(mostRecent);
    await store.close();
    await bench.stop();
  });

  /** All pages of one customer each. */
  async function customersOf(store: ServiceStore, order: CustomerOrder) {
    const all: Customer[] = [];
    let from: RankedCursor | undefined;
    do {
      const query = { chainId, order };
      const { items, next } = await store.listCustomers(account, query, { from, limit: 1 });
      all.push(...items.map((item) => ({ ...item, account })));
      from = next ?? undefined;
    } while (from !== undefined);
    return all;
  }

  test("pages follow the revenue, those of a file the names, each at its bound", async () => {
    const bench = await start();
    const store = await bench.open();
    const amounts = [5n, 9n, 9n, 10n, 9n, 100n];
    const sales = amounts.map((amount, index) => sale(amount, `GET /${index}`));
    await store.claimSettlements(sales, month);
    const ids = sales.map(({ id }) => id);
    await confirm(store, ids, 90);
    const of = { chainId, basis: "route", month: monthOf(month) } as const;
    const whole = async (list: ServiceStore["listRevenue"]) => {
      const pages: string[][] = [];
      let from: RankedCursor | undefined;
      do {
        const { items, next } = await list(account, of, { from, limit: 2 });
        pages.push(items.map(({ name }) => name.slice("GET /".length)));
        from = next ?? undefined;
      } while (from !== undefined);
      return pages;
    };
    expect(await whole(store.listRevenue)).toEqual([
      ["5", "3"],
      ["4", "2"],
      ["1", "0"],
    ]);
    const inOrder = [
      ["0", "1"],
      ["2", "3"],
      ["4", "5"],
    ];
    expect(await whole(store.listRevenueByName)).toEqual(inOrder);
    const found = await store.findRevenue(account, of, ["GET /3", "GET /9"]);
    expect([...found.values()]).toEqual([{ name: "GET /3", settlements: 1, units: 10n }]);
    // What a reorganisation has left nothing of is not shown.
    await store.recordReorganised(chainId, 80, 8);
    expect(await whole(store.listRevenueByName)).toEqual([[], [], []]);
    await store.close();
    await bench.stop();
  });

  test("a refund is no revenue, and takes none away", async () => {
    const bench = await start();
    const store = await bench.open();
    const sold = sale(5n, "GET /a");
    await store.claimSettlements([sold], month);
    await confirm(store, [sold.id], 90);
    await store.recordFinalized(chainId, 90, month + 2);
    const before = await read(store);
    const payment = await store.findSettlement(sold.id);
    if (!payment) throw new Error("the payment is missing");
    const refund = sale(5n, "GET /a", {
      payer: payment.payTo,
      payTo: payment.payer,
      nonce: refundNonce(payment, 0),
      refund: { of: sold.id, unitsMin: 1n },
    });
    await store.claimSettlements([refund], month + 3);
    await confirm(store, [refund.id], 91);
    expect(await store.findSettlement(refund.id)).toMatchObject({ state: "confirmed" });
    expect(await read(store)).toEqual(before);
    await store.recordReorganised(chainId, 90, 8);
    expect(await read(store)).toEqual(before);
    await store.close();
    await bench.stop();
  });

  test("one that an earlier version confirmed is not subtracted", async () => {
    const bench = await start();
    const store = await bench.open();
    const [counted, uncounted] = [sale(5n, "GET /a"), sale(7n, "GET /a")];
    await store.claimSettlements([counted, uncounted], month);
    await confirm(store, [counted.id, uncounted.id], 90);
    await bench.query(
      `update settlement_books set is_counted = 0 where settlement_id = '${uncounted.id}'`,
    );
    await store.recordReorganised(chainId, 80, 8);
    expect(await read(store)).toMatchObject({ route: [["GET /a", 1, 7]] });
    await store.close();
    await bench.stop();
  });
});

test.each([
  // Seven days have begun, so seven days are compared.
  ["2026-11-07T00:00:00Z", "2026-10-01T00:00:00Z", "2026-10-08T00:00:00Z"],
  // The month before is shorter.
  ["2026-03-31T12:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"],
])("at %s the month is compared with the time from %s to before %s", (now, since, before) => {
  const nowMs = Date.parse(now);
  const month = monthOf(nowMs);
  expect(spansOf(month, nowMs).before).toEqual({
    since: Date.parse(since),
    before: Date.parse(before),
  });
  // Once it is over, with all of the month before.
  expect(spansOf(month, nowMs + 60 * dayMs).before.before).toBe(spansOf(month, nowMs).month.since);
});

describe("over HTTP", () => {
  let devnet: Devnet;
  let served: Served;
  let letGo: () => void;
  let seller: Browser;
  let key: string;
  beforeAll(async () => {
    devnet = await startChain();
    served = await serveOn(devnet, { selfBuilt: false });
    key = await keyIn(served.databaseUrl, devnet.seller.address);
    seller = await openSignedIn(served, { wallet: devnet.seller });
    letGo = holdAnswers(served.url, await readContract(served.url));
  });
  afterAll(async () => {
    letGo?.();
    await served?.stop();
    await devnet?.stop();
  });

  const read = async (query: string): Promise<JsonObject> =>
    (await seller.get(`/v1/account/revenue?${query}`)).body;

  test("a month on one network, the names with the most revenue first, with its whole", async () => {
    for (const route of ["GET /a", "GET /b", "GET /b", undefined]) {
      const body = bodyOn(devnet);
      const answer = await served.post("/settle", body, {
        authorization: `Bearer ${key}`,
        prefer: "wait=20",
        ...(route === undefined ? {} : { "x-payment-route": route }),
      });
      expect(answer.body).toMatchObject({ success: true });
    }
    const { body: sold } = await seller.get("/v1/account/settlements?limit=1");
    const [newest] = Array.isArray(sold["settlements"]) ? sold["settlements"] : [];
    const { amount, payer: buyer, createdAt } = Object(newest);
    const price = BigInt(amount);
    const month = String(createdAt).slice(0, "2026-11".length);
    const total = { settlements: 4, amount: `${price * 4n}` };
    const nothing = { settlements: 0, amount: "0" };
    // The service has no mainnet, so its one network is meant.
    expect(await read(`by=route&month=${month}`)).toEqual({
      month,
      network: "eip155:51",
      by: "route",
      total,
      before: { ...nothing, from: expect.stringMatching(/-01$/), to: expect.any(String) },
      names: [
        { name: "GET /b", settlements: 2, amount: `${price * 2n}`, before: nothing },
        { name: "GET /a", settlements: 1, amount: `${price}`, before: nothing },
      ],
      next: null,
    });
    const first = await read(`network=eip155:51&by=route&month=${month}&limit=1`);
    expect(first).toMatchObject({ total, names: [{ name: "GET /b" }] });
    const rest = await read(`by=route&month=${month}&limit=1&cursor=${String(first["next"])}`);
    expect(rest).toMatchObject({ total, names: [{ name: "GET /a" }], next: null });
    expect(await seller.download("/v1/account/revenue?by=route&format=csv")).toEqual([
      "month,network,by,name,settlements,amount",
      `${month},eip155:51,route,GET /a,1,${price}`,
      `${month},eip155:51,route,GET /b,2,${price * 2n}`,
    ]);
    const customers = (await seller.get("/v1/account/customers")).body["customers"];
    expect(customers).toMatchObject([{ payer: buyer, ...total, lastAt: createdAt }]);
    const lines = await seller.download("/v1/account/customers?format=csv");
    expect(lines).toEqual([
      "network,payer,settlements,amount,first_at,last_at",
      expect.stringMatching(new RegExp(`^eip155:51,${buyer},4,${price * 4n},.*,${createdAt}$`)),
    ]);
    expect((await seller.get("/v1/account/customers?network=eip155:50")).body).toEqual({
      customers: [],
      next: null,
    });
    expect(await read(`network=eip155:51&by=payer&month=${month}`)).toMatchObject({
      names: [{ name: buyer, ...total }],
    });
    // Live money is another sum.
    const live = { total: nothing, names: [] };
    expect(await read(`network=eip155:50&month=${month}`)).toMatchObject(live);
    expect(await read("network=eip155:51&month=2020-01")).toMatchObject(live);
  });

  test("beside the month before: each name, and the whole up to the same day", async () => {
    const now = Date.now();
    const before = monthOf(now) - 1;
    const first = Date.UTC(Math.floor(before / 12), before % 12);
    const account = devnet.seller.address.toLowerCase();
    using database = new DatabaseSync(served.databaseUrl.slice("sqlite:".length));
    database.exec(`insert into usage_days values ('${account}', ${dayOf(first)}, 51, 'confirmed', 3, 30, 0);
      insert into revenue_months values ('${account}', 51, 'route', ${before}, 'GET /b', 2, 20)`);
    const body = await read("by=route");
    expect(body["before"]).toMatchObject({ settlements: 3, amount: "30" });
    expect(body["names"]).toMatchObject([
      { name: "GET /b", before: { settlements: 2, amount: "20" } },
      { name: "GET /a", before: { settlements: 0, amount: "0" } },
    ]);
  });

  test.each([
    "month=2026-13",
    "by=amount",
    "network=base",
    "cursor=1",
    "cursor=07.YQ",
    "cursor=1._",
  ])("%s is refused", async (query) => {
    expect(await read(query)).toMatchObject({ error: "invalid_request" });
  });
});
