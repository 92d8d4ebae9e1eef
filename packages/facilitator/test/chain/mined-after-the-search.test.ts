/**
 * A database loses a payment whose transaction is on its way, and that is mined just after the chain was
 * searched for what is missing.
 */
import { createLog } from "@farthing/engine/base";
import { startRpcProxy, type NodeCall } from "@farthing/lab/rpc-proxy";
import { expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  newDatabaseUrl,
  serveOn,
  startChain,
  walletAt,
} from "../support/facilitator.testing.ts";
import { rememberIn, settleEvaluated } from "../support/lost-rows.testing.ts";

const isNewestCount = ({ method, params }: NodeCall) =>
  method === "eth_getTransactionCount" && params[1] === "latest";

test("a lost payment that is mined once the search has ended is found as well", async () => {
  const devnet = await startChain({ buyers: 2 });
  onTestFinished(() => devnet.stop());
  const proxy = await startRpcProxy(devnet.rpcUrl);
  onTestFinished(() => proxy.stop());
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const databaseUrl = newDatabaseUrl();
  const served = await serveOn(devnet, { databaseUrl, log, rpcUrl: proxy.url });
  onTestFinished(served.stop);
  const paymentOf = (buyer: number) => bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) });

  expect(await settleEvaluated(served, paymentOf(0))).toMatchObject({ success: true });
  const loseSince = rememberIn(databaseUrl);
  await devnet.rpc("evm_setIntervalMining", [0]);
  const lost = paymentOf(1);
  await served.post("/settle", lost, { prefer: "respond-async" });
  await expect.poll(() => devnet.rpc("txpool_status", [])).toMatchObject({ pending: "0x1" });
  loseSince();

  let mining: Promise<void> | undefined;
  let isMined = false;
  const mine = async () => {
    await expect.poll(() => lines.join("")).toContain('"event":"settlements_recovered"');
    await devnet.rpc("evm_mine");
    isMined = true;
  };
  // The wallet's gaps are filled from its newest count on, so that none is left then.
  proxy.step = async (when, calls) => {
    if (when === "before" && calls.some(isNewestCount)) await (mining ??= mine());
  };
  await expect.poll(() => isMined).toBe(true);
  await devnet.rpc("evm_setIntervalMining", [1]);
  // Without a repeat by its caller.
  await expect
    .poll(() => lines.join(""), { timeout: 20_000 })
    .toMatch(/"event":"settlements_recovered"[^\n]*"settlements":1,/);
  expect(await settleEvaluated(served, lost)).toMatchObject({ success: true });
});
