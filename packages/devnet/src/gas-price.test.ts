/** A devnet with XDC's least gas price: it refuses what is cheaper, and a step drops it from the pool. */
import { isObject, type Hex } from "@farthing/protocol";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import * as TxEnvelopeEip1559 from "ox/TxEnvelopeEip1559";
import * as TxEnvelopeLegacy from "ox/TxEnvelopeLegacy";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDevnet, type Devnet } from "./devnet.ts";
import { parseGwei } from "./gas-price.ts";
import { describeDevnet, devnetPage } from "./run-devnet.ts";
import type { DevnetWallet } from "./wallets.ts";

const gwei = 1_000_000_000n;
const usual = (25n * gwei) / 2n;

let devnet: Devnet;

beforeAll(async () => {
  // No block by itself: transactions stay in the pool until one is ordered.
  devnet = await startDevnet({ blockTimeSeconds: 600, gasPriceWei: usual });
});
afterAll(() => devnet?.stop());

/** As any program asks. */
async function post(body: unknown): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  return (await fetch(devnet.rpcUrl, { method: "POST", headers, body: sent })).json();
}

async function ask(method: string, ...params: unknown[]): Promise<unknown> {
  const reply = Object(await post({ jsonrpc: "2.0", id: 7, method, params }));
  return reply.error ?? reply.result;
}

const baseFeeOf = async (block: string) =>
  BigInt(Object(await ask("eth_getBlockByNumber", block, false)).baseFeePerGas);

const walletAt = (index: number): DevnetWallet => {
  const wallet = devnet.buyers[index];
  if (!wallet) throw new Error("no such buyer");
  return wallet;
};

/** A transfer of nothing to the seller, the first of a wallet. */
function signed(wallet: DevnetWallet, gasPrice: bigint, isTyped = false): Hex {
  const { privateKey } = wallet;
  const common = { chainId: devnet.chainId, to: devnet.seller.address, gas: 21_000n, nonce: 0n };
  if (isTyped) {
    const fees = { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice };
    const envelope = TxEnvelopeEip1559.from({ ...common, ...fees });
    const payload = TxEnvelopeEip1559.getSignPayload(envelope);
    const signature = Signature.from(Secp256k1.sign({ payload, privateKey }));
    return TxEnvelopeEip1559.serialize(envelope, { signature });
  }
  const envelope = TxEnvelopeLegacy.from({ ...common, gasPrice });
  const payload = TxEnvelopeLegacy.getSignPayload(envelope);
  const signature = Signature.from(Secp256k1.sign({ payload, privateKey }));
  return TxEnvelopeLegacy.serialize(envelope, { signature });
}

const send = (wallet: DevnetWallet, price: bigint, isTyped?: boolean) =>
  ask("eth_sendRawTransaction", signed(wallet, price, isTyped));

const refused = { code: -32_000, message: "transaction underpriced: under min gas price" };
const hash = expect.stringMatching(/^0x[0-9a-f]{64}$/);

test("clients that let the node fill in a transaction, as viem does, fill it in themselves", async () => {
  const [{ address: from }, { address: to }] = [walletAt(0), walletAt(1)];
  expect(await ask("eth_fillTransaction", { from, to })).toMatchObject({ code: -32_601 });
});

test("a step up sweeps the pool, refuses what is cheaper, and shows in the next blocks; then down", async () => {
  const before = BigInt(await devnet.rpc<Hex>("eth_blockNumber"));
  expect(await ask("eth_gasPrice")).toBe(`0x${usual.toString(16)}`);
  expect(await baseFeeOf("latest")).toBe(usual);
  expect(await send(walletAt(0), usual - 1n)).toEqual(refused);
  expect(await send(walletAt(0), usual - 1n, true)).toEqual(refused);
  const swept = await send(walletAt(0), usual);
  const sweptTyped = await send(walletAt(1), usual, true);
  const kept = await send(walletAt(2), 625n * gwei);
  expect([swept, sweptTyped, kept]).toEqual([hash, hash, hash]);

  expect(await ask("farthing_setGasPrice", "625")).toBe(`0x${(625n * gwei).toString(16)}`);
  for (const one of [swept, sweptTyped]) {
    expect(await ask("eth_getTransactionByHash", one)).toBeNull();
  }
  expect(await ask("eth_gasPrice")).toBe(`0x${(625n * gwei).toString(16)}`);
  expect(await send(walletAt(0), usual)).toEqual(refused);
  await devnet.mine();
  expect(await ask("eth_getTransactionReceipt", swept)).toBeNull();
  expect(await ask("eth_getTransactionReceipt", kept)).toMatchObject({ status: "0x1" });
  expect(await baseFeeOf("latest")).toBe(625n * gwei);
  // The past stays as it was.
  expect(await baseFeeOf(`0x${before.toString(16)}`)).toBe(usual);
  const history = Object(await ask("eth_feeHistory", "0x2", "latest", []));
  expect(history.baseFeePerGas.map(BigInt)).toEqual([usual, 625n * gwei, 625n * gwei]);

  await devnet.setGasPrice(usual);
  expect(devnet.gasPrice()).toBe(usual);
  expect(await send(walletAt(0), usual)).toEqual(hash);
  await devnet.mine();
  expect(await baseFeeOf("latest")).toBe(usual);
});

test("what is not about the price reaches the chain as it came", async () => {
  const batch = await post([
    { jsonrpc: "2.0", id: "a", method: "eth_chainId" },
    { jsonrpc: "2.0", id: "b", method: "eth_gasPrice", params: [] },
    { jsonrpc: "2.0", id: "c", method: "eth_sendRawTransaction", params: ["0x02c0"] },
  ]);
  expect(batch).toMatchObject([
    { id: "a", result: "0x33" },
    { id: "b", result: `0x${usual.toString(16)}` },
    { id: "c", error: { message: expect.any(String) } },
  ]);
  expect(isObject(await post("{"))).toBe(true);
});

test.each(["0", "-1", "1e3", "", "100000", "12.5 gwei", "0.0000000001"])(
  "%j gwei is no price",
  async (text) => {
    expect(parseGwei(text)).toBeUndefined();
    const wrong = { code: -32_602, message: expect.stringContaining("such as 12.5") };
    expect(await ask("farthing_setGasPrice", text)).toEqual(wrong);
    expect(devnet.gasPrice()).toBe(usual);
  },
);

test("the page and the JSON say the price, and the page how to change it", async () => {
  expect(describeDevnet(devnet)).toMatchObject({ gasPriceGwei: "12.5" });
  const command = /curl http.*\{"jsonrpc".*\}/.exec(devnetPage(devnet))?.[0];
  expect(command).toContain(`"method":"farthing_setGasPrice","params":["625"]`);
  expect(command).toContain(devnet.rpcUrl);
});

test("a taken port is refused by its number, and without a price there is nothing to change", async () => {
  const port = Number(new URL(devnet.rpcUrl).port);
  await expect(startDevnet({ port, gasPriceWei: usual })).rejects.toThrow(`port ${port} is taken`);
  const plain = await startDevnet();
  try {
    expect([plain.gasPrice(), "gasPriceGwei" in describeDevnet(plain)]).toEqual([undefined, false]);
    await expect(plain.setGasPrice(usual)).rejects.toThrow("started without a gas price");
  } finally {
    await plain.stop();
  }
});
