/** Settling on a chain that makes its own blocks: many at once, the same one often, both faces. */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { systemClock } from "@farthing/engine/base";
import {
  bodyOn,
  countOf,
  newDatabaseUrl,
  oneCent,
  payerAndNonceOf,
  secondsFromNow,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  withMember,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import { openStore } from "../../src/features/open-store.ts";

let devnet: Devnet;
let served: Served;
let bearer: { authorization: string };

const wallets = [0, 1, 2, 3];

beforeAll(async () => {
  devnet = await startChain({ buyers: 20, relayers: 4, blockTimeSeconds: 1 });
  const databaseUrl = newDatabaseUrl();
  const store = await openStore(databaseUrl);
  const { address: account } = devnet.seller;
  const { text } = await createApiKey(store, systemClock, { account, mode: "test", label: "t" });
  bearer = { authorization: `Bearer ${text}` };
  served = await serveOn(devnet, { selfBuilt: false, wallets, databaseUrl, store });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const hosted = "/api/facilitator";
const settleHosted = (body: JsonObject, headers = {}) =>
  served.post(`${hosted}/settle`, body, headers);
const settlePublic = (body: JsonObject, headers = {}) =>
  served.post("/settle", body, { ...bearer, ...headers });
const page = (id: unknown, query = "") => served.get(`/settlements/${String(id)}${query}`, bearer);

/** How many transactions all relayer wallets have sent. */
async function sentByAll(): Promise<number> {
  const counts = wallets.map((at) => countOf(devnet, walletAt(devnet.relayers, at).address));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

test("a hundred payments of twenty payers at once: all confirmed, every balance right", async () => {
  const sent = await sentByAll();
  const before = await Promise.all(
    devnet.buyers.map(({ address }) => devnet.usdc.balanceOf(address)),
  );
  const received = await devnet.usdc.balanceOf(devnet.seller.address);
  const bodies = devnet.buyers.flatMap((payer) =>
    [1n, 2n, 3n, 4n, 5n].map((units) =>
      bodyOn(devnet, { payer, authorization: { value: units * oneCent } }),
    ),
  );
  const answers = await Promise.all(bodies.map((body) => settleHosted(body)));
  expect(answers.map(({ status, body }) => [status, body["status"]])).toEqual(
    answers.map(() => [200, "confirmed"]),
  );
  expect(new Set(answers.map(({ body }) => body["id"])).size).toBe(100);
  expect(await devnet.usdc.balanceOf(devnet.seller.address)).toBe(received + 300n * oneCent);
  for (const [index, { address }] of devnet.buyers.entries()) {
    expect(await devnet.usdc.balanceOf(address)).toBe((before[index] ?? 0n) - 15n * oneCent);
  }
  for (const [index, body] of bodies.entries()) {
    expect(await usesOf(devnet, body)).toEqual([answers[index]?.body["transaction"]]);
  }
  // One transaction each at most, and no gap: everything that was sent is in a block.
  expect((await sentByAll()) - sent).toBeLessThanOrEqual(100);
  for (const at of wallets) {
    const { address } = walletAt(devnet.relayers, at);
    const mined = await devnet.rpc<string>("eth_getTransactionCount", [address, "latest"]);
    expect(Number(mined)).toBe(await countOf(devnet, address));
  }
  // None of them has kept its place in the queue.
  const { body: status } = await served.get("/v1/status");
  expect(status).toMatchObject({ networks: [{ queued: 0 }] });
});

test("the same payment fifty times at once: one transaction, one id, one first answer", async () => {
  const sent = await sentByAll();
  const body = bodyOn(devnet);
  const answers = await Promise.all(Array.from({ length: 50 }, () => settleHosted(body)));
  const [first] = answers.filter(({ body: { extra } }) => !isReplayed(extra));
  expect(answers.filter(({ body: { extra } }) => !isReplayed(extra))).toHaveLength(1);
  for (const { status, body: answer } of answers) {
    expect(status).toBe(200);
    expect(answer).toMatchObject({
      success: true,
      id: first?.body["id"],
      transaction: first?.body["transaction"],
    });
  }
  expect(await usesOf(devnet, body)).toEqual([first?.body["transaction"]]);
  expect((await sentByAll()) - sent).toBe(1);
});

function isReplayed(extra: unknown): boolean {
  return typeof extra === "object" && extra !== null && "replayed" in extra;
}

const hash = expect.stringMatching(/^0x[0-9a-f]{64}$/);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The two objects of the service description, without the version that official software adds. */
const described = (body: JsonObject) => withMember(body, "x402Version", undefined);

describe("the public face answers before the block", () => {
  test("pending with id and hash, exactly; then the page shows the whole story", async () => {
    const body = described(bodyOn(devnet));
    const payer = walletAt(devnet.buyers, 0).address;
    const { nonce } = payerAndNonceOf(body);
    const { status, body: pending } = await settlePublic(body);
    expect(status).toBe(200);
    expect(pending).toEqual({
      id: expect.stringMatching(/^stl_[0-9a-f]{32}$/),
      status: "pending",
      success: false,
      errorReason: "settlement_pending",
      errorMessage: expect.stringMatching(/\w/),
      payer,
      transaction: hash,
      network: "eip155:51",
      amount: "10000",
      extra: { settlementId: pending["id"], nonce, x402Reason: "settlement_pending" },
    });
    const { body: confirmed } = await page(pending["id"], "?wait=20");
    expect(confirmed).toEqual({
      id: pending["id"],
      status: "confirmed",
      success: true,
      payer,
      transaction: pending["transaction"],
      network: "eip155:51",
      amount: "10000",
      extra: { settlementId: pending["id"], nonce, logIndex: 0, settledBy: "relayer" },
      state: "confirmed",
      asset: devnet.token,
      payTo: devnet.seller.address,
      blockNumber: expect.any(Number),
      logIndex: 0,
      confirmations: expect.any(Number),
      finalized: expect.any(Boolean),
      settledBy: "relayer",
      credits: 0,
      createdAt: time,
      submittedAt: time,
      confirmedAt: time,
      finalizedAt: confirmed["finalized"] === true ? expect.anything() : null,
      failedAt: null,
      recoveredAt: null,
      refundOf: null,
      refunds: [],
      refundedAmount: "0",
      // 0.001 USDC, the service's smallest amount.
      minRefundAmount: "1000",
    });
  });

  test("a repeat while it is pending waits for the outcome", async () => {
    const body = described(bodyOn(devnet));
    const { body: first } = await settlePublic(body);
    const { body: again } = await settlePublic(body);
    expect(again).toMatchObject({
      id: first["id"],
      success: true,
      status: "confirmed",
      transaction: first["transaction"],
      extra: { settlementId: first["id"], replayed: true },
    });
  });

  test("Prefer: wait=N waits, and says so", async () => {
    const { body, headers } = await settlePublic(described(bodyOn(devnet)), { prefer: "wait=10" });
    expect(body).toMatchObject({ success: true, status: "confirmed" });
    expect(headers.get("preference-applied")).toBe("wait=10");
  });

  test("a settlement becomes final", async () => {
    const { body } = await settlePublic(bodyOn(devnet), { prefer: "wait=10" });
    await devnet.mine(3);
    await expect
      .poll(async () => (await page(body["id"])).body)
      .toMatchObject({ finalized: true, finalizedAt: time, status: "confirmed" });
  });
});

describe("the hosted face answers after the block", () => {
  test.each(["v1", "v2", "flat-v2"] as const)("%s", async (shape) => {
    const { body } = await settleHosted(bodyOn(devnet, { shape }));
    expect(body).toMatchObject({
      success: true,
      transaction: hash,
      network: shape === "v1" ? "xdc-apothem" : "eip155:51",
    });
    expect(body).not.toHaveProperty("errorReason");
  });

  test("Prefer: respond-async does not wait", async () => {
    const message = bodyOn(devnet);
    const { body, headers } = await settleHosted(message, { prefer: "respond-async" });
    expect(body).toMatchObject({ success: false, status: "pending", transaction: hash });
    expect(headers.get("preference-applied")).toBe("respond-async");
    const repeat = await settleHosted(message, { prefer: "respond-async" });
    expect(repeat.body).toMatchObject({ id: body["id"], extra: { replayed: true } });
    expect((await settleHosted(message)).body).toMatchObject({ id: body["id"], success: true });
  });
});

describe("the public face waits for official software", () => {
  test("a body with x402Version is answered after the block, without any header", async () => {
    const { body, headers } = await settlePublic(bodyOn(devnet));
    expect(body).toMatchObject({ success: true, status: "confirmed", transaction: hash });
    expect(headers.get("preference-applied")).toBeNull();
  });

  test("Prefer: respond-async gets the id at once", async () => {
    const { body } = await settlePublic(bodyOn(devnet), { prefer: "respond-async" });
    expect(body).toMatchObject({ success: false, status: "pending", id: expect.any(String) });
  });
});

describe("the same nonce with other terms", () => {
  test.each(["pending", "confirmed"])("is refused with the first hash while %s", async (state) => {
    const window = { validAfter: 0n, validBefore: secondsFromNow(3_600) };
    const body = bodyOn(devnet, { authorization: window });
    const prefer = state === "pending" ? "respond-async" : "wait=20";
    const { body: first } = await settleHosted(body, { prefer });
    expect(first).toMatchObject({ status: state });
    const { nonce } = payerAndNonceOf(body);
    const others = [
      { value: 2n * oneCent },
      { to: devnet.treasury.address },
      { validAfter: 1n },
      { validBefore: window.validBefore + 1n },
    ];
    for (const other of others) {
      const authorization = { nonce, ...window, ...other };
      const { body: answer } = await settleHosted(bodyOn(devnet, { authorization }));
      expect(answer).toMatchObject({
        success: false,
        errorReason: "nonce_already_used",
        errorMessage: expect.stringMatching(/other terms; sign a new authorization/),
        extra: { x402Reason: "duplicate_settlement" },
      });
    }
    expectSame(await settleHosted(body), first);
  });

  test("of the same payment for another seller: the rule's own code", async () => {
    const body = bodyOn(devnet);
    await settleHosted(body, { prefer: "respond-async" });
    const other = { payTo: devnet.treasury.address, amount: "999999" };
    for (const [key, code] of [
      ["payTo", "pay_to_mismatch"],
      ["amount", "amount_mismatch"],
    ] as const) {
      const changed = withMember(body, `paymentRequirements.${key}`, other[key]);
      const { body: answer } = await settleHosted(changed);
      expect(answer).toMatchObject({ success: false, errorReason: code, transaction: "" });
    }
    expect((await settleHosted(body)).body).toMatchObject({ success: true });
  });
});

function expectSame(answer: Answer, first: JsonObject): void {
  expect(answer.body).toMatchObject({ success: true, id: first["id"] });
  expect(answer.body["transaction"]).toBe(first["transaction"]);
}
