/** The block follower after its node was away for a while: what it asks, and that nothing is left out. */
import type { Devnet } from "@farthing/devnet";
import { startOrdinaryNode, type RunningNode } from "@farthing/lab/ordinary-node";
import { networkOfChain } from "@farthing/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createChain, createRpcEndpoint } from "@farthing/engine";
import { Secret, silentLog, systemClock } from "@farthing/engine/base";
import {
  type BlockFollower,
  startBlockFollower,
} from "@farthing/engine/source/chain/follower/block-follower";
import { bodyOn, frontRun, startChain } from "../support/facilitator.testing.ts";

let devnet: Devnet;
let node: RunningNode;
let follower: BlockFollower;
/** Blocks, with the transactions that have moved money by an authorization. */
let told: { readonly number: number; readonly transfers: readonly string[] }[];

beforeEach(async () => {
  devnet = await startChain();
  node = await startOrdinaryNode(devnet.rpcUrl);
  told = [];
  follower = startBlockFollower({
    chain: createChain({
      network: networkOfChain(devnet.chainId),
      endpoints: [createRpcEndpoint({ url: new Secret(node.url), index: 0 })],
      log: silentLog,
    }),
    clock: systemClock,
    log: silentLog,
    wallets: [],
    lateWallets: () => new Set(),
    interest: () => "outcome",
    listener: {
      onBlock: async ({ number, events }) => {
        // A use without its transfer would be taken for a payment of something else.
        const paid = events.filter(({ transfer }) => transfer !== undefined);
        told.push({ number, transfers: paid.map(({ transaction }) => transaction) });
      },
      onReorganisation: async () => expect.unreachable("nothing was replaced"),
    },
  });
  await follower.ready();
});
afterEach(async () => {
  await follower.stop();
  await node.stop();
  await devnet.stop();
});

const head = async () => Number(await devnet.rpc<string>("eth_blockNumber"));

test.each([
  ["in ranges, where they are given", {}, 60],
  ["block by block, where they are not", { logs: { maxRangeBlocks: 1 } }, 400],
])("%s", async (_, conditions, callsMax) => {
  node.conditions = { expiredKey: 401 };
  const payments: string[] = [];
  for (let part = 0; part < 3; part++) {
    await devnet.mine(40);
    payments.push(await frontRun(devnet, bodyOn(devnet)));
  }
  await devnet.mine(30);
  node.conditions = conditions;
  node.record.reset();
  const last = await head();
  await expect.poll(() => told.at(-1)?.number).toBe(last);
  expect(told.flatMap(({ transfers }) => transfers)).toEqual(payments);
  const numbers = told.map(({ number }) => number);
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(node.record.calls()).toBeLessThan(callsMax);
  const largest = Math.max(...node.record.exchanges.map(({ methods }) => methods.length));
  expect(largest).toBeLessThanOrEqual(33);
});
