/** How an authorization ended is read once a final block is past it: a later one may be replaced. */
import { startDevnet } from "@farthing/devnet";
import { networkOfChain, type Hex } from "@farthing/protocol";
import { expect, onTestFinished, test } from "vitest";
import { Secret, silentLog } from "../../src/base.ts";
import { createChain, createRpcEndpoint } from "../../src/index.ts";
import { readAuthorizationEnd } from "../../src/settlement/authorization-end.ts";

test("an authorization has an end when a final block is past it, and not by the newest one", async () => {
  const devnet = await startDevnet({ buyers: 1, blockTimeSeconds: 0 });
  onTestFinished(() => devnet.stop());
  const chain = createChain({
    network: networkOfChain(devnet.chainId),
    endpoints: [createRpcEndpoint({ url: new Secret(devnet.rpcUrl), index: 0 })],
    log: silentLog,
  });
  const [payer] = devnet.buyers;
  if (!payer) throw new Error("The devnet has no buyer");
  const head = async (tag: string) => {
    const block = await devnet.rpc<Record<"number" | "timestamp" | "hash" | "parentHash", Hex>>(
      "eth_getBlockByNumber",
      [tag, false],
    );
    const { hash, parentHash } = block;
    return { number: Number(block.number), time: BigInt(block.timestamp), hash, parentHash };
  };
  const expiresAtMs = Number((await head("latest")).time) * 1000 + 10_000;
  const end = async () => {
    const view = { head: await head("latest"), finalized: await head("finalized") };
    const nonce: Hex = `0x${"5a".repeat(32)}`;
    return readAuthorizationEnd({ chain, view }, { payer: payer.address, nonce, expiresAtMs });
  };
  await devnet.setNextBlockTimestamp(expiresAtMs / 1000 + 1);
  await devnet.mine();
  expect(await end()).toBe(undefined);
  await devnet.mine(3);
  expect(await end()).toEqual({ kind: "unused" });
});
