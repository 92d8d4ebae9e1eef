/** The log tells a payment's story: one line for each change of its state, and nothing twice. */
import type { Devnet } from "@farthing/devnet";
import { isObject, type Hex, type JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createLog } from "@farthing/engine/base";
import {
  bodyOn,
  finalAfterBlocks,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { mineUnlessMined } from "../support/settlement-transactions.testing.ts";

let devnet: Devnet;
let served: Served;
const lines: string[] = [];
beforeAll(async () => {
  devnet = await startChain({ relayers: 2 });
  const log = createLog("info", { write: (line) => lines.push(line) });
  served = await serveOn(devnet, { log, wallets: [0, 1] });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});
beforeEach(() => automine(false));
afterEach(() => automine(true));

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);

async function settle(body: JsonObject): Promise<string> {
  const { body: answer } = await served.post("/settle", body, { prefer: "respond-async" });
  return textAt(answer, "id");
}

/** Makes blocks, one by one, until a settlement is in a state. */
async function untilState(id: string, state: string): Promise<void> {
  const look = async () => {
    const { state: now, transaction } = (await served.get(`/settlements/${id}`)).body;
    if (state === "confirmed") await mineUnlessMined(devnet, transaction);
    else await devnet.mine();
    return now;
  };
  await expect.poll(look, { interval: 200 }).toBe(state);
}

/** What the log says of a settlement, line by line. */
function storyOf(id: string): string[] {
  return lines.flatMap((line) => {
    const entry: unknown = JSON.parse(line);
    const { settlementId, settlementIds, msg } = isObject(entry) ? entry : {};
    const isOfIt =
      settlementId === id || (Array.isArray(settlementIds) && settlementIds.includes(id));
    return isOfIt ? [String(msg)] : [];
  });
}

test("confirmed; its block vanishes; confirmed again", async () => {
  const id = await settle(bodyOn(devnet));
  await untilState(id, "confirmed");
  const { blockNumber } = (await served.get(`/settlements/${id}`)).body;
  const head = Number(await devnet.rpc<Hex>("eth_blockNumber"));
  await devnet.rpc("anvil_reorg", [head - Number(blockNumber) + 1, []]);
  await devnet.mine();
  await expect.poll(() => storyOf(id).at(-1)).toMatch(/reorganised out/);
  await untilState(id, "confirmed");
  expect(storyOf(id)).toEqual([
    "Settlement queued",
    "Transaction signed and stored",
    "Settlement confirmed",
    "Settlement reorganised out",
    "Settlement confirmed",
  ]);
});

test("failed on chain", async () => {
  const payer = walletAt(devnet.buyers, 1);
  const id = await settle(bodyOn(devnet, { payer }));
  await devnet.usdc.setBalance(payer.address, 0n);
  await devnet.mine(finalAfterBlocks);
  await untilState(id, "failed");
  expect(storyOf(id)).toEqual([
    "Settlement queued",
    "Transaction signed and stored",
    "Settlement failed",
  ]);
});

test("given back by a wallet without gas money, and carried by another", async () => {
  const empty = walletAt(devnet.relayers, 0).address;
  const other = walletAt(devnet.relayers, 1).address;
  // Whichever of the two is given it, it has no money then.
  for (const wallet of [empty, other]) await devnet.rpc("anvil_setBalance", [wallet, "0x0"]);
  const id = await settle(bodyOn(devnet, { payer: walletAt(devnet.buyers, 2) }));
  const { sender } = takenBy(id);
  const rich = sender === empty ? other : empty;
  await devnet.rpc("anvil_setBalance", [rich, "0xde0b6b3a7640000"]);
  await untilState(id, "confirmed");
  expect(storyOf(id)).toEqual([
    "Settlement queued",
    "Transaction signed and stored",
    "Settlement requeued",
    "Transaction signed and stored",
    "Settlement confirmed",
  ]);
});

/** Which wallet a settlement was first given to. */
function takenBy(id: string) {
  const line = lines.find((one) => one.includes("signed and stored") && one.includes(id)) ?? "{}";
  const entry: unknown = JSON.parse(line);
  return { sender: isObject(entry) ? entry["relayer"] : undefined };
}
