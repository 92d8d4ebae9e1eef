/** What `farthing refund` asks and says, at a facilitator that is scripted. With a chain: tools/e2e. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { payer as payTo } from "@farthing/buyer/testing";
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
  extra: { nonce: `0x${"05".repeat(32)}` },
};

/** Runs the command at a facilitator that answers refunds with this status; returns what it was sent. */
async function refund(flags: readonly string[], status = "confirmed") {
  const sent: string[] = [];
  const server = createServer((request, response) => {
    const isRefund = request.method === "POST";
    if (isRefund) sent.push(String(request.url));
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(isRefund ? { id: "stl_2", status, transaction: "" } : settlement));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens at a port
  const { port } = server.address() as AddressInfo;
  const environment = {
    FARTHING_FACILITATOR_URL: `http://127.0.0.1:${port}`,
    FARTHING_API_KEY: "fk",
  };
  return { ...(await farthing(["refund", id, ...flags], { environment })), sent };
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
