/** When a used nonce is closed: not before nothing at it can come back. */
import { networkOfChain } from "@farthing/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { createChain } from "../chain/endpoints/chain.ts";
import type { RpcReply } from "../chain/endpoints/rpc-endpoint.ts";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import { plainTransferGas } from "./fees.ts";
import { createPendingNonce } from "./pending-nonce.ts";
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

const address = "0x1111111111111111111111111111111111111111";

const attempt: RelayerTransaction = {
  id: 1,
  chainId: 51,
  lane: address,
  nonce: 3,
  settlementIds: ["stl_1"],
  to: "0x2222222222222222222222222222222222222222",
  data: "0x",
  gasLimit: plainTransferGas,
  gasPrice: 12_500_000_000n,
  raw: "0x00",
  hash: `0x${"aa".repeat(32)}`,
  state: "sent",
};

const noReceipt: RpcReply = { ok: true, result: null };
const past: readonly RpcReply[] = [{ ok: true, result: "0x4" }, noReceipt];
const before: readonly RpcReply[] = [{ ok: true, result: "0x3" }, noReceipt];

test.each([
  ["is not there", "none", true],
  ["says so too", past, true],
  ["is silent", "silent", false],
  ["counts fewer", before, false],
] as const)(
  "others have used a nonce: where a second endpoint %s",
  async (_, elsewhere, isGone) => {
    const done: string[] = [];
    const pending = createPendingNonce(attempt, 5, true);
    const manager = {
      signer: { address } as const,
      pendingNonces: () => [pending],
      raiseNonce: async () => undefined,
      close: async () => void done.push("closed"),
    };
    const network = networkOfChain(51);
    const deps = {
      chain: {
        ...createChain({ network, endpoints: [], log: silentLog }),
        read: async () => [noReceipt],
        readTwice: async () => ({ here: past, elsewhere }),
      },
      log: silentLog,
      lost: { onUnknownUse: () => undefined },
      finalizedNumber: () => 7,
      events: {
        onMinedWithoutLog: async () => [],
        onNeverMined: async (ids: readonly string[]) => void done.push(...ids),
      },
    };
    await checkUsedNonces(manager, { number: 10, count: 4 }, deps);
    expect(done).toEqual(isGone ? ["closed", "stl_1"] : []);
  },
);
