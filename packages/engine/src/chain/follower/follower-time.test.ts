/** What the follower measures when this machine's time of day is put back an hour. */
import { networkOfChain } from "@farthing/protocol";
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../base/log.ts";
import { startBlockFollower } from "./block-follower.ts";
import type { BlockInterest } from "./chain-view.ts";
import { createChain } from "../endpoints/chain.ts";
import { createVirtualClock } from "../endpoints/limited-node.testing.ts";
import type { RpcReply, RpcCall, RpcEndpoint } from "../endpoints/rpc-endpoint.ts";

const chainId = 51;
const startMs = 1_700_000_000_000;
const hourMs = 3_600_000;

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, "0")}`;

/** A follower in virtual time, of a chain with a block every two seconds, at two endpoints. */
async function follow(interest: BlockInterest) {
  const clock = createVirtualClock(startMs);
  const asked: string[] = [];
  let putBackMs = 0;
  let hasLogs = true;
  function headerOf(place: unknown) {
    const newest = Math.floor((clock.nowMs() + putBackMs - startMs) / 2_000) + 100;
    const number = place === "latest" || place === "finalized" ? newest : Number(place);
    const timestamp = `0x${(startMs / 1_000 + (number - 100) * 2).toString(16)}`;
    const parentHash = hashOf(number - 1);
    return { number: `0x${number.toString(16)}`, hash: hashOf(number), parentHash, timestamp };
  }
  function answer({ method, params }: RpcCall): RpcReply {
    asked.push(method);
    if (method === "eth_getBlockByNumber") return { ok: true, result: headerOf(params[0]) };
    if (method === "eth_blockNumber") return { ok: true, result: headerOf("latest").number };
    if (method === "eth_getLogs" && hasLogs) return { ok: true, result: [] };
    if (method === "eth_getLogs") {
      return { ok: false, error: { code: -32_603, message: "internal error", data: undefined } };
    }
    return { ok: true, result: method === "eth_chainId" ? "0x33" : "0x1" };
  }
  const endpointAt = (index: number): RpcEndpoint => ({
    index,
    send: async (calls) => ({ kind: "answered", answers: calls.map(answer) }),
  });
  const endpoints = [endpointAt(0), endpointAt(1)];
  const follower = startBlockFollower({
    chain: createChain({ network: networkOfChain(chainId), endpoints, log: silentLog, clock }),
    clock,
    log: silentLog,
    wallets: [],
    lateWallets: () => new Set(),
    interest: () => interest,
    listener: { onBlock: async () => undefined, onReorganisation: async () => undefined },
  });
  onTestFinished(async () => {
    const stopped = follower.stop();
    // A read that fails at once is repeated for less than a second.
    await clock.advance(1_000);
    await stopped;
  });
  await clock.advance(60_000);
  return {
    clock,
    follower,
    countOf: (method: string) => asked.filter((one) => one === method).length,
    putBack(ms: number) {
      clock.putBack(ms);
      putBackMs += ms;
    },
    loseLogs() {
      hasLogs = false;
    },
  };
}

test("endpoints are compared as often as before", async () => {
  const { clock, countOf, putBack } = await follow("finality");
  putBack(hourMs);
  const before = countOf("eth_chainId");
  await clock.advance(60_000);
  // Every four seconds, at both.
  expect(countOf("eth_chainId") - before).toBeGreaterThanOrEqual(20);
});

test("gas price and finality are read as often as before", async () => {
  const { clock, countOf, putBack } = await follow("none");
  putBack(hourMs);
  const before = countOf("eth_gasPrice");
  await clock.advance(600_000);
  expect(countOf("eth_gasPrice") - before).toBeGreaterThanOrEqual(8);
});

test("how long blocks could not be read is told as it was", async () => {
  const { clock, follower, putBack, loseLogs } = await follow("outcome");
  loseLogs();
  await clock.advance(10_000);
  putBack(hourMs);
  await clock.advance(20_000);
  expect(follower.view()?.unread?.seconds).toBeGreaterThan(20);
});
