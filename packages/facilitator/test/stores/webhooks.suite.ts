/** What every store promises about webhooks: what is told, to whom, and how often it is tried. */
import { isObject, refundNonce, type Address, webhookEvents } from "@farthing/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { WebhookDelivery, WebhookEndpoint } from "../../src/features/webhooks/model.ts";
import { bringPurchase, purchaseSteps } from "./purchase-values.testing.ts";
import { storeForEach, type StoreAt } from "./store-benches.testing.ts";
import { chainId, claimOf, fund, minedIn, next, type StoreBench } from "./store-values.testing.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";

const seller: Address = `0x${"33".repeat(20)}`;
const other: Address = `0x${"44".repeat(20)}`;

/** The tests, on databases that `start` makes. */
export function webhooksSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);
  beforeEach(async () => {
    for (const account of [seller, other]) await at().store.ensureAccount(account, 1);
  });
  afterEach(async () => {
    expect(await at().store.auditCredits(10)).toEqual([]);
  });

  describe("webhooks", () => webhookTests(at));
  describe("deliveries", () => pauseTests(at));
  describe("the outbox", () => outboxTests(at));
}

/** An endpoint that hears of everything; gives it. */
async function listening(store: ServiceStore, changes: Partial<WebhookEndpoint> = {}) {
  const endpoint: WebhookEndpoint = {
    id: `whk_${next()}`,
    account: seller,
    channel: "webhook",
    url: "https://shop.example/hook",
    secret: "whsec_x",
    events: webhookEvents,
    createdAt: next(),
    disabledAt: null,
    pausedAt: null,
    isPausedByOwner: false,
    ...changes,
  };
  expect(await store.createWebhook(endpoint, { endpointsMax: 5 })).toBe(true);
  return endpoint;
}

/** A delivery in the outbox; gives its id. */
async function delivering(store: ServiceStore, endpoint: WebhookEndpoint, createdAt = 1_000) {
  const id = `evt_${next()}`;
  const { id: endpointId, account } = endpoint;
  const type = "webhook.test";
  await store.addDelivery({ id, endpointId, account, type, body: "{}", createdAt });
  return id;
}

/** Takes whatever is due. */
const take = (store: ServiceStore, now: number) =>
  store.takeDueDeliveries({ now, leaseMs: 100, limit: 10 });

function webhookTests(at: StoreAt): void {
  test("are the account's own, as many as may be, until they are disabled", async () => {
    const { store } = at();
    const endpoint = await listening(store);
    expect(await store.listWebhooks(seller)).toEqual([endpoint]);
    expect(await store.findWebhook(seller, endpoint.id)).toEqual(endpoint);
    expect(await store.findWebhook(other, endpoint.id)).toBeUndefined();
    expect(await store.disableWebhook(other, endpoint.id, 5)).toBe(false);
    const another = { ...endpoint, id: `whk_${next()}` };
    expect(await store.createWebhook(another, { endpointsMax: 1 })).toBe(false);
    const id = await delivering(store, endpoint);
    expect(await store.disableWebhook(seller, endpoint.id, 5)).toBe(true);
    expect(await store.disableWebhook(seller, endpoint.id, 5)).toBe(false);
    expect(await store.listWebhooks(seller)).toEqual([]);
    const { items } = await store.listDeliveries(endpoint.id, { limit: 5 });
    expect(items).toMatchObject([{ id, state: "failed" }]);
    expect(await store.createWebhook(another, { endpointsMax: 1 })).toBe(true);
  });

  test("are delivered by one at a time, and tried again when their end is not recorded", async () => {
    const { bench, store } = at();
    const second = bench.isConcurrent ? await bench.open() : store;
    const endpoint = await listening(store);
    const ids = [await delivering(store, endpoint), await delivering(store, endpoint)];
    expect(await take(store, 999)).toEqual([]);
    const taken = (await Promise.all([take(store, 1_000), take(second, 1_000)])).flat();
    expect(taken.map(({ delivery }) => delivery.id).toSorted()).toEqual(ids.toSorted());
    expect(taken[0]).toMatchObject({ endpoint, delivery: { attempts: 1, nextAt: 1_100 } });
    expect(await take(store, 1_099)).toEqual([]);
    const [delivered, failing] = ids.map(String);
    const done = { isDelivered: true, status: 204, error: null, retryAt: null };
    await store.recordAttempt(String(delivered), done, 1_050);
    const refused = { isDelivered: false, status: 500, error: "e", retryAt: 5_000 };
    await store.recordAttempt(String(failing), refused, 1_050);
    expect(await take(store, 4_999)).toEqual([]);
    expect(await take(store, 5_000)).toMatchObject([{ delivery: { id: failing, attempts: 2 } }]);
    await store.recordAttempt(String(failing), { ...refused, retryAt: null }, 5_050);
    // What has ended stays as it ended.
    await store.recordAttempt(String(delivered), refused, 6_000);
    const { items } = await store.listDeliveries(endpoint.id, { limit: 5 });
    const byId = new Map(items.map((item) => [item.id, item]));
    expect(byId.get(String(delivered))).toMatchObject({
      state: "delivered",
      lastStatus: 204,
      deliveredAt: 1_050,
    });
    expect(byId.get(String(failing))).toMatchObject({ state: "failed", lastError: "e" });
    if (second !== store) await second.close();
  });

  test("are sent again by hand, and removed when they are old", async () => {
    const { store } = at();
    const endpoint = await listening(store);
    const id = await delivering(store, endpoint);
    await store.takeDueDeliveries({ now: 1_000, leaseMs: 100, limit: 10 });
    const failed = { isDelivered: false, status: null, error: "no answer", retryAt: null };
    await store.recordAttempt(id, failed, 1_050);
    expect(await store.resendDelivery("whk_none", id, 2_000)).toBeUndefined();
    expect(await store.resendDelivery(endpoint.id, id, 2_000)).toMatchObject({
      state: "pending",
      attempts: 0,
      nextAt: 2_000,
    });
    const due = await store.takeDueDeliveries({ now: 2_000, leaseMs: 100, limit: 10 });
    expect(due.map(({ delivery }) => delivery.id)).toEqual([id]);
    const removed: string[] = [];
    const keep = async (some: readonly WebhookDelivery[]) =>
      void removed.push(...some.map((one) => one.id));
    expect(await store.removeDeliveries(1_000, 10, keep)).toBe(0);
    // Where it cannot be exported it stays.
    await expect(
      store.removeDeliveries(1_001, 10, () => Promise.reject(new Error("no space"))),
    ).rejects.toThrow();
    expect(await store.removeDeliveries(1_001, 10, keep)).toBe(1);
    expect(removed).toEqual([id]);
    expect(await store.listDeliveries(endpoint.id, { limit: 5 })).toEqual({
      items: [],
      next: null,
    });
  });
}

