/** How often nodes are asked for a wallet that was left behind, in virtual time. */
import { networkOfChain, zeroAddress, type Hex } from "@farthing/protocol";
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { createChain } from "../chain/endpoints/chain.ts";
import { createVirtualClock } from "../chain/endpoints/limited-node.testing.ts";
import type { RpcCall, RpcEndpoint } from "../chain/endpoints/rpc-endpoint.ts";
import { Fault } from "../base/fault.ts";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import { createLeaseOwner } from "./lease.ts";
import { startLeftBehind } from "./left-behind.ts";

const hash: Hex = `0x${"1".repeat(64)}`;
const wallet = zeroAddress;
const chainId = 51;

const open: RelayerTransaction = {
  id: 1,
  chainId,
  lane: wallet,
  nonce: 5,
  state: "signed",
  raw: "0x01",
  hash,
  settlementIds: ["stl_1"],
  to: wallet,
  data: "0x",
  gasLimit: 1n,
  gasPrice: 1n,
};

/** Looks after one wallet with one open transaction, at two endpoints that answer like this. */
function lookAfter(answer: (call: RpcCall) => unknown) {
  const clock = createVirtualClock();
  const asked: string[] = [];
  const endpointAt = (index: number): RpcEndpoint => ({
    index,
    async send(calls) {
      asked.push(...calls.map(({ method }) => `${method} ${index}`));
      const answers = calls.map((call) => ({ ok: true as const, result: answer(call) }));
      return { kind: "answered", answers };
    },
  });
  const endpoints = [endpointAt(0), endpointAt(1)];
  const leftBehind = startLeftBehind({
    chain: createChain({ network: networkOfChain(chainId), endpoints, log: silentLog, clock }),
    clock,
    log: silentLog,
    owner: createLeaseOwner({ sameMachine: true }),
    addresses: [],
    lost: { onUnknownUse: () => undefined },
    store: {
      listCarryingWallets: async () => [
        {
          wallet,
          settlements: 1,
          oldestAt: clock.nowMs(),
          holder: { owner: null, isRunning: false, wantedBy: null },
        },
      ],
      listOpenTransactions: async () => [open],
      closeNonce: async () => undefined,
      closeTransactions: async () => undefined,
      recordSent: async () => undefined,
    },
    events: { onMinedWithoutLog: async () => [], onNeverMined: async () => undefined },
    headNumber: () => 1,
    finalizedNumber: () => 1,
  });
  onTestFinished(async () => {
    const stopped = leftBehind.stop();
    await clock.advance(0);
    await stopped;
  });
  const count = (method: string) => asked.filter((one) => one.startsWith(method)).length;
  return { clock, asked, count };
}

const hourMs = 3_600_000;

/** Pauses that double from ten seconds to five minutes fit so often into an hour. */
const triesMax = 5 + 12;

test("a node that is away is asked ever more seldom", async () => {
  const { clock, count } = lookAfter(() => {
    throw new Fault("rpc_unavailable", "no answer");
  });
  await clock.advance(hourMs);
  // Each try asks both endpoints.
  expect(count("eth_getTransactionCount")).toBeLessThanOrEqual(2 * triesMax);
  expect(count("eth_getTransactionCount")).toBeGreaterThanOrEqual(10);
});

test("what is not mined is sent ever more seldom, each time to one endpoint, and to all in turn", async () => {
  const { clock, asked, count } = lookAfter(({ method }) =>
    method === "eth_sendRawTransaction" ? hash : "0x0",
  );
  await clock.advance(hourMs);
  expect(count("eth_sendRawTransaction")).toBeLessThanOrEqual(triesMax);
  const sends = asked.filter((one) => one.startsWith("eth_sendRawTransaction"));
  expect(sends.slice(0, 4).map((one) => one.slice(-1))).toEqual(["0", "1", "0", "1"]);
});

test("after others were mined, what is left is looked at soon", async () => {
  let mined = 1;
  const { clock, count } = lookAfter(({ method }) =>
    method === "eth_sendRawTransaction" ? hash : `0x${mined.toString(16)}`,
  );
  await clock.advance(hourMs);
  mined = 2;
  const before = count("eth_getTransactionCount");
  // Two of the longest pauses: in vain, no more than three looks fit.
  await clock.advance(900_000);
  expect(count("eth_getTransactionCount") - before).toBeGreaterThan(3);
});
