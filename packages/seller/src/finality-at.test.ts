/** What a node's replies say of the finality of a transaction; e2e tests ask a real node. */
import { isObject, member } from "@farthing/protocol";
import { afterEach, expect, test, vi } from "vitest";
import { finalityAt } from "./finality-at.ts";

afterEach(() => vi.unstubAllGlobals());

async function ask(receipt: unknown, final: unknown, network = "eip155:51") {
  const results: Record<string, unknown> = {
    eth_chainId: "0x33",
    eth_getTransactionReceipt: receipt,
    eth_getBlockByNumber: final,
  };
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const call: unknown = await new Request(url, init).json();
    const method = isObject(call) ? member(call, "method") : undefined;
    return Response.json({ result: results[String(method)] });
  });
  const read = finalityAt("https://node.example/secret");
  return read({ network, transaction: `0x${"cd".repeat(32)}` });
}

const mined = { blockNumber: "0x10", status: "0x1" };

test.each([
  ["is final", mined, { number: "0x10" }, "final"],
  ["has reverted", { ...mined, status: "0x0" }, { number: "0x11" }, "void"],
  ["is not final yet", mined, { number: "0xf" }, "open"],
  ["is not mined", null, { number: "0x11" }, "open"],
  ["is pending", { status: "0x1", blockNumber: null }, { number: "0x11" }, "open"],
  ["is on a node without a final block", mined, null, "open"],
  ["has no readable status", { blockNumber: "0x10", status: null }, { number: "0x11" }, "open"],
  ["has an unreadable block", { ...mined, blockNumber: "latest" }, { number: "0x11" }, "open"],
])("a transaction that %s", async (_what, receipt, final, finality) => {
  expect(await ask(receipt, final)).toBe(finality);
});

test.each([
  ["fails", undefined, "eip155:51"],
  ["serves another network", mined, "eip155:50"],
])(
  "a node that %s decides nothing, and no error names its address",
  async (_what, receipt, network) => {
    const error: unknown = await Promise.resolve(ask(receipt, null, network)).catch(
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).not.toContain("secret");
  },
);