/** Lets deliveries of an endpoint end, in order: delivered or given up. */
async function ending(
  store: ServiceStore,
  endpoint: WebhookEndpoint,
  now: number,
  ...ends: boolean[]
) {
  for (const isDelivered of ends) {
    const id = await delivering(store, endpoint, now);
    await store.recordAttempt(id, { isDelivered, status: 500, error: null, retryAt: null }, now);
  }
}

/** What the outbox holds for an endpoint, the oldest first, without ids. */
async function told(store: ServiceStore, endpoint: WebhookEndpoint) {
  const { items } = await store.listDeliveries(endpoint.id, { limit: 100 });
  return items
    .toSorted((one, two) => one.createdAt - two.createdAt)
    .map(({ type, body }) => {
      const parsed: unknown = JSON.parse(body);
      const data = isObject(parsed) && isObject(parsed["data"]) ? parsed["data"] : {};
      return { type, ...data };
    });
}

function pauseTests(at: StoreAt): void {
  test("pause when nothing arrives for long, and go on when their owner says so", async () => {
    const { store } = at();
    const endpoint = await listening(store, { createdAt: 1_000 });
    const terms = { quietMs: 500, failuresMin: 2 };
    const pause = (now: number) => store.pauseWebhook(endpoint.id, { ...terms, now });
    await ending(store, endpoint, 1_100, true, false, false);
    // Too young; then something had arrived in between; then too little had failed.
    expect(await pause(1_400)).toBe(false);
    expect(await pause(1_550)).toBe(false);
    expect(await store.pauseWebhook(endpoint.id, { quietMs: 0, failuresMin: 3, now: 2_000 })).toBe(
      false,
    );
    const waiting = await delivering(store, endpoint, 1_650);
    expect(await pause(1_700)).toBe(true);
    expect(await pause(1_700)).toBe(false);
    expect(await store.findWebhook(seller, endpoint.id)).toMatchObject({ pausedAt: 1_700 });
    expect(await take(store, 2_000)).toEqual([]);
    const { items } = await store.listDeliveries(endpoint.id, { limit: 1 });
    expect(items).toMatchObject([{ id: waiting, state: "failed" }]);
    await store.grantCredits(
      { account: seller, kind: "grant", credits: 1, actor: "a", note: null },
      1,
    );
    const resumed = { isPaused: false, now: 3_000 };
    expect(await store.changeWebhook(other, endpoint.id, resumed)).toBeUndefined();
    expect(await store.changeWebhook(seller, endpoint.id, resumed)).toMatchObject({
      pausedAt: null,
    });
    await ending(store, endpoint, 3_100, false);
    expect(await pause(3_200)).toBe(false);
  });

  test("pause and take other events when their owner says so", async () => {
    const { store } = at();
    const endpoint = await listening(store);
    const waiting = await delivering(store, endpoint);
    const now = 2_000;
    const events = ["credits.low"] as const;
    expect(await store.changeWebhook(seller, endpoint.id, { events, now })).toMatchObject({
      events,
      pausedAt: null,
    });
    const pausing = { isPaused: true, now };
    expect(await store.changeWebhook(other, endpoint.id, pausing)).toBeUndefined();
    const paused = { events, pausedAt: now, isPausedByOwner: true };
    expect(await store.changeWebhook(seller, endpoint.id, pausing)).toMatchObject(paused);
    expect(await store.findWebhook(seller, endpoint.id)).toMatchObject(paused);
    expect(await take(store, 9_000)).toEqual([]);
    const { items } = await store.listDeliveries(endpoint.id, { limit: 1 });
    expect(items).toMatchObject([{ id: waiting, state: "failed" }]);
    const resumed = { isPaused: false, now: 3_000 };
    expect(await store.changeWebhook(seller, endpoint.id, resumed)).toMatchObject({
      pausedAt: null,
      isPausedByOwner: false,
    });
  });

  test("of full endpoints wait, and hold nobody else's up", async () => {
    const { store } = at();
    const [full, free] = [await listening(store), await listening(store)];
    await delivering(store, full);
    const id = await delivering(store, free);
    const options = { now: 1_000, leaseMs: 100, limit: 10, exceptEndpoints: [full.id] };
    const due = await store.takeDueDeliveries(options);
    expect(due.map(({ delivery }) => delivery.id)).toEqual([id]);
  });

  test("go first to the endpoint that has waited longest, and to as many as may be taken", async () => {
    const { store } = at();
    const [late, early, future] = [
      await listening(store),
      await listening(store),
      await listening(store),
    ];
    await delivering(store, future, 9_000);
    const second = [await delivering(store, late, 800), await delivering(store, late, 900)];
    const first = [await delivering(store, early, 700), await delivering(store, early, 950)];
    const taken = async () => {
      const due = await store.takeDueDeliveries({ now: 1_000, leaseMs: 100, limit: 3 });
      return due.map(({ delivery }) => delivery.id).toSorted();
    };
    expect(await taken()).toEqual([...first, second[0] ?? ""].toSorted());
    expect(await taken()).toEqual([second[1]]);
    expect(await taken()).toEqual([]);
  });
}

