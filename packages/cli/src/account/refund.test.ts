/** What `farthing refund` asks and says, at a facilitator that is scripted. With a chain: tools/e2e. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { payer as payTo } from "@farthing/buyer/testing";
import { xdc } from "@farthing/protocol";
import { expect, onTestFinished, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

const id = `stl_${"1".repeat(32)}`;

const settlement = {
  id,
  refundOf: null,
  network: "eip155:50",
  payer: `0x${"44".repeat(20)}`,
  payTo,
  amount: "10000",
  refundedAmount: "0",
  refunds: [],
  finalizedAt: "2026-01-01T00:00:00Z",
  createdAt: "2026-01-01T00:00:00Z",
  transaction: `0x${"cd".repeat(32)}`,
  extra: { nonce: `0x${"05".repeat(32)}` },
};

async function serve(answer: (method: string, path: string, body: string) => unknown) {
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const said = answer(request.method ?? "", request.url ?? "", await text(request));
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(said));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens at a port
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** Runs the command at a facilitator that answers refunds with this status; returns what it was sent. */
async function refund(flags: readonly string[], status = "confirmed", node = "none") {
  const sent: string[] = [];
  const facilitator = await serve((method, path) => {
    if (method !== "POST") return settlement;
    sent.push(path);
    return { id: "stl_2", status, transaction: "" };
  });
  const environment = {
    FARTHING_FACILITATOR_URL: facilitator,
    FARTHING_API_KEY: "fk",
    FARTHING_RPC_URL: node,
  };
  return { ...(await farthing(["refund", id, ...flags], { environment })), sent };
}

const word = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;

/** A node that shows the payment in block 10, and knows nothing of the nonces of refunds. */
function startNode(finalBlock: number) {
  const { payer, extra } = settlement;
  const used = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
  const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
  const logs = [
    { address: xdc.usdc, topics: [used, word(payer), extra.nonce], data: "0x" },
    { address: xdc.usdc, topics: [transfer, word(payer), word(payTo)], data: "0x2710" },
  ];
  const results: Record<string, unknown> = {
    eth_chainId: "0x32",
    eth_getBlockByNumber: { number: `0x${finalBlock.toString(16)}`, timestamp: "0x1" },
    eth_getTransactionReceipt: { status: "0x1", blockNumber: "0xa", logs },
  };
  return serve((_method, _path, body) => {
    const { id: call, method } = JSON.parse(body);
    return { jsonrpc: "2.0", id: call, result: results[String(method)] ?? null };
  });
}

test("an id that is none of a settlement: what one looks like, 2", async () => {
  const environment = { FARTHING_FACILITATOR_URL: "http://127.0.0.1:1", FARTHING_API_KEY: "fk" };
  const { code, stderr } = await farthing(["refund", "req_1", "--yes"], { environment });
  expect(stderr).toMatch(/^farthing: The settlement's id is stl_ and 32 hexadecimal digits/);
  expect(code).toBe(2);
});

test("without a terminal nothing is signed but for --yes", async () => {
  const { code, stderr, sent } = await refund([]);
  expect([code, sent]).toEqual([3, []]);
  expect(stderr).toContain("--yes");
});

test("a refund that is under way is open: 11", async () => {
  expect(await refund(["--yes", "--json"], "pending")).toMatchObject({
    code: 11,
    stdout: expect.stringContaining('"pending"'),
    sent: ["/v1/refunds"],
  });
});

test.each([
  ["does not show the payment as final", 9, /not show the payment as final/],
  ["does not say what was refunded", 20, /could not be compared with the chain/],
])("nothing is signed where the node %s", async (_, finalBlock, said) => {
  const { code, stderr, sent } = await refund(["--yes"], "confirmed", await startNode(finalBlock));
  expect(stderr).toMatch(said);
  expect([code === 0, sent]).toEqual([false, []]);
});
