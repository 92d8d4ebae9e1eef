/** Refunds that many callers ask for at once, of two processes on PostgreSQL, and by a Safe. */
import type { Devnet } from "@farthing/devnet";
import { signBySafe, type SafeWallet } from "@farthing/devnet/testing/safe";
import {
  authorizationDigest,
  networkOfChain,
  toWireAuthorization,
  type Address,
  type JsonObject,
} from "@farthing/protocol";
import { systemClock } from "@farthing/engine/base";
import { startPostgres, type TestPostgres } from "@farthing/engine/source/storage/postgres.testing";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";
import { mineToFinal } from "../../src/features/purchases/purchases.testing.ts";
import { makeSafe, placeContracts } from "../support/batch-contract.testing.ts";
import {
  bodyOn,
  oneCent,
  payerAndNonceOf,
  secondsFromNow,
  serveOn,
  startChain,
  textAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { createRefunds, type Paid } from "../support/refunds.testing.ts";

let devnet: Devnet;
let server: TestPostgres;
let store: ServiceStore;
let processes: [Served, Served];
let databaseUrl = "";
beforeAll(async () => {
  [devnet, server] = await Promise.all([startChain({ relayers: 2 }), startPostgres()]);
  databaseUrl = await server.createDatabase();
  store = await openStore(databaseUrl);
  processes = [
    await serveOn(devnet, { selfBuilt: false, databaseUrl, wallets: [0] }),
    await serveOn(devnet, { selfBuilt: false, databaseUrl, wallets: [1] }),
  ];
});
afterAll(async () => {
  await Promise.all((processes ?? []).map((served) => served.stop()));
  await store?.close();
  await server?.stop();
  await devnet?.stop();
});

const { authorizationOf, refundBody } = createRefunds(() => devnet);

async function keyOf(account: Address) {
  const made = await createApiKey(store, systemClock, { account, mode: "test", label: "t" });
  return { authorization: `Bearer ${made.text}` };
}

/** A final payment of one cent; `refund` sends a refund to one of the processes. */
async function sell(payTo = devnet.seller.address) {
  const key = await keyOf(payTo);
  const [served] = processes;
  const body = bodyOn(devnet, { authorization: { to: payTo } });
  const settled = await served.post("/settle", body, { ...key, prefer: "wait=20" });
  const id = textAt(settled.body, "id");
  const read = async () => (await served.get(`/settlements/${id}`, key)).body;
  await mineToFinal(devnet);
  await expect.poll(async () => (await read())["finalizedAt"]).not.toBeNull();
  const { payer } = payerAndNonceOf(body);
  const paid: Paid = { id, payer, payTo, amount: oneCent, body };
  const before = await devnet.usdc.balanceOf(payer);
  return {
    paid,
    read,
    received: async () => (await devnet.usdc.balanceOf(payer)) - before,
    refund: async (request: JsonObject, nth = 0) => {
      const by = processes[nth % 2] ?? served;
      return (await by.post("/v1/refunds", request, { ...key, prefer: "wait=20" })).body;
    },
  };
}

test("fifty callers of two processes at once: at most the payment goes back", async () => {
  const { paid, read, received, refund } = await sell();
  // The same one by some, and by others another amount, another end, or the next ordinal.
  const bodies = Array.from({ length: 50 }, (_, nth) => {
    if (nth % 5 < 2) return refundBody(paid, 0, { validBefore: secondsFromNow(4_000 + (nth % 5)) });
    return refundBody(paid, nth % 2, { value: BigInt(4_000 + 1_000 * (nth % 7)) });
  });
  const answers = await Promise.all(bodies.map((body, nth) => refund(body, nth)));
  const made = new Map(
    answers.flatMap((answer) => {
      return answer["success"] === true ? [[answer["id"], BigInt(textAt(answer, "amount"))]] : [];
    }),
  );
  const sum = [...made.values()].reduce((units, amount) => units + amount, 0n);
  expect(made.size).toBeGreaterThan(0);
  expect(sum).toBeLessThanOrEqual(oneCent);
  expect(await received()).toBe(sum);
  expect(await read()).toMatchObject({ refundedAmount: `${sum}` });
});

test("three halves of a payment at once: two of them go back", async () => {
  const { paid, read, received, refund } = await sell();
  const halves = [0, 1, 2].map((ordinal) => refundBody(paid, ordinal, { value: oneCent / 2n }));
  // An ordinal is refused until the ones before it are claimed, so its callers ask again.
  let answers: JsonObject[] = [];
  for (let nth = 0; nth < 3; nth++) {
    const calls = [...halves, ...halves].map((body, at) => refund(body, at));
    answers = await Promise.all(calls);
  }
  expect(answers.map((answer) => answer["status"] ?? answer["errorReason"])).toEqual([
    "confirmed",
    "confirmed",
    "refund_exceeds_payment",
    "confirmed",
    "confirmed",
    "refund_exceeds_payment",
  ]);
  expect(await received()).toBe(oneCent);
  expect(await read()).toMatchObject({ refundedAmount: `${oneCent}`, refunds: [{}, {}] });
});

test("beside a process of an earlier version: not now, and the same refund later", async () => {
  const { paid, read, refund } = await sell();
  const older = new Client({ connectionString: databaseUrl, application_name: "farthing/0014" });
  older.on("error", () => {});
  await older.connect();
  const body = refundBody(paid, 0);
  const refused = { error: "service_unavailable", retryable: true };
  expect(await refund(body)).toMatchObject(refused);
  expect(await read()).toMatchObject({ refunds: [] });
  await older.end();
  // The server notices the end a moment later.
  await expect.poll(() => refund(body)).toMatchObject({ status: "confirmed" });
});

test("a Safe with two of three owners returns a payment", async () => {
  await placeContracts(devnet);
  const safe = await makeSafe(devnet, 3, 2);
  const { paid, read, received, refund } = await sell(safe.address);
  const part = bodyBySafe(paid, safe, 0, 4_000n);
  const forged = { ...part, signature: bodyBySafe(paid, safe, 0, 4_001n)["signature"] };
  expect(await refund(forged)).toMatchObject({ success: false, errorReason: "invalid_signature" });
  expect(await refund(part)).toMatchObject({ status: "confirmed", payer: safe.address });
  const rest = bodyBySafe(paid, safe, 1, 6_000n);
  expect(await refund(rest, 1)).toMatchObject({ status: "confirmed" });
  expect(await received()).toBe(oneCent);
  expect(await read()).toMatchObject({ refundedAmount: `${oneCent}` });
});

function bodyBySafe(paid: Paid, safe: SafeWallet, ordinal: number, value: bigint): JsonObject {
  const authorization = authorizationOf(paid, ordinal, { value });
  const digest = authorizationDigest(networkOfChain(devnet.chainId), authorization);
  return {
    settlementId: paid.id,
    authorization: toWireAuthorization(authorization),
    signature: signBySafe(devnet.chainId, safe, digest),
  };
}
