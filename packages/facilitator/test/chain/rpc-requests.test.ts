/** How often a node is asked: with nothing open, for one payment, and while the node is away. */
import type { Devnet } from "@farthing/devnet";
import { isHexBytes } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Clock } from "@farthing/engine/base";
import {
  bodyOn,
  countOf,
  serveOn,
  startChain,
  textAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { createHastenedClock } from "@farthing/engine/testing/hastened-clock";
import { startRpcProxy, type NodeCall, type RpcProxy } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
let first: RpcProxy;
let second: RpcProxy;
let served: Served | undefined;
beforeAll(async () => {
  devnet = await startChain();
  [first, second] = await Promise.all([startRpcProxy(devnet.rpcUrl), startRpcProxy(devnet.rpcUrl)]);
});
afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop()]);
  await devnet?.stop();
});
afterEach(async () => {
  for (const proxy of [first, second]) proxy.react = () => undefined;
  await automine(true);
  await served?.stop();
  served = undefined;
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);

/** Settles while no block is made, and waits until the node has the transaction. */
async function settlePending({ post, relayer }: Served): Promise<string> {
  await automine(false);
  const before = await countOf(devnet, relayer);
  const { body } = await post("/settle", bodyOn(devnet), { prefer: "respond-async" });
  await expect.poll(() => countOf(devnet, relayer)).toBe(before + 1);
  return textAt(body, "id");
}

const untilConfirmed = ({ get }: Served, id: string) =>
  expect.poll(async () => (await get(`/settlements/${id}`)).body["status"]).toBe("confirmed");

/** HTTP requests to proxies while some time of a clock goes by, and how much that was in the end. */
async function countDuring(clock: Clock, proxies: readonly RpcProxy[], forMs: number) {
  for (const proxy of proxies) proxy.reset();
  const startMs = clock.nowMs();
  await clock.sleep(forMs);
  const requests = proxies.reduce((sum, proxy) => sum + proxy.requests, 0);
  return { requests, seconds: (clock.nowMs() - startMs) / 1_000 };
}

const isLook = ({ method, params: [place] }: NodeCall) =>
  method === "eth_blockNumber" || (method === "eth_getBlockByNumber" && place === "latest");

test.each([
  ["one endpoint", 1, 1],
  ["two endpoints", 2, 1],
  ["four workers", 1, 4],
])("nothing open, %s: at most six requests a minute in all", async (_, endpoints, workers) => {
  const clock = createHastenedClock(60);
  const proxies = [first, second].slice(0, endpoints);
  const rpcUrl = proxies.map(({ url }) => url).join(",");
  served = await serveOn(devnet, { clock, rpcUrl, env: { FARTHING_WORKERS: `${workers}` } });
  const { requests, seconds } = await countDuring(clock, proxies, 5 * 60_000);
  expect(requests).toBeLessThanOrEqual((seconds / 60) * 6);
  expect(requests).toBeGreaterThan(5);
});

test("one payment that no block takes: at most two requests a second", async () => {
  const clock = createHastenedClock(10);
  served = await serveOn(devnet, { clock, rpcUrl: first.url });
  await settlePending(served);
  const { requests, seconds } = await countDuring(clock, [first], 30_000);
  expect(requests).toBeLessThanOrEqual(seconds * 2);
});

test("the same while blocks come every two seconds, and the node has lost what it took", async () => {
  const clock = createHastenedClock(4);
  served = await serveOn(devnet, { clock, rpcUrl: first.url });
  await automine(false);
  first.react = ({ method, params: [raw] }) =>
    method === "eth_sendRawTransaction" && isHexBytes(raw, 10_000)
      ? { result: Hash.keccak256(raw) }
      : undefined;
  await served.post("/settle", bodyOn(devnet), { prefer: "respond-async" });
  const isOver = new AbortController();
  const mining = (async () => {
    while (!isOver.signal.aborted) {
      // By the service's time, which goes faster than the devnet's.
      await devnet.setNextBlockTimestamp(Math.floor(clock.nowMs() / 1_000));
      await devnet.mine();
      await clock.sleep(2_000, isOver.signal);
    }
  })();
  const { requests, seconds } = await countDuring(clock, [first], 30_000);
  isOver.abort();
  await mining;
  expect(requests).toBeLessThanOrEqual(seconds * 2);
});

test("a lone payment: at most six calls beside the looks for heads, until it is confirmed", async () => {
  served = await serveOn(devnet, { rpcUrl: first.url });
  await automine(false);
  first.reset();
  const settling = served.post("/settle", bodyOn(devnet));
  await expect.poll(() => first.countOf("eth_sendRawTransaction")).toBe(1);
  await devnet.mine();
  expect((await settling).body).toMatchObject({ success: true });
  const others = first.calls.filter((call) => !isLook(call)).map(({ method }) => method);
  expect(others.length, others.join(" ")).toBeLessThanOrEqual(6);
});

test("the node is away while a payment is open: asked ever more seldom, and told when it is back", async () => {
  const clock = createHastenedClock(10);
  served = await serveOn(devnet, { clock, rpcUrl: first.url });
  const id = await settlePending(served);
  first.react = () => "down";
  await devnet.mine();
  const { requests, seconds } = await countDuring(clock, [first], 60_000);
  expect(requests).toBeLessThanOrEqual(12 + seconds / 2);
  first.react = () => undefined;
  await untilConfirmed(served, id);
});
