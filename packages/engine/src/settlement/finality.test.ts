/** Every confirmed settlement becomes final, also one that is confirmed when its block is final already. */
import { networkOfChain } from "@farthing/protocol";
import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { createChain } from "../chain/endpoints/chain.ts";
import { createFinality } from "./finality.ts";
import { createWaiters } from "./waiters.ts";

const viewOf = (number: number) => ({ finalized: { number } });

const finalityOn = (
  store: Parameters<typeof createFinality>[0]["store"],
  block: () => unknown = () => null,
) =>
  createFinality({
    chain: {
      ...createChain({ network: networkOfChain(51), endpoints: [], log: silentLog }),
      read: async () => [{ ok: true, result: block() }],
    },
    log: silentLog,
    clock: systemClock,
    waiters: createWaiters(systemClock),
    store,
  });

test("what is confirmed while finality is recorded becomes final with the next head", async () => {
  const [isAsked, isReplying] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const asked: number[] = [];
  const finality = finalityOn({
    listUnfinalizedBlocks: async () => [],
    async recordFinalized(_chain, upTo) {
      asked.push(upTo);
      isAsked.resolve();
      await isReplying.promise;
      return [];
    },
  });
  finality.noteConfirmed(7);
  const first = finality.onHead(viewOf(10));
  // More confirmations than finality needs: its block is final before it is confirmed.
  await isAsked.promise;
  finality.noteConfirmed(9);
  isReplying.resolve();
  await first;
  expect(finality.isAwaited()).toBe(true);
  await finality.onHead(viewOf(11));
  expect(asked).toEqual([10, 11]);
  expect(finality.isAwaited()).toBe(false);
});

test("what another process confirmed in another block than was seen here is not final", async () => {
  const [ours, theirs] = [`0x${"a1".repeat(32)}`, `0x${"b2".repeat(32)}`] as const;
  const asked: number[] = [];
  const finality = finalityOn({
    listUnfinalizedBlocks: async () => [{ number: 7, hash: theirs }],
    async recordFinalized(_chain, upTo) {
      asked.push(upTo);
      return [];
    },
  });
  finality.noteBlock({ number: 7, hash: ours });
  finality.noteConfirmed(7);
  await finality.onHead(viewOf(10));
  expect([asked, finality.isAwaited()]).toEqual([[], true]);
});

test("a stored confirmation is final once its block is seen; a node without the block proves nothing", async () => {
  const [stored, other] = [`0x${"a1".repeat(32)}`, `0x${"b2".repeat(32)}`] as const;
  const asked: number[] = [];
  const node: { block: unknown } = { block: null };
  const finality = finalityOn(
    {
      listUnfinalizedBlocks: async () => [{ number: 7, hash: stored }],
      async recordFinalized(_chain, upTo) {
        asked.push(upTo);
        return [];
      },
    },
    () => node.block,
  );
  await finality.readPast();
  expect(await finality.findReorganisedOut()).toBe(undefined);
  await finality.onHead(viewOf(10));
  expect(asked).toEqual([]);
  node.block = { hash: other };
  expect(await finality.findReorganisedOut()).toEqual({ number: 7, hash: stored });
  await finality.readPast();
  node.block = { hash: stored };
  expect(await finality.findReorganisedOut()).toBe(undefined);
  await finality.onHead(viewOf(11));
  expect([asked, finality.isAwaited()]).toEqual([[11], false]);
});
