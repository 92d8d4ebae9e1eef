/** Batches fill up to what nodes let a transaction cost, 1 XDC, at the present gas price, and to a part of a block. */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodyOn,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";

const gwei = 1_000_000_000n;
const usual = (25n * gwei) / 2n;
const buyers = 16;

let devnet: Devnet;
let at: Served;
beforeAll(async () => {
  devnet = await startChain({ buyers, relayers: 1, gasPriceWei: usual });
  await devnet.rpc("evm_setAutomine", [false]);
  // One transaction at a time, so that what comes meanwhile waits together.
  at = await serveOn(devnet, { env: { FARTHING_LANE_IN_FLIGHT: "1" } });
});
afterAll(async () => {
  await at?.stop();
  await devnet?.stop();
});

let paid = 0;
const newBody = () => bodyOn(devnet, { payer: walletAt(devnet.buyers, paid++ % buyers) });
const bodies = (count: number) => Array.from({ length: count }, newBody);

const settle = async (body: JsonObject, prefer: string) =>
  String((await at.post("/settle", body, { prefer })).body["id"]);

/** Keeps the wallet busy with one payment, so that these wait together; returns all ids. */
async function settleTogether(waiting: readonly JsonObject[]): Promise<string[]> {
  const first = await settle(newBody(), "respond-async");
  return [first, ...(await Promise.all(waiting.map((body) => settle(body, "wait=0"))))];
}

const pagesOf = (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await at.get(`/settlements/${id}`)).body));

/** Makes blocks until all are confirmed; returns the payments of each transaction, the most first. */
async function sizesOf(ids: readonly string[]): Promise<number[]> {
  let pages: JsonObject[] = [];
  const states = async () => {
    await devnet.mine();
    pages = await pagesOf(ids);
    return new Set(pages.map(({ state }) => state));
  };
  await expect.poll(states, { interval: 200 }).toEqual(new Set(["confirmed"]));
  const groups = Map.groupBy(pages, ({ transaction }) => transaction);
  return [...groups.values()].map(({ length }) => length).toSorted((one, other) => other - one);
}

test("a step up splits the batch that it swept; each is paid once, and cheap batches are as large as before", async () => {
  const swept = bodies(40);
  const ids = await settleTogether(swept);
  await devnet.mine();
  // Forty are in one transaction, which no block has taken yet.
  const [, ...batched] = ids;
  await expect
    .poll(async () => {
      const sent = (await pagesOf(batched)).map(({ transaction }) => transaction);
      return new Set(sent).size === 1 && sent[0] !== "";
    })
    .toBe(true);
  await devnet.setGasPrice(625n * gwei);
  expect(await sizesOf(ids)).toEqual([14, 14, 12, 1]);
  for (const body of swept) expect(await usesOf(devnet, body)).toHaveLength(1);

  const dear = await settleTogether(bodies(20));
  expect(await sizesOf(dear)).toEqual([14, 6, 1]);

  await devnet.setGasPrice(usual);
  const cheap = await settleTogether(bodies(40));
  expect(await sizesOf(cheap)).toEqual([40, 1]);
});

test("a batch takes a seventh of a block, as the chain's blocks are now", async () => {
  // A seventh is enough for eight payments: 60,000 gas, and 110,000 for each.
  await devnet.rpc("evm_setBlockGasLimit", [`0x${(7_000_000).toString(16)}`]);
  await devnet.mine();
  const first = await settle(newBody(), "respond-async");
  // Its block is read, and shows the limit.
  expect(await sizesOf([first])).toEqual([1]);
  const ids = await settleTogether(bodies(20));
  expect(await sizesOf(ids)).toEqual([8, 8, 4, 1]);
});
