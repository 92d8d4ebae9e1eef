/** How long refusals wait for transactions that the database has lost. */
import { networkOfChain } from "@farthing/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { createChain } from "../chain/endpoints/chain.ts";
import { createLostNonces } from "./lost-nonces.ts";

const address = "0x1111111111111111111111111111111111111111";

function lostNoncesAt(now: { atMs: number; count: number }) {
  const here = () => [{ ok: true, result: `0x${now.count.toString(16)}` }] as const;
  return createLostNonces({
    chain: {
      ...createChain({ network: networkOfChain(51), endpoints: [], log: silentLog }),
      readTwice: async () => ({ here: here(), elsewhere: "none" }),
    },
    log: silentLog,
    clock: { nowMs: () => now.atMs, steadyMs: () => now.atMs, sleep: async () => undefined },
    relayer: address,
    lease: { take: async () => undefined },
    lost: { mayRaise: async () => true, search: () => undefined },
    finalizedNumber: () => 1,
  });
}

test("refusals wait until a final block has used what was lost", async () => {
  const now = { atMs: 0, count: 3 };
  const nonces = lostNoncesAt(now);
  expect(await nonces.mayBeMined()).toBe(false);
  nonces.note(3, 5);
  expect(await nonces.mayBeMined()).toBe(true);
  now.count = 5;
  expect(await nonces.mayBeMined()).toBe(false);
});

test("they wait for ten minutes at most, also of a wallet that another process holds now", async () => {
  const now = { atMs: 0, count: 3 };
  const nonces = lostNoncesAt(now);
  const ask = () => {
    nonces.noteKnown(5);
    return nonces.mayBeMined();
  };
  expect(await ask()).toBe(true);
  now.atMs = 10 * 60_000 - 1;
  expect(await ask()).toBe(true);
  now.atMs++;
  expect([await ask(), await ask()]).toEqual([false, false]);
  // A new loss is waited for again.
  nonces.note(3, 5);
  expect(await ask()).toBe(true);
});
