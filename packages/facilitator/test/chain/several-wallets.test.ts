/**
 * Several wallets of one facilitator: each carries as much as it may, the one with the least on its
 * way first, and one without gas money holds nobody up. Blocks are made by the test.
 */
import type { Devnet } from "@farthing/devnet";
import type { Address, Hex } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  bodyOn,
  finalAfterBlocks,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import { untilSent } from "../support/settlement-transactions.testing.ts";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
let proxy: RpcProxy;
beforeAll(async () => {
  devnet = await startChain({ buyers: 12, relayers: 7 });
  proxy = await startRpcProxy(devnet.rpcUrl);
});
afterAll(async () => {
  await proxy?.stop();
  await devnet?.stop();
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);
beforeEach(() => automine(false));

let served: Served | undefined;
afterEach(async () => {
  await automine(true);
  await devnet.mine();
  await served?.stop();
});

async function serve(...wallets: number[]): Promise<Served> {
  const env = { FARTHING_LANE_IN_FLIGHT: "2" };
  served = await serveOn(devnet, { wallets, env, rpcUrl: proxy.url });
  return served;
}

let paid = 0;
const newBody = () => bodyOn(devnet, { payer: walletAt(devnet.buyers, paid++ % 12) });
const settle = (at: Served, body = newBody()) =>
  at.post("/settle", body, { prefer: "respond-async" });
const page = async (at: Served, { body }: Answer) =>
  (await at.get(`/settlements/${String(body["id"])}?wait=20`)).body;

/** The wallet that sent a transaction. */
async function senderOf(hash: unknown): Promise<string> {
  const { from } = await devnet.rpc<{ from: string }>("eth_getTransactionByHash", [hash]);
  return from.toLowerCase();
}

const addressOf = (index: number) => walletAt(devnet.relayers, index).address;
const fund = (wallet: Address, wei: bigint) =>
  devnet.rpc("anvil_setBalance", [wallet, `0x${wei.toString(16)}`]);
/** While no payment waits for a block, one is looked for every 2 s. */
const soon = { timeout: 60_000 };

/** One XDC, in wei. */
const oneXdc = 10n ** 18n;

test("work goes to the one with the fewest on their way, as many as each may have", async () => {
  const at = await serve(0, 1);
  const answers: Answer[] = [];
  // One after the other: what waits together would go out in one transaction.
  for (let payment = 0; payment < 5; payment++) answers.push(await settle(at));
  const sent = answers.slice(0, 4);
  const hashes = await Promise.all(sent.map(({ body }) => untilSent(at, body)));
  const senders = await Promise.all(hashes.map(senderOf));
  const [one, other] = [addressOf(0), addressOf(1)].map((address) => address.toLowerCase());
  expect(senders).toEqual([one, other, one, other]);
  expect(answers[4]?.body).toMatchObject({ status: "pending", transaction: "" });
  expect((await at.get("/v1/status")).body["networks"]).toMatchObject([
    { inFlight: 4, queued: 1, lanesUsable: 2 },
  ]);
  await automine(true);
  await devnet.mine();
  for (const answer of answers) expect(await page(at, answer)).toMatchObject({ success: true });
});

test("what no node takes for want of gas money goes to another wallet, and moves once", async () => {
  const at = await serve(2, 3);
  await fund(addressOf(2), 0n);
  const body = newBody();
  const answer = await settle(at, body);
  // No explorer knows the hash of what every node has refused.
  expect(answer.body).toMatchObject({ status: "pending", transaction: "" });
  await automine(true);
  await devnet.mine();
  // A repeat waits for the outcome; the page also tells of what comes between.
  await at.post("/settle", body);
  const shown = await page(at, answer);
  expect(shown).toMatchObject({ success: true, settledBy: "relayer" });
  expect(await senderOf(shown["transaction"])).toBe(addressOf(3).toLowerCase());
  expect(await usesOf(devnet, body)).toEqual([shown["transaction"]]);
  expect((await at.get("/ready")).status).toBe(200);

  // Supplied again, it uses the nonce up by a call to itself and works on.
  await fund(addressOf(2), oneXdc);
  await devnet.mine(2);
  await expect.poll(() => countOf(addressOf(2)), soon).toBe(1);
  await devnet.mine(finalAfterBlocks);
  await expect.poll(() => walletsUsable(at), soon).toBe(2);
  const countAfterNext = async () => {
    expect(await page(at, await settle(at))).toMatchObject({ success: true });
    return countOf(addressOf(2));
  };
  await expect.poll(countAfterNext, soon).toBeGreaterThan(1);
  expect(await usesOf(devnet, body)).toHaveLength(1);
});

test("without another wallet it waits for gas money, and then goes out as it is", async () => {
  const at = await serve(4);
  await fund(addressOf(4), 0n);
  const body = newBody();
  const answer = await settle(at, body);
  await devnet.mine(2);
  await expect.poll(() => walletsUsable(at), soon).toBe(0);
  expect((await at.get("/ready")).status).toBe(503);
  await fund(addressOf(4), oneXdc);
  await automine(true);
  await devnet.mine();
  expect(answer.body).toMatchObject({ status: "pending", transaction: "" });
  const shown = await page(at, answer);
  expect(shown).toMatchObject({ success: true });
  expect(await usesOf(devnet, body)).toEqual([shown["transaction"]]);
});

test("what a node may have taken stays where it is: only the chain can say what became of it", async () => {
  const at = await serve(5, 6);
  proxy.react = ({ method }) => (method === "eth_sendRawTransaction" ? "lose" : undefined);
  const body = newBody();
  const answer = await settle(at, body);
  const transaction = await untilSent(at, answer.body);
  await devnet.rpc("anvil_dropTransaction", [transaction]);
  proxy.react = () => undefined;
  await fund(addressOf(5), 0n);
  await devnet.mine(2);
  await expect.poll(() => walletsUsable(at), soon).toBe(1);
  proxy.reset();
  await devnet.mine(2);
  await expect.poll(() => proxy.countOf("eth_sendRawTransaction"), soon).toBeGreaterThan(0);
  const { body: still } = await at.get(`/settlements/${String(answer.body["id"])}`);
  expect(still).toMatchObject({ state: "submitted", transaction });
  await fund(addressOf(5), oneXdc);
  await automine(true);
  await devnet.mine(2);
  expect(await page(at, answer)).toMatchObject({ success: true, transaction });
});

const countOf = async (wallet: Address) =>
  Number(await devnet.rpc<Hex>("eth_getTransactionCount", [wallet, "latest"]));

async function walletsUsable(at: Served): Promise<unknown> {
  const { body } = await at.get("/v1/status");
  const [network] = Array.isArray(body["networks"]) ? body["networks"] : [];
  return Object(network)["lanesUsable"];
}
