/**
 * A database that loses its last commits, as an asynchronous standby does that takes over: what the
 * relayer wallets sent is on the chain, and the database knows nothing of it.
 */
import { DatabaseSync } from "node:sqlite";
import type { Devnet } from "@farthing/devnet";
import { refundNonce, networkOfChain, type JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodyOn,
  newDatabaseUrl,
  payerAndNonceOf,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";

const idSecret = "0f".repeat(32);

let devnet: Devnet;
let served: Served;
let databaseUrl: string;
beforeAll(async () => {
  devnet = await startChain({ buyers: 6 });
  databaseUrl = newDatabaseUrl();
  served = await serveOn(devnet, { databaseUrl, env: { FARTHING_ID_SECRET: idSecret } });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const paymentOf = (buyer: number) => bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) });

const settle = async (body: JsonObject) => (await served.post("/settle", body)).body;

/** The tables of a settlement without an account, from those that refer to others on. */
const tables = [
  "transaction_settlements",
  "settlement_claims",
  "relayer_transactions",
  "settlements",
  "lanes",
] as const;

function openFile(): DatabaseSync {
  const file = new DatabaseSync(databaseUrl.replace("sqlite:", ""));
  file.exec("PRAGMA busy_timeout = 5000");
  return file;
}

/** Returns what puts the database back to how it is now, while the service runs. */
function remember(): () => void {
  const before = openFile();
  const rows = new Map(
    tables.map((name) => [name, before.prepare(`select * from ${name}`).all()] as const),
  );
  before.close();
  return () => {
    const now = openFile();
    now.exec("PRAGMA foreign_keys = off; begin immediate");
    for (const name of tables) {
      now.exec(`delete from ${name}`);
      for (const row of rows.get(name) ?? []) {
        const names = Object.keys(row);
        const marks = names.map(() => "?").join(", ");
        now
          .prepare(`insert into ${name} (${names.join(", ")}) values (${marks})`)
          .run(...Object.values(row));
      }
    }
    now.exec("commit");
    now.close();
  };
}

test("nonces and ids that are given again: later payments are settled, and none is taken for another", async () => {
  expect(await settle(paymentOf(0))).toMatchObject({ success: true });
  const loseSince = remember();
  const lost = [paymentOf(1), paymentOf(2)];
  for (const body of lost) expect(await settle(body)).toMatchObject({ success: true });
  loseSince();
  const later = [paymentOf(3), paymentOf(4)];
  const told = await Promise.all(later.map(settle));
  expect(told.map(({ success }) => success)).toEqual([true, true]);
  for (const body of [...lost, ...later]) expect(await usesOf(devnet, body)).toHaveLength(1);
  const pages = await Promise.all(
    told.map(async ({ id }) => (await served.get(`/settlements/${String(id)}`)).body),
  );
  for (const [index, page] of pages.entries()) {
    expect([page["transaction"]]).toEqual(await usesOf(devnet, later[index] ?? {}));
  }
});

test("a payment that was lost is recovered by its repeat: nobody is told to pay again, and it is told once", async () => {
  const loseSince = remember();
  const body = paymentOf(5);
  const first = await settle(body);
  expect(first).toMatchObject({ success: true });
  loseSince();
  expect((await served.get(`/settlements/${String(first["id"])}`)).status).toBe(404);

  const verified = (await served.post("/verify", body)).body;
  expect(verified).toMatchObject({ isValid: false, invalidReason: "already_settled" });
  expect(verified["invalidMessage"]).toMatch(/has paid the payee in transaction 0x.*Do not sign/);

  const repeated = await settle(body);
  const { transaction } = first;
  expect(repeated).toMatchObject({ success: true, status: "confirmed", transaction });
  // Whoever was told the id before the loss finds the payment under it.
  expect((await served.get(`/settlements/${String(first["id"])}`)).body).toMatchObject({
    state: "confirmed",
    transaction,
  });
  // Other exchanges of before the loss may exist, so the success is told once.
  expect(await settle(body)).toMatchObject({ success: false, transaction });
  expect(await usesOf(devnet, body)).toEqual([transaction]);
});

test("without the payer's signature nothing is recovered", async () => {
  const loseSince = remember();
  const body = paymentOf(0);
  expect(await settle(body)).toMatchObject({ success: true });
  loseSince();
  const payload = Object(body["paymentPayload"]);
  const forged = { ...payload.payload, signature: `0x${"22".repeat(65)}` };
  const asked = { ...body, paymentPayload: { ...payload, payload: forged } };
  expect(await settle(asked)).toMatchObject({ success: false });
  expect(await settle(body)).toMatchObject({ success: true });
});

/** The refund of a payment, as its payee would sign it; presented to a shop of its recipient. */
function refundOf(paid: JsonObject): JsonObject {
  const { payer, nonce } = payerAndNonceOf(paid);
  const { chainId, usdc: asset } = networkOfChain(devnet.chainId);
  return bodyOn(devnet, {
    payer: devnet.seller,
    authorization: { to: payer, nonce: refundNonce({ chainId, asset, payer, nonce }, 0) },
  });
}

test.each([
  ["its payment is known", false],
  ["its payment is lost as well", true],
])("a lost refund buys nothing: %s", async (_name, isPaymentLost) => {
  const paid = paymentOf(1);
  const beforePayment = remember();
  expect(await settle(paid)).toMatchObject({ success: true });
  const beforeRefund = remember();
  const refund = refundOf(paid);
  const { transaction } = await settle(refund);
  expect(transaction).toMatch(/^0x/);
  if (isPaymentLost) beforePayment();
  else beforeRefund();
  const refused = { success: false, errorReason: "already_settled", transaction };
  expect(await settle(refund)).toMatchObject(refused);
  expect(await settle(refund)).toMatchObject(refused);
});