function outboxTests(at: StoreAt): void {
  test("what waits is counted by channel, and not once it was delivered", async () => {
    const { store } = at();
    const { webhook, email } = await store.countWaitingDeliveries();
    const id = await delivering(store, await listening(store));
    await delivering(store, await listening(store, { channel: "email" }));
    const waiting = { webhook: webhook + 1, email: email + 1 };
    expect(await store.countWaitingDeliveries()).toEqual(waiting);
    const end = { isDelivered: true, status: 200, error: null, retryAt: null };
    await store.recordAttempt(id, end, 2_000);
    expect(await store.countWaitingDeliveries()).toEqual({ webhook, email: email + 1 });
  });

  test("tells of a settlement's outcome, whoever wants to hear of it", async () => {
    const { store } = at();
    const [all, some] = [
      await listening(store),
      await listening(store, { events: ["settlement.failed"] }),
    ];
    const theirs = await listening(store, { account: other });
    const [one, two, their] = [
      claimOf({ account: seller }),
      claimOf({ account: seller }),
      claimOf({ account: other }),
    ];
    await store.claimSettlements([one, two, their], 1_000);
    await store.recordConfirmed(
      [one, their].map(({ id }) => ({ id, mined: minedIn(5) })),
      2_000,
    );
    const reverted = { code: "transaction_reverted", message: "m", transaction: null } as const;
    await store.recordFailed([{ id: two.id, ...reverted }], 3_000);
    await store.recordFinalized(chainId, 5, 4_000);
    expect(await told(store, all)).toMatchObject([
      { type: "settlement.confirmed", id: one.id, network: "eip155:51", amount: "10" },
      { type: "settlement.failed", id: two.id, failure: "transaction_reverted", credits: 0 },
      { type: "settlement.finalized", id: one.id, finalizedAt: "1970-01-01T00:00:04.000Z" },
    ]);
    expect(await told(store, some)).toMatchObject([{ type: "settlement.failed", id: two.id }]);
    expect(await told(store, theirs)).toMatchObject([{ id: their.id }, { id: their.id }]);
  });

  test("tells of a refund once it is final; it costs credits and is no income", async () => {
    const { store } = at();
    await fund(store, seller, 5);
    const payment = claimOf({ account: seller, payTo: seller, price: 1 });
    await store.claimSettlements([payment], 1_000);
    await store.recordConfirmed([{ id: payment.id, mined: minedIn(5) }], 2_000);
    await store.recordFinalized(chainId, 5, 3_000);
    const endpoint = await listening(store);
    const refund = claimOf({
      account: seller,
      payer: seller,
      payTo: payment.payer,
      nonce: refundNonce(payment, 0),
      amount: 4n,
      price: 1,
      refund: { of: payment.id, unitsMin: 1n },
    });
    await store.claimSettlements([refund], 4_000);
    const reverted = { code: "transaction_reverted", message: "m", transaction: null } as const;
    await store.recordFailed([{ id: refund.id, ...reverted }], 5_000);
    await store.claimSettlements([refund], 6_000);
    await store.recordConfirmed([{ id: refund.id, mined: minedIn(6) }], 7_000);
    expect(await told(store, endpoint)).toEqual([]);
    await store.recordFinalized(chainId, 6, 8_000);
    expect(await told(store, endpoint)).toMatchObject([
      { type: "settlement.refunded", id: refund.id, refundOf: payment.id, amount: "4" },
    ]);
    expect(await store.listUsage(seller, { since: 0, before: 86_400_000, chainId })).toMatchObject([
      { settled: 1, failed: 0, pending: 0, units: 10n, credits: 2 },
    ]);
    expect(await store.findCredits(seller)).toEqual({ available: 3, held: 0 });
  });

  test("tells of low credits once per crossing", async () => {
    const { store } = at();
    const endpoint = await listening(store);
    await store.updateAccount(seller, { lowCreditsAt: 5 });
    await fund(store, seller, 7);
    const claim = (now: number) =>
      store.claimSettlements([claimOf({ account: seller, price: 1 })], now);
    for (let now = 1; now <= 6; now++) await claim(now);
    expect(await told(store, endpoint)).toEqual([{ type: "credits.low", available: 4, lowAt: 5 }]);
    await fund(store, seller, 5);
    await claim(7);
    await claim(8);
    expect(await told(store, endpoint)).toHaveLength(2);
  });

  test("tells of low credits when a refund is signed again, at its first price", async () => {
    const { store } = at();
    await fund(store, seller, 6);
    const payment = claimOf({ account: seller, payTo: seller, price: 1 });
    await store.claimSettlements([payment], 1_000);
    await store.recordConfirmed([{ id: payment.id, mined: minedIn(5) }], 2_000);
    await store.recordFinalized(chainId, 5, 3_000);
    const refundOf = (price: number) =>
      claimOf({
        account: seller,
        payer: seller,
        payTo: payment.payer,
        nonce: refundNonce(payment, 0),
        price,
        refund: { of: payment.id, unitsMin: 1n },
      });
    const first = refundOf(1);
    await store.claimSettlements([first], 4_000);
    const reverted = { code: "transaction_reverted", message: "m", transaction: null } as const;
    await store.recordFailed([{ id: first.id, ...reverted }], 5_000);
    await store.updateAccount(seller, { lowCreditsAt: 5 });
    const endpoint = await listening(store);
    await store.claimSettlements([refundOf(0)], 6_000);
    expect(await told(store, endpoint)).toEqual([{ type: "credits.low", available: 4, lowAt: 5 }]);
    await store.recordConfirmed([{ id: first.id, mined: minedIn(6) }], 7_000);
    expect(await store.findCredits(seller)).toEqual({ available: 4, held: 0 });
    expect(await store.auditCredits(10)).toEqual([]);
  });

  test("notifies of purchases that are held and credited", async () => {
    const { store } = at();
    const endpoint = await listening(store);
    const id = await bringPurchase(store, "held");
    await store.movePurchase(id, "held", purchaseSteps.credited(0), 3_000);
    expect(await told(store, endpoint)).toMatchObject([
      { type: "purchase.held", id, reason: "amount_above_limit", amount: "500000" },
      { type: "purchase.credited", id, credits: 500 },
    ]);
  });

  test("tells nothing of what was undone", async () => {
    const { bench, store } = at();
    const endpoint = await listening(store);
    const id = await bringPurchase(store, "confirmed");
    // The ledger has its entry already: the move is undone whole.
    await bench.query(
      `insert into credit_entries (account, kind, credits, purchase_id, created_at) values ('${seller}', 'purchase', 1, '${id}', 1)`,
    );
    await expect(
      store.movePurchase(id, "confirmed", purchaseSteps.credited(0), 3_000),
    ).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await store.findPurchase(id)).toMatchObject({ state: "confirmed" });
    expect(await told(store, endpoint)).toEqual([]);
  });
}
