/**
 * Payments that wait together go out together: one transaction for many, each with an outcome of
 * its own, and nobody held up by whom he shares it with. Blocks are made by the test.
 */
import type { Devnet } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  bodyOn,
  byContract,
  finalAfterBlocks,
  oneCent,
  serveOn,
  startChain,
  useLogsOf,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served | undefined;
beforeAll(async () => {
  devnet = await startChain({ buyers: 20, relayers: 5 });
  proxy = await startRpcProxy(devnet.rpcUrl);
});
afterAll(async () => {
  await proxy?.stop();
  await devnet?.stop();
});
beforeEach(() => automine(false));
afterEach(async () => {
  proxy.react = () => undefined;
  await automine(true);
  await devnet.mine();
  await served?.stop();
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);

/** With one transaction at a time, so that what comes meanwhile waits together. */
async function serve(wallet: number, env: Readonly<Record<string, string>> = {}): Promise<Served> {
  served = await serveOn(devnet, {
    wallets: [wallet],
    rpcUrl: proxy.url,
    env: { FARTHING_LANE_IN_FLIGHT: "1", ...env },
  });
  return served;
}

let paid = 0;
const newBody = () => bodyOn(devnet, { payer: walletAt(devnet.buyers, paid++ % 16) });

/** Answered when it is sent; those that only wait are not waited for. */
const settle = async (at: Served, body: JsonObject, prefer = "respond-async") =>
  (await at.post("/settle", body, { prefer })).body;
const pageOf = async (at: Served, { id }: JsonObject) =>
  (await at.get(`/settlements/${String(id)}`)).body;

/** Keeps the wallet busy, and lets the others wait; gives their settlements. */
async function settleTogether(at: Served, bodies: readonly JsonObject[]): Promise<JsonObject[]> {
  await settle(at, newBody());
  const answers = await Promise.all(bodies.map((body) => settle(at, body, "wait=0")));
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: "pending", transaction: "" });
  }
  return answers;
}

/** Makes blocks until all have an outcome; gives their pages. */
async function outcomesOf(at: Served, answers: readonly JsonObject[]): Promise<JsonObject[]> {
  let pages: JsonObject[] = [];
  const areOver = async () => {
    await devnet.mine();
    pages = await Promise.all(answers.map((answer) => pageOf(at, answer)));
    return pages.every(({ status }) => status !== "pending");
  };
  await expect.poll(areOver, { interval: 200 }).toBe(true);
  return pages;
}

interface MinedCall {
  readonly to: string;
  readonly input: Hex;
}

const callOf = (hash: unknown) => devnet.rpc<MinedCall>("eth_getTransactionByHash", [hash]);
const sameAddress = (one: string) => expect.stringMatching(new RegExp(`^${one}$`, "i"));

test("one alone goes out at once, as a call to the token", async () => {
  const at = await serve(0);
  const answer = await settle(at, newBody());
  expect(answer).toMatchObject({ transaction: expect.stringMatching(/^0x/) });
  const [page] = await outcomesOf(at, [answer]);
  expect(await callOf(page?.["transaction"])).toMatchObject({ to: sameAddress(devnet.token) });
});

test("those that wait share one transaction, in which each is paid", async () => {
  const at = await serve(1);
  const bodies = Array.from({ length: 6 }, newBody);
  const pages = await outcomesOf(at, await settleTogether(at, bodies));
  const hashes = new Set(pages.map(({ transaction }) => transaction));
  expect(hashes.size).toBe(1);
  const [hash] = hashes;
  expect(await callOf(hash)).toMatchObject({ to: sameAddress(devnet.multicall3) });
  for (const body of bodies) expect(await usesOf(devnet, body)).toEqual([hash]);
  // The hash alone names six payments; with the log it names one.
  for (const [index, body] of bodies.entries()) {
    const [use] = await useLogsOf(devnet, body);
    expect(pages[index]?.["logIndex"]).toBe(Number(use?.logIndex));
  }
});

test("a contract wallet goes alone: its code may burn what others need", async () => {
  const at = await serve(2);
  const bodies = [newBody(), byContract(devnet), newBody(), newBody()];
  const pages = await outcomesOf(at, await settleTogether(at, bodies));
  const [before, contract, ...after] = pages.map(({ transaction }) => transaction);
  expect(after).toEqual([before, before]);
  expect(contract).not.toBe(before);
  expect(await callOf(contract)).toMatchObject({ to: sameAddress(devnet.token) });
  for (const { success } of pages) expect(success).toBe(true);
});

test("of two payments for which the payer has money once, one is paid and the other not sent", async () => {
  const at = await serve(3);
  const payer = walletAt(devnet.buyers, 19);
  await devnet.usdc.setBalance(payer.address, oneCent);
  const duplicates = [bodyOn(devnet, { payer }), bodyOn(devnet, { payer })];
  const answers = await settleTogether(at, [newBody(), ...duplicates, newBody()]);
  await devnet.mine(finalAfterBlocks);
  const [one, first, second, other] = await outcomesOf(at, answers);
  expect([one, first, other]).toMatchObject([
    { success: true },
    { success: true },
    { success: true },
  ]);
  expect(second).toMatchObject({ status: "failed", errorReason: "insufficient_funds" });
  expect(second).toMatchObject({ transaction: "" });
});

test("a node that lets a transaction cost less than a batch does gets smaller ones", async () => {
  const at = await serve(4);
  const bytesMax = 3_000;
  let refused = 0;
  proxy.react = ({ method, params: [raw] }) => {
    if (method !== "eth_sendRawTransaction" || String(raw).length / 2 < bytesMax) return undefined;
    refused++;
    const message = "tx fee (0.0700 ether) exceeds the configured cap (0.0100 ether)";
    return { error: { code: -32_000, message } };
  };
  const bodies = Array.from({ length: 15 }, newBody);
  const pages = await outcomesOf(at, await settleTogether(at, bodies));
  expect(refused).toBeGreaterThan(0);
  for (const [index, body] of bodies.entries()) {
    expect(pages[index]).toMatchObject({ success: true });
    expect(await usesOf(devnet, body)).toEqual([pages[index]?.["transaction"]]);
  }
  // Batches all the same.
  expect(new Set(pages.map(({ transaction }) => transaction)).size).toBeLessThan(15);
});
