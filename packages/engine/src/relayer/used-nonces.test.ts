/** When a used nonce is closed: not before nothing at it can come back. */
import { networkOfChain } from "@farthing/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { createChain } from "../chain/endpoints/chain.ts";
import type { RpcReply } from "../chain/endpoints/rpc-endpoint.ts";
import { createPendingNonce } from "./pending-nonce.ts";
import { signedTransaction } from "./relayer-transaction.testing.ts";
import { checkUsedNonces, usedNonceStep } from "./used-nonces.ts";

const blocks = { head: 10, finalized: 7 };

test.each([
  ["of a block that was not read yet", 11, { payments: 0, carried: 0 }, "wait"],
  ["a call without payments, at once", 10, { payments: 0, carried: 0 }, "close"],
  [
    "a cancellation, while its payments have their outcome elsewhere",
    10,
    { payments: 1, carried: 0 },
    "wait",
  ],
  ["a payment without a log, while its block can vanish", 8, { payments: 1, carried: 1 }, "wait"],
  ["a payment without a log, in a final block", 7, { payments: 1, carried: 1 }, "resolve"],
  ["a cancellation in a final block", 7, { payments: 2, carried: 0 }, "close"],
] as const)("%s", (_, blockNumber, open, step) => {
  expect(usedNonceStep(blockNumber, open, blocks)).toBe(step);
});

const attempt = signedTransaction(1);

const noReceipt: RpcReply = { ok: true, result: null };
const past: readonly RpcReply[] = [{ ok: true, result: "0x8" }, noReceipt];
const before: readonly RpcReply[] = [{ ok: true, result: "0x7" }, noReceipt];

/** What is done about the nonce where a receipt of its transaction is there or not, in order. */
async function check(more: {
  readonly receipt: RpcReply;
  readonly elsewhere?: readonly RpcReply[] | "none" | "silent";
  readonly hereAt?: (block: number) => readonly RpcReply[];
  readonly again?: readonly string[];
}): Promise<readonly string[]> {
  const { receipt, elsewhere = "none", hereAt = () => past, again = [] } = more;
  const done: string[] = [];
  const pending = createPendingNonce(attempt, 5, true);
  const manager = {
    signer: { address: attempt.lane },
    pendingNonces: () => [pending],
    raiseNonce: async () => undefined,
    close: async () => void done.push("closed"),
  };
  const network = networkOfChain(51);
  const deps = {
    chain: {
      ...createChain({ network, endpoints: [], log: silentLog }),
      read: async () => [receipt],
      readTwice: async (_calls: unknown, block: number) => ({ here: hereAt(block), elsewhere }),
    },
    log: silentLog,
    lost: { onUnknownUse: () => void done.push("searched") },
    finalizedNumber: () => blocks.finalized,
    events: {
      onMinedWithoutLog: async () => again,
      onNeverMined: async (ids: readonly string[]) => void done.push(...ids),
    },
  };
  await checkUsedNonces(manager, { number: blocks.head, count: 8 }, deps);
  return done;
}

test.each([
  ["is not there", "none", true],
  ["says so too", past, true],
  ["is silent", "silent", false],
  ["counts fewer", before, false],
] as const)(
  "others have used a nonce: where a second endpoint %s",
  async (_, elsewhere, isGone) => {
    const done = await check({ receipt: noReceipt, elsewhere });
    expect(done).toEqual(isGone ? ["searched", "closed", "stl_1"] : []);
  },
);

test("others have used a nonce in a block that can vanish: it stays ours", async () => {
  const done = await check({
    receipt: noReceipt,
    hereAt: (block) => (block > blocks.finalized ? past : before),
  });
  expect(done).toEqual([]);
});

const reverted: RpcReply = {
  ok: true,
  result: { status: "0x0", blockNumber: "0x7", logs: [] },
};

test("a nonce whose transaction reverted is closed before its payment is settled again, if it is", async () => {
  expect(await check({ receipt: reverted, again: ["stl_1"] })).toEqual(["closed", "stl_1"]);
  expect(await check({ receipt: reverted })).toEqual(["closed"]);
});
