/** Batches that revert as a whole: what is in order in them is settled all the same, once. */
import type { Devnet } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  bodyOn,
  finalAfterBlocks,
  newDatabaseUrl,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  type Served,
} from "./facilitator.testing.ts";

let devnet: Devnet;
let served: Served;
let multicallCode: Hex;

beforeAll(async () => {
  devnet = await startChain({ buyers: 12 });
  multicallCode = await devnet.rpc<Hex>("eth_getCode", [devnet.multicall3, "latest"]);
});
afterEach(async () => {
  await served?.stop();
  await automine(true);
  await setMulticall(multicallCode);
});
afterAll(() => devnet?.stop());

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);
const setMulticall = (code: Hex) => devnet.rpc("anvil_setCode", [devnet.multicall3, code]);

/** INVALID: it burns the gas that it is given, as a batch does whose limit is too low. */
const burnsGas: Hex = "0xfe";

let payers = 0;

/** Payments that share a transaction, beside the first one, which leaves at once. */
async function settleBatch() {
  await automine(false);
  const bodies = Array.from({ length: 4 }, () =>
    bodyOn(devnet, { payer: walletAt(devnet.buyers, payers++) }),
  );
  const answers = await Promise.all(
    bodies.map((body) => served.post("/settle", body, { prefer: "wait=1" })),
  );
  const hashes = answers.map(({ body }) => textAt(body, "transaction"));
  const batched = hashes.findIndex((hash, index) => hashes.indexOf(hash) < index);
  expect(batched).toBeGreaterThan(0);
  return { bodies, ids: answers.map(({ body }) => textAt(body, "id")), batched };
}

const pagesOf = (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await served.get(`/settlements/${id}`)).body));

/** Makes blocks until each settlement has its outcome. */
async function outcomesOf(ids: readonly string[]): Promise<JsonObject[]> {
  const isOpen = async () => {
    await devnet.mine();
    return (await pagesOf(ids)).filter(({ status }) => status === "pending").length;
  };
  await expect.poll(isOpen, { timeout: 20_000 }).toBe(0);
  return pagesOf(ids);
}

async function expectPaidOnce(bodies: readonly JsonObject[], ids: readonly string[]) {
  const pages = await outcomesOf(ids);
  expect(pages.map(({ status }) => status)).toEqual(bodies.map(() => "confirmed"));
  for (const [index, body] of bodies.entries()) {
    expect(await usesOf(devnet, body)).toEqual([pages[index]?.["transaction"]]);
  }
  return pages;
}

test("its members are simulated again and paid, also when the service restarts in between", async () => {
  const databaseUrl = newDatabaseUrl();
  served = await serveOn(devnet, { databaseUrl });
  const { bodies, ids } = await settleBatch();
  await setMulticall(burnsGas);
  await devnet.mine();
  await setMulticall(multicallCode);
  // Until the block is final nothing is called failed, and nothing is settled again.
  expect((await pagesOf(ids)).filter(({ status }) => status === "failed")).toEqual([]);
  await served.stop();
  await automine(true);
  served = await serveOn(devnet, { databaseUrl });
  const pages = await expectPaidOnce(bodies, ids);
  expect(new Set(pages.map(({ transaction }) => transaction)).size).toBeLessThan(4);
});

test("a member that is not in order any more fails, with its own reason; the others are paid", async () => {
  served = await serveOn(devnet, { wallets: [1] });
  const { bodies, ids, batched: poor } = await settleBatch();
  await setMulticall(burnsGas);
  await devnet.mine();
  await setMulticall(multicallCode);
  await devnet.usdc.setBalance(walletAt(devnet.buyers, payers - 4 + poor).address, 1n);
  await automine(true);
  const pages = await outcomesOf(ids);
  for (const [index, page] of pages.entries()) {
    if (index === poor) {
      expect(page).toMatchObject({ status: "failed", errorReason: "insufficient_funds" });
      expect(await usesOf(devnet, bodies[index] ?? {})).toEqual([]);
    } else expect(page).toMatchObject({ status: "confirmed" });
  }
});

test("after two reverts each goes alone", async () => {
  served = await serveOn(devnet, { wallets: [2] });
  const { bodies, ids } = await settleBatch();
  await setMulticall(burnsGas);
  await automine(true);
  const pages = await expectPaidOnce(bodies, ids);
  expect(new Set(pages.map(({ transaction }) => transaction)).size).toBe(4);
  await devnet.mine(finalAfterBlocks);
  // Two batches that reverted, and a transaction for each payment.
  const count = await devnet.rpc<Hex>("eth_getTransactionCount", [served.relayer, "latest"]);
  expect(Number(count)).toBe(6);
});
