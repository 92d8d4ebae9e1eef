/**
 * Batches that revert as a whole, or whose calls fail although their payers are in order: what is in
 * order in them is settled all the same, once.
 */
import type { Devnet } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
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
} from "../support/facilitator.testing.ts";
import { startPostgres } from "@farthing/engine/source/storage/postgres.testing";

let devnet: Devnet;
let served: Served;
let multicallCode: Hex;

beforeAll(async () => {
  devnet = await startChain({ buyers: 28, relayers: 7 });
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

/** STOP: the batch succeeds and no payment of it does, as behind a call that left them no gas. */
const makesNoCall: Hex = "0x00";

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
  await expect.poll(isOpen).toBe(0);
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

test("calls that fail in a batch that succeeds are settled again, and nobody is paused", async () => {
  served = await serveOn(devnet, { wallets: [5] });
  const { bodies, ids } = await settleBatch();
  await setMulticall(makesNoCall);
  await devnet.mine();
  await setMulticall(multicallCode);
  await automine(true);
  await expectPaidOnce(bodies, ids);
  for (const index of bodies.keys()) {
    const again = bodyOn(devnet, { payer: walletAt(devnet.buyers, payers - 4 + index) });
    expect((await served.post("/verify", again)).body).toMatchObject({ isValid: true });
  }
});

test("after two batches that succeed without them they go alone", async () => {
  served = await serveOn(devnet, { wallets: [6] });
  const { bodies, ids } = await settleBatch();
  await setMulticall(makesNoCall);
  await automine(true);
  const pages = await expectPaidOnce(bodies, ids);
  expect(new Set(pages.map(({ transaction }) => transaction)).size).toBe(4);
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

/** One transaction at a time: what comes meanwhile waits together. */
const oneAtATime = { FARTHING_LANE_IN_FLIGHT: "1" };

/** Makes a block in which Multicall3 has such code. */
async function mineWith(code: Hex): Promise<void> {
  await setMulticall(code);
  await devnet.mine();
  await setMulticall(multicallCode);
}

const fund = (wei: Hex) => devnet.rpc("anvil_setBalance", [served.relayer, wei]);
const enough: Hex = "0x56bc75e2d63100000";

const pool = () => devnet.rpc<{ pending: Hex }>("txpool_status");
const untilSent = () => expect.poll(pool).toMatchObject({ pending: "0x1" });

/** Answered at once with the settlement's id. */
async function settleSoon(body: JsonObject | undefined): Promise<string> {
  return textAt((await served.post("/settle", body, { prefer: "respond-async" })).body, "id");
}

/** Payments whose batch has reverted twice, queued for a wallet without gas money. */
async function queuedTwice() {
  await automine(false);
  const bodies = Array.from({ length: 4 }, () =>
    bodyOn(devnet, { payer: walletAt(devnet.buyers, payers++) }),
  );
  const [first, ...others] = bodies;
  const ids = [await settleSoon(first)];
  await untilSent();
  ids.push(...(await Promise.all(others.map(settleSoon))));
  await devnet.mine();
  for (let reverts = 0; reverts < 2; reverts++) {
    await untilSent();
    await mineWith(burnsGas);
    if (reverts === 0) await devnet.mine(finalAfterBlocks);
  }
  await fund("0x0");
  const states = async () => {
    await devnet.mine();
    return (await pagesOf(ids)).map(({ state }) => state);
  };
  const queued = others.map(() => "queued");
  await expect.poll(states).toEqual(["confirmed", ...queued]);
  return { bodies, ids };
}

async function expectEachAlone(bodies: readonly JsonObject[], ids: readonly string[]) {
  await fund(enough);
  await automine(true);
  const pages = await expectPaidOnce(bodies, ids);
  expect(new Set(pages.map(({ transaction }) => transaction)).size).toBe(4);
}

describe("what reverted twice in company goes alone", () => {
  test("after a restart", async () => {
    const options = { databaseUrl: newDatabaseUrl(), wallets: [3], env: oneAtATime };
    served = await serveOn(devnet, options);
    const { bodies, ids } = await queuedTwice();
    await served.stop();
    await fund(enough);
    served = await serveOn(devnet, options);
    await expectEachAlone(bodies, ids);
  });

  test("in another process, which takes the wallet over", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const options = { databaseUrl: await server.createDatabase(), wallets: [4], env: oneAtATime };
    served = await serveOn(devnet, options);
    const first = served;
    // Without a wallet as long as the first one works it.
    const other = await serveOn(devnet, options);
    const { bodies, ids } = await queuedTwice();
    await first.stop();
    served = other;
    await expectEachAlone(bodies, ids);
  });
});
