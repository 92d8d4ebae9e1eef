/**
 * Exchanges over HTTP: who is told that a payment succeeded, how often, and by which name. What stock
 * sellers make of it is tested in tools/e2e/sellers/stock-repeats.test.ts, sellers that poll in
 * polling-sellers.test.ts.
 */
import type { Devnet } from "@farthing/devnet";
import { apothem, type JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { payerPaymentsMax } from "@farthing/engine/source/storage/exchange-store";
import {
  bodyOn,
  newDatabaseUrl,
  newNonce,
  payerAndNonceOf,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  withMember,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import { keyIn } from "../support/api-keys.testing.ts";
import { openStore } from "../../src/features/open-store.ts";

let devnet: Devnet;
let served: Served;
let bearer: { authorization: string };

/** Callers are told apart by the address that the trusted proxy, which is the test, names. */
const env = { FARTHING_TRUSTED_PROXIES: "127.0.0.1" };
const seller = { "x-forwarded-for": "192.0.2.1" };
const thirdParty = { "x-forwarded-for": "198.51.100.9" };

beforeAll(async () => {
  devnet = await startChain({ buyers: 4, relayers: 4 });
  const databaseUrl = newDatabaseUrl();
  bearer = { authorization: `Bearer ${await keyIn(databaseUrl, devnet.seller.address)}` };
  served = await serveOn(devnet, { selfBuilt: false, databaseUrl, env });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});
const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);
afterEach(async () => {
  await automine(true);
});

const hosted = "/api/facilitator";

type Headers = Readonly<Record<string, string>>;

const verify = async (body: JsonObject, headers: Headers = seller) =>
  (await served.post(`${hosted}/verify`, body, headers)).body;
const settle = async (body: JsonObject, headers: Headers = seller, at = served) =>
  (await at.post(`${hosted}/settle`, body, headers)).body;
const settlePublic = async (body: JsonObject, headers: Headers = {}) =>
  (await served.post("/settle", body, { ...bearer, ...headers })).body;

function upfront(body = bodyOn(devnet)): JsonObject {
  return withMember(body, "paymentRequirements.extra.paymentFlow", "upfront");
}

/** What is told to another exchange: everything but the success, and the id that sellers serve by. */
function expectFacts(again: JsonObject, first: JsonObject, errorReason = "already_settled"): void {
  const isOpen = errorReason === "settlement_pending";
  expect(again).toMatchObject({
    success: false,
    errorReason,
    status: isOpen ? "pending" : "confirmed",
    payer: first["payer"],
    network: first["network"],
    amount: first["amount"],
    extra: { replayed: true, settlementId: textAt(first, "extra.settlementId") },
  });
  if (!isOpen) expect(again["transaction"]).toBe(first["transaction"]);
  expect(again).not.toHaveProperty("id");
}

function withoutFlow(body: JsonObject): JsonObject {
  return withMember(body, "paymentRequirements.extra.paymentFlow", undefined);
}

describe("one exchange", () => {
  test("a client of the service description alone settles twice: the same success twice", async () => {
    for (const verifies of [0, 1]) {
      const body = bodyOn(devnet);
      for (let asked = 0; asked < verifies; asked++) await verify(body);
      const first = await settle(body);
      expect(first).toMatchObject({ success: true, id: expect.any(String) });
      for (let asked = 0; asked < 2; asked++) {
        const { extra, ...same } = await settle(body);
        expect({ ...same, extra: { ...Object(extra), replayed: undefined } }).toEqual(first);
      }
      expect(await usesOf(devnet, body)).toHaveLength(1);
    }
  });

  test("nonce, log index and who sent it stand beside the settlement's id", async () => {
    const body = bodyOn(devnet);
    const first = await settle(body);
    const { nonce } = payerAndNonceOf(body);
    const named = { nonce, logIndex: expect.any(Number), settledBy: "relayer" };
    expect(first).toMatchObject({ extra: named });
    const { body: page } = await served.get(`${hosted}/settlements/${textAt(first, "id")}`);
    expect(page).toMatchObject({ extra: named });
  });

  test("a third party that verifies and settles spoils no sale", async () => {
    const body = bodyOn(devnet);
    await verify(body);
    await automine(false);
    const pending = await settle(body, { ...seller, prefer: "respond-async" });
    expect(await verify(body, thirdParty)).toMatchObject({ isValid: false });
    const theirs = settle(body, thirdParty);
    await devnet.mine();
    await theirs;
    expect(await settle(body)).toMatchObject({ success: true, id: pending["id"] });
  });
});

describe("several exchanges", () => {
  test("the claiming caller is told the success once, and all others the facts", async () => {
    const body = bodyOn(devnet);
    await verify(body);
    await verify(body, thirdParty);
    const first = await settle(body);
    expect(first).toMatchObject({ success: true, id: expect.any(String) });
    for (const caller of [seller, thirdParty]) expectFacts(await settle(body, caller), first);
  });

  test("a call that was answered pending leaves the success to its caller's next one", async () => {
    const body = bodyOn(devnet);
    for (const caller of [seller, thirdParty]) await verify(body, caller);
    await automine(false);
    const first = await settle(body, { ...seller, prefer: "wait=1" });
    expect(first).toMatchObject({ errorReason: "settlement_pending", id: expect.any(String) });
    const now = { prefer: "respond-async" };
    for (const caller of [seller, thirdParty]) {
      expectFacts(await settle(body, { ...caller, ...now }), first, "settlement_pending");
    }
    await devnet.mine();
    const confirmed = {
      ...first,
      transaction: textAt(await settle(body, thirdParty), "transaction"),
    };
    const told = await settle(body);
    expect(told).toMatchObject({ success: true, extra: { replayed: true } });
    // Sellers poll and serve by the id: only the first response has it.
    expect(told).not.toHaveProperty("id");
    expectFacts(await settle(body), confirmed);
  });

  test("upfront: one success, at once and afterwards, whatever was verified", async () => {
    const body = upfront();
    const answers = await Promise.all(Array.from({ length: 12 }, () => settle(body)));
    answers.push(await settle(body), await settle(withoutFlow(body)));
    const told = answers.filter(({ success }) => success === true);
    expect(told).toHaveLength(1);
    for (const answer of answers) {
      if (answer["success"] !== true) expectFacts(answer, told[0] ?? {});
    }
  });

  test("an upfront repeat of a payment that was verified is another exchange", async () => {
    const body = bodyOn(devnet);
    await verify(body);
    const first = await settle(body);
    expectFacts(await settle(upfront(body)), first);
    expect(await settle(body)).toMatchObject({ success: true, id: first["id"] });
  });
});

describe("Idempotency-Key", () => {
  const key = { "idempotency-key": "0123456789abcdef0123456789abcdef" };
  const own = { replayed: true, ownExchange: true };

  test("of the claiming call gives the present state whole, several exchanges or not", async () => {
    const body = upfront();
    await automine(false);
    const first = await settlePublic(body, key);
    expect(first).toMatchObject({ errorReason: "settlement_pending", id: expect.any(String) });
    const again = await settlePublic(body, { ...key, prefer: "respond-async" });
    expect(again).toMatchObject({ id: first["id"], status: "pending", extra: own });
    await devnet.mine();
    for (let asked = 0; asked < 2; asked++) {
      const told = await settlePublic(body, key);
      expect(told).toMatchObject({ success: true, id: first["id"], extra: own });
    }
    expect(await settlePublic(body)).toMatchObject({ success: false });
  });

  test("another one, or one where the claiming call had none, is another exchange", async () => {
    const [named, nameless] = [bodyOn(devnet), bodyOn(devnet)];
    const first = await settle(named, { ...seller, ...key });
    expectFacts(await settle(named, { ...seller, "idempotency-key": "another" }), first);
    // Without one it is the exchanges that count.
    expect(await settle(named)).toMatchObject({ success: true, id: first["id"] });
    const claimed = await settle(nameless);
    expectFacts(await settle(nameless, { ...seller, ...key }), claimed);
  });

  test.each(["", "x".repeat(256), "tab\tand", "ümlaut"])("%j is refused", async (text) => {
    const headers = { ...seller, "idempotency-key": Buffer.from(text).toString("latin1") };
    const body = bodyOn(devnet);
    const { status, body: answer } = await served.post(`${hosted}/settle`, body, headers);
    expect([status, answer["error"]]).toEqual([400, "invalid_request"]);
    expect(await usesOf(devnet, body)).toEqual([]);
  });
});

describe("FARTHING_REPEAT_AFTER_SUCCESS", () => {
  test.each(["once", "return", "refuse"])("%s", async (policy) => {
    const settings = { ...env, FARTHING_REPEAT_AFTER_SUCCESS: policy };
    const other = await serveOn(devnet, { selfBuilt: false, wallets: [1], env: settings });
    const body = bodyOn(devnet);
    for (let asked = 0; asked < 2; asked++) await other.post(`${hosted}/verify`, body, seller);
    const plain = bodyOn(devnet);
    const ask = (of: JsonObject) => settle(of, seller, other);
    const [first, again, plainFirst, plainAgain] = [
      await ask(body),
      await ask(body),
      await ask(plain),
      await ask(plain),
    ];
    await other.stop();
    for (const one of [first, plainFirst]) expect(one).toMatchObject({ success: true });
    for (const [one, before] of [
      [again, first],
      [plainAgain, plainFirst],
    ] as const) {
      if (policy === "once") expectFacts(one, before);
      if (policy === "return") expect(one).toMatchObject({ success: true, id: before["id"] });
      if (policy === "refuse") {
        expect(one).toMatchObject({
          success: false,
          errorReason: "nonce_already_used",
          transaction: before["transaction"],
        });
      }
    }
  });
});

test("a payer who opens exchanges without end is told to wait, and others are not", async () => {
  const { address: payer } = walletAt(devnet.buyers, 3);
  const store = await openStore(served.databaseUrl);
  const { usdc: asset, chainId } = apothem;
  const forgetAt = Date.now() + 3_600_000;
  const openings = Array.from({ length: payerPaymentsMax }, () => ({
    chainId,
    asset,
    payer,
    nonce: newNonce(),
    forgetAt,
  }));
  await store.openExchanges(openings, Date.now());
  await store.close();
  const body = bodyOn(devnet, { payer: walletAt(devnet.buyers, 3) });
  const refused: Answer = await served.post(`${hosted}/verify`, body, seller);
  expect([refused.status, refused.body["error"]]).toEqual([429, "payer_limited"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await verify(bodyOn(devnet))).toMatchObject({ isValid: true });
});
