/** Answers that no honest node gives: they are refused, and cost no more than an honest one. */
import { pipeline, Readable } from "node:stream";
import { networkOfChain, type Hex } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { messageOf } from "../../base/fault.ts";
import { silentLog } from "../../base/log.ts";
import { Secret } from "../../base/secret.ts";
import { readEventsOfBlocks } from "../logs/block-events.ts";
import { readHeader } from "../reads/block-headers.ts";
import { serveHere } from "../endpoints/answering-node.testing.ts";
import { createChain } from "../endpoints/chain.ts";
import { readConditions } from "./chain-conditions.ts";
import { createRpcEndpoint, type RpcCall } from "../endpoints/rpc-endpoint.ts";
import { topics } from "../contracts/usdc.ts";

const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`;
const quantityOf = (number: number) => `0x${number.toString(16)}`;

const header = (number: number, time: number) => ({
  number: quantityOf(number),
  hash: hashOf("a"),
  parentHash: hashOf("b"),
  timestamp: quantityOf(time),
});

/** A chain whose only endpoint gives these results. */
function chainOf(answer: (call: RpcCall) => unknown) {
  const network = networkOfChain(51);
  const send = async (calls: readonly RpcCall[]) => ({
    kind: "answered" as const,
    answers: calls.map((call) => ({ ok: true as const, result: answer(call) })),
  });
  return createChain({ network, endpoints: [{ index: 0, send }], log: silentLog });
}

test("a block of another number than the one asked for", async () => {
  const chain = chainOf(() => header(1_000_000_000, 7));
  await expect(readHeader(chain, 12)).rejects.toThrow(/another block than the one asked for/);
});

const used = (blockNumber: number, blockHash: Hex) => ({
  topics: [topics.used, hashOf("1"), hashOf("2")],
  data: "0x",
  transactionHash: hashOf("3"),
  blockNumber: quantityOf(blockNumber),
  blockHash,
  logIndex: "0x0",
});

describe("logs of another block than the one asked for", () => {
  test.each([
    ["by their number", used(1_000_000_000, hashOf("a"))],
    ["by their hash", used(12, hashOf("c"))],
  ])("%s", async (_, log) => {
    const block = { number: 12, hash: hashOf("a") };
    const reading = readEventsOfBlocks(
      chainOf(() => [log]),
      [block],
    );
    await expect(reading).rejects.toThrow(/logs of another block/);
    const right = chainOf(() => [used(12, hashOf("a"))]);
    expect(await readEventsOfBlocks(right, [block])).toHaveLength(1);
  });
});

test("a final block that is later than the newest one is none", () => {
  const wanted = { finality: true, gasPrice: false, wallets: [] };
  const head = { number: 20, hash: hashOf("a"), parentHash: hashOf("b"), time: 1_000n };
  const read = (time: number) =>
    readConditions(wanted, [{ ok: true, result: header(12, time) }], head).finalized;
  expect(read(1_000)).toMatchObject({ number: 12, time: 1_000n });
  expect(read(2_000_000_000)).toBeUndefined();
});

test("a body without end is given up long before memory is", async () => {
  const mebibyte = Buffer.alloc(1024 * 1024, " ");
  let sent = 0;
  function* pour() {
    for (; sent < 1_000; sent++) yield mebibyte;
  }
  const node = await serveHere((response) => pipeline(Readable.from(pour()), response, () => {}));
  const endpoint = createRpcEndpoint({
    url: new Secret(`http://${node}`),
    index: 0,
    timeoutMs: 60_000,
  });
  const sending = endpoint.send([{ method: "eth_blockNumber", params: [] }]);
  expect(await sending.catch(messageOf)).toBe("RPC endpoint 0: the answer is too large");
  expect(sent).toBeLessThan(200);
});
