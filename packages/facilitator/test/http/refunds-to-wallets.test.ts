/**
 * Refunds whose receiver is a contract wallet that has changed since it paid: USDC never calls it, so
 * neither its code nor the lack of it keeps the money; only the issuer's block list does. Over HTTP, on a
 * real chain.
 */
import { sampleWalletCode, type Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { mineToFinal } from "../../src/features/purchases/purchases.testing.ts";
import {
  byContract,
  finalAfterBlocks,
  newDatabaseUrl,
  oneCent,
  secondsFromNow,
  serveOn,
  startChain,
  textAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { keyIn } from "../support/api-keys.testing.ts";
import { createRefunds, type Paid } from "../support/refunds.testing.ts";

let devnet: Devnet;
let served: Served;
let key: Record<string, string>;

beforeAll(async () => {
  devnet = await startChain();
  const databaseUrl = newDatabaseUrl();
  key = { authorization: `Bearer ${await keyIn(databaseUrl, devnet.seller.address)}` };
  const env = { FARTHING_CREDITS_PER_SETTLEMENT: "0" };
  served = await serveOn(devnet, { selfBuilt: false, databaseUrl, env });
});
afterEach(async () => {
  await devnet.rpc("evm_setAutomine", [true]);
  await devnet.rpc("anvil_setCode", [wallet(), sampleWalletCode]);
  await devnet.walletMode("owner-signed");
  await devnet.usdc.unBlacklist(wallet());
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const wallet = () => devnet.smartWallet.address;
const { refundBody } = createRefunds(() => devnet);
const held = () => devnet.usdc.balanceOf(wallet());
const read = async (id: string) => (await served.get(`/settlements/${id}`, key)).body;

/** A final payment of the contract wallet. */
async function pay(): Promise<Paid> {
  const body = byContract(devnet);
  const settled = await served.post("/settle", body, { ...key, prefer: "wait=20" });
  expect(settled.body).toMatchObject({ status: "confirmed" });
  const id = textAt(settled.body, "id");
  await mineToFinal(devnet);
  await expect.poll(async () => (await read(id))["finalizedAt"]).not.toBeNull();
  return { id, payer: wallet(), payTo: devnet.seller.address, amount: oneCent, body };
}

const refund = async (body: JsonObject, prefer = "wait=20") =>
  (await served.post("/v1/refunds", body, { ...key, prefer })).body;

test.each(["revert", "burn-gas", "return-bomb"] as const)(
  "a wallet that would %s when it is called gets its money, since nobody calls it",
  async (mode) => {
    const paid = await pay();
    const before = await held();
    await devnet.walletMode(mode);
    expect(await refund(refundBody(paid, 0))).toMatchObject({ status: "confirmed" });
    expect(await held()).toBe(before + oneCent);
  },
);

test("a wallet that is gone gets its money at its address", async () => {
  const paid = await pay();
  const before = await held();
  await devnet.rpc("anvil_setCode", [wallet(), "0x"]);
  expect(await refund(refundBody(paid, 0))).toMatchObject({ status: "confirmed" });
  expect(await held()).toBe(before + oneCent);
  await refund(refundBody(paid, 0));
  expect(await held()).toBe(before + oneCent);
  expect(await read(paid.id)).toMatchObject({ refundedAmount: `${oneCent}` });
});

test("a blocked wallet is told as such before anything is claimed, and refunded once it is free", async () => {
  const paid = await pay();
  const before = await held();
  await devnet.usdc.blacklist(wallet());
  const body = refundBody(paid, 0);
  const refused = await refund(body);
  expect(refused).toMatchObject({ success: false, errorReason: "payee_blocked", transaction: "" });
  expect(await read(paid.id)).toMatchObject({ refundedAmount: "0" });
  await devnet.usdc.unBlacklist(wallet());
  expect(await refund(body)).toMatchObject({ status: "confirmed" });
  expect(await read(paid.id)).toMatchObject({ refundedAmount: `${oneCent}` });
  expect(await held()).toBe(before + oneCent);
});

test("one that is blocked while its refund waits for a block: the refund fails, and is sent once more", async () => {
  const paid = await pay();
  const before = await held();
  await devnet.rpc("evm_setAutomine", [false]);
  const begun = await refund(refundBody(paid, 0), "respond-async");
  const id = textAt(begun, "id");
  const sent = async () => Number((await devnet.rpc<{ pending: string }>("txpool_status")).pending);
  await expect.poll(sent, { interval: 50 }).toBe(1);
  // In front of the refund, in its block: the issuer pays more for its gas.
  await devnet.usdc.blacklist(wallet());
  await devnet.mine(finalAfterBlocks);
  const state = async () => {
    await devnet.mine();
    return (await read(id))["state"];
  };
  await expect.poll(state).toBe("failed");
  expect(await read(id)).toMatchObject({ errorReason: "payee_blocked" });
  await devnet.rpc("evm_setAutomine", [true]);
  await devnet.usdc.unBlacklist(wallet());
  const again = refundBody(paid, 0, { validBefore: secondsFromNow(7_200) });
  expect(await refund(again)).toMatchObject({ id, status: "confirmed" });
  expect(await read(paid.id)).toMatchObject({ refundedAmount: `${oneCent}` });
  expect(await held()).toBe(before + oneCent);
  // The seller was not at fault, and neither was the service: the next refund goes out.
  const next = await pay();
  expect(await refund(refundBody(next, 0))).toMatchObject({ status: "confirmed" });
});
