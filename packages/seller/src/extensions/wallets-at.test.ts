/** Contract wallets are asked through a node, which may fail, and may pass on what any wallet returns. */
import { isObject, member } from "@farthing/protocol";
import { afterEach, expect, test, vi } from "vitest";
import { walletsAt } from "./wallets-at.ts";

afterEach(() => vi.unstubAllGlobals());

/** Asks a node that serves Apothem about a signature. */
async function ask(reply: object, network = "eip155:51"): Promise<boolean> {
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const call: unknown = await new Request(url, init).json();
    const method = isObject(call) ? member(call, "method") : undefined;
    return Response.json(method === "eth_chainId" ? { result: "0x33" } : reply);
  });
  const wallet = { address: "0x00000000000000000000000000000000000000AA", network } as const;
  const verify = walletsAt("https://node.example/secret");
  return verify({ ...wallet, text: "text", signature: "0x1271" });
}

const accepted = `0x1626ba7e${"0".repeat(56)}`;

test.each([
  ["accepts", { result: accepted }, true],
  ["returns something else", { result: `0x${"f".repeat(64)}` }, false],
  ["is not deployed", { result: "0x" }, false],
  ["reverts", { error: { code: 3, message: "execution reverted" } }, false],
])("a wallet that %s", async (_what, reply, isAccepted) => {
  expect(await ask(reply)).toBe(isAccepted);
});

test.each([
  ["fails", { error: { code: -32_000, message: "no state" } }, "eip155:51"],
  ["serves another network", { result: accepted }, "eip155:50"],
  ["passes on more than a wallet returns", { result: accepted + "0".repeat(20_000) }, "eip155:51"],
])(
  "a node that %s decides nothing, and no error names its address",
  async (_what, reply, network) => {
    const error: unknown = await ask(reply, network).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).not.toContain("secret");
  },
);
