/** XDPoSChain's pool in front of a devnet, which takes all of this by itself. */
import { startDevnet, type Devnet } from "@farthing/devnet";
import { isObject, type Hex } from "@farthing/protocol";
import * as Secp256k1 from "ox/Secp256k1";
import * as TxEnvelopeLegacy from "ox/TxEnvelopeLegacy";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startOrdinaryNode, type RunningNode } from "./node-server.ts";

const gwei = 10n ** 9n;
/** The constant base fee. */
const floor = 12_500_000_000n;

let devnet: Devnet;
let node: RunningNode;
let nonce = 0;

beforeAll(async () => {
  devnet = await startDevnet({ blockTimeSeconds: 0, buyers: 1, relayers: 1 });
  // What is sent waits in the pool until a block is made.
  await devnet.rpc("evm_setAutomine", [false]);
  node = await startOrdinaryNode(devnet.rpcUrl, { pool: {} });
});
afterAll(async () => {
  await node.stop();
  await devnet.stop();
});
beforeEach(async () => {
  await devnet.rpc("evm_mine");
  nonce = Number(
    await devnet.rpc<Hex>("eth_getTransactionCount", [devnet.relayers[0]?.address, "latest"]),
  );
});

function sign(change: { nonce?: number; gasPrice?: bigint; gas?: bigint; value?: bigint }): Hex {
  const privateKey = devnet.relayers[0]?.privateKey ?? "0x";
  const { nonce: own = nonce, gasPrice = floor, gas = 21_000n, value = 0n } = change;
  const { chainId, seller } = devnet;
  const fields = { chainId, to: seller.address, gasPrice, gas, value, nonce: BigInt(own) };
  const envelope = TxEnvelopeLegacy.from(fields);
  const payload = TxEnvelopeLegacy.getSignPayload(envelope);
  const signature = Secp256k1.sign({ payload, privateKey });
  return TxEnvelopeLegacy.serialize(TxEnvelopeLegacy.from(envelope, { signature }));
}

async function send(...raws: readonly Hex[]): Promise<unknown[]> {
  const body = raws.map((raw, id) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_sendRawTransaction",
    params: [raw],
  }));
  const response = await fetch(node.url, { method: "POST", body: JSON.stringify(body) });
  const answers: unknown = await response.json();
  return (Array.isArray(answers) ? answers : []).map((answer: unknown) => {
    const error = isObject(answer) ? answer["error"] : undefined;
    return isObject(error) ? error["message"] : "taken";
  });
}

test("a full pool takes replacements only", async () => {
  node.conditions = { pool: { maxTransactions: 1 } };
  expect(await send(sign({}), sign({ nonce: nonce + 1 }))).toEqual(["taken", "txpool is full"]);
  expect(await send(sign({ gasPrice: 20n * gwei }))).toEqual(["taken"]);
  node.conditions = { pool: {} };
});

test("the price floor, the fee cap and the sender's funds", async () => {
  expect(await send(sign({ gasPrice: 0n }))).toEqual(["zero gas price"]);
  expect(await send(sign({ gasPrice: floor - 1n }))).toEqual(["under min gas price"]);
  const dear = sign({ gasPrice: 1_000n * gwei, gas: 1_000_001n });
  expect(await send(dear)).toEqual([expect.stringContaining("exceeds the configured cap")]);
  expect(await send(sign({ value: 10n ** 24n }))).toEqual([
    "insufficient funds for gas * price + value",
  ]);
  expect(await send(sign({}))).toEqual(["taken"]);
});

test("ten nonces ahead of what the pool has, and no more", async () => {
  expect(await send(sign({ nonce: nonce + 11 }))).toEqual(["nonce too high"]);
  expect(await send(sign({ nonce: nonce - 1 }))).toEqual(["nonce too low"]);
  const inOrder = [0, 1, 2].map((ahead) => sign({ nonce: nonce + ahead }));
  expect(await send(...inOrder)).toEqual(["taken", "taken", "taken"]);
  expect(await send(sign({ nonce: nonce + 13 }))).toEqual(["taken"]);
});

test("a replacement pays a tenth more; the same bytes are known", async () => {
  const first = sign({});
  expect(await send(first, first)).toEqual(["taken", "already known"]);
  expect(await send(sign({ gasPrice: (floor * 109n) / 100n }))).toEqual([
    "replacement transaction underpriced",
  ]);
  expect(await send(sign({ gasPrice: (floor * 11n) / 10n }))).toEqual(["taken"]);
});
