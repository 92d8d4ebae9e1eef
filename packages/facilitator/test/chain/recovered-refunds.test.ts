/** Refunds that the database had lost: the money has gone back, and must not go back or buy again. */
import { DatabaseSync } from "node:sqlite";
import type { Devnet } from "@farthing/devnet";
import { systemClock } from "@farthing/engine/base";
import {
  toWireAuthorization,
  type Address,
  type Authorization,
  type JsonObject,
} from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";
import { mineToFinal } from "../../src/features/purchases/purchases.testing.ts";
import {
  bodyOn,
  environmentOn,
  newDatabaseUrl,
  oneCent,
  payerAndNonceOf,
  serveOn,
  signOn,
  startChain,
  textAt,
  walletAt,
  type Served,
  type ServeOptions,
} from "../support/facilitator.testing.ts";
import { backUp } from "../support/lost-rows.testing.ts";
import { createRefunds, type Paid } from "../support/refunds.testing.ts";

let devnet: Devnet;
let served: Served;
let store: ServiceStore;
let headers: Readonly<Record<string, string>>;
const databaseUrl = newDatabaseUrl();
const { authorizationOf } = createRefunds(() => devnet);

async function start({ env, ...options }: ServeOptions = {}): Promise<void> {
  const priced = { FARTHING_CREDITS_PER_SETTLEMENT: "1", FARTHING_ID_SECRET: "0f".repeat(32) };
  const all = { ...priced, ...env };
  served = await serveOn(devnet, { databaseUrl, selfBuilt: false, env: all, ...options });
  store = await openStore(databaseUrl);
}

async function stop(): Promise<void> {
  await store?.close();
  await served?.stop();
}

/** The headers of an account with credits. */
async function keyOf(account: Address): Promise<Record<string, string>> {
  const { text } = await createApiKey(store, systemClock, { account, mode: "test", label: "t" });
  await store.grantCredits({ account, kind: "grant", credits: 100, actor: "t", note: null }, 1);
  return { authorization: `Bearer ${text}`, prefer: "wait=20" };
}

beforeAll(async () => {
  devnet = await startChain({ buyers: 4 });
  await start();
  headers = await keyOf(devnet.seller.address);
});
afterAll(async () => {
  await stop();
  await devnet?.stop();
});

const read = async (id: string) => (await served.get(`/settlements/${id}`, headers)).body;
const settle = async (body: JsonObject) => (await served.post("/settle", body, headers)).body;
const credits = async () => (await store.findCredits(devnet.seller.address)).available;

/** A payment of one cent to the seller, which is final. */
async function pay(buyer: number): Promise<Paid> {
  const body = bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) });
  const id = textAt(await settle(body), "id");
  await mineToFinal(devnet);
  await expect.poll(async () => (await read(id))["finalizedAt"]).not.toBeNull();
  const { payer } = payerAndNonceOf(body);
  return { id, payer, payTo: devnet.seller.address, amount: oneCent, body };
}

const bodyFor = ({ id }: Paid, authorization: Authorization): JsonObject => ({
  settlementId: id,
  authorization: toWireAuthorization(authorization),
  signature: signOn(devnet, authorization, devnet.seller.privateKey),
});

const refund = async (body: JsonObject) => (await served.post("/v1/refunds", body, headers)).body;

/** The service goes on with an older copy of its database. */
async function restore(back: () => void, options?: ServeOptions): Promise<void> {
  await stop();
  back();
  await start(options);
}

test.each([
  ["its payment is known", 0, false],
  ["its payment is lost as well", 1, true],
])(
  "a lost refund is recorded once, and no more goes back: %s",
  async (_name, buyer, isPaymentLost) => {
    let back = backUp(databaseUrl);
    const paid = await pay(buyer);
    if (!isPaymentLost) back = backUp(databaseUrl);
    const authorization = authorizationOf(paid, 0);
    const told = await refund(bodyFor(paid, authorization));
    const id = textAt(told, "id");
    const { transaction } = told;
    expect(told).toMatchObject({ success: true });
    await restore(back);

    const facts = { id, ordinal: 0, state: "confirmed", transaction, amount: `${oneCent}` };
    expect(await read(paid.id)).toMatchObject({ refundedAmount: `${oneCent}`, refunds: [facts] });
    const recoveredAt = expect.any(String);
    expect(await read(id)).toMatchObject({
      refundOf: paid.id,
      recoveredAt,
      credits: 0,
      transaction,
    });
    await mineToFinal(devnet);
    await expect.poll(async () => (await read(paid.id))["finalizedAt"]).not.toBeNull();
    expect(await refund(bodyFor(paid, authorizationOf(paid, 1)))).toMatchObject({
      success: false,
      errorReason: "refund_exceeds_payment",
    });
    // At a shop of its recipient, which has a key of its own, it buys nothing.
    const shop = await keyOf(paid.payer);
    const presented = bodyOn(devnet, { payer: devnet.seller, authorization });
    expect((await served.post("/settle", presented, shop)).body).toMatchObject({
      success: false,
      errorReason: "nonce_already_used",
    });

    // Its seller pays for it with the repeat, once.
    const before = await credits();
    const repeated = await refund(bodyFor(paid, authorization));
    expect(repeated).toMatchObject({ success: true, id, transaction });
    expect(await read(id)).toMatchObject({ refundOf: paid.id, recoveredAt, credits: 1 });
    expect(await refund(bodyFor(paid, authorization))).toMatchObject({ success: true, id });
    expect(before - (await credits())).toBe(1);
    expect(await store.auditCredits(10)).toEqual([]);
  },
);

test("a refund of a wallet that no search looks at is recovered by its repeat", async () => {
  const paid = await pay(2);
  const back = backUp(databaseUrl);
  const body = bodyFor(paid, authorizationOf(paid, 0));
  const { id, transaction } = await refund(body);
  const { relayer } = served;
  await restore(
    () => {
      back();
      const file = new DatabaseSync(environmentOn(devnet, { databaseUrl }).DATABASE_URL.slice(7));
      file.exec("delete from lanes");
      file.close();
    },
    { wallets: [1], env: { FARTHING_FORMER_WALLETS: relayer } },
  );
  expect(await read(String(id))).toMatchObject({ error: "not_found" });
  const before = await credits();
  expect(await refund(body)).toMatchObject({ success: true, id, transaction });
  expect(await refund(body)).toMatchObject({ success: true, id, transaction });
  expect(before - (await credits())).toBe(1);
  expect(await read(paid.id)).toMatchObject({ refunds: [{ id, ordinal: 0, state: "confirmed" }] });
});
