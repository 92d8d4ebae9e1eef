/** What a call of a contract is told to have come to: never more than the chain and the nodes have said. */
import { networkOfChain } from "@farthing/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { createChain } from "../chain/endpoints/chain.ts";
import type { RpcReply } from "../chain/endpoints/rpc-endpoint.ts";
import type { TransactionPlan } from "../model/relayer-transaction.ts";
import { createContractCalls } from "./contract-calls.ts";
import type { MinedAttempt } from "./pending-nonce.ts";
import { signedTransaction } from "./relayer-transaction.testing.ts";

const transaction = signedTransaction(1, []);
const mined: MinedAttempt = { transaction, blockNumber: 9 };
const timeoutMs = 50;

interface Situation {
  readonly estimate?: RpcReply;
  /** What used the nonce of the call; absent while nothing did. */
  readonly closedBy?: "the call" | "another sender";
  /** How many transactions each wallet may still send. */
  readonly rooms?: readonly number[];
}

const gas = (amount: number): RpcReply => ({ ok: true, result: `0x${amount.toString(16)}` });
const reverted: RpcReply = {
  ok: false,
  error: { code: 3, message: "execution reverted", data: "0xabcd" },
};
const refused: RpcReply = {
  ok: false,
  error: { code: -32_005, message: "limit exceeded", data: undefined },
};

function callsIn({ estimate = gas(100_000), closedBy, rooms = [1] }: Situation) {
  const sent: { readonly wallet: number; readonly plan: TransactionPlan }[] = [];
  const closed = closedBy
    ? Promise.resolve(closedBy === "the call" ? mined : undefined)
    : new Promise<never>(() => undefined);
  const managers = rooms.map((room, wallet) => ({
    room: () => room,
    signer: { address: transaction.lane },
    submitCall: async (plan: TransactionPlan) => {
      sent.push({ wallet, plan });
      return { closed, forget: () => undefined, hash: () => transaction.hash };
    },
  }));
  const call = createContractCalls({
    chain: {
      ...createChain({ network: networkOfChain(51), endpoints: [], log: silentLog }),
      read: async () => [estimate],
    },
    clock: {
      nowMs: () => 0,
      // The time is over when nothing else has happened.
      sleep: () => new Promise((resolve) => setImmediate(resolve)),
    },
    managers: Object(managers),
    gasPrices: { now: () => 12_500_000_000n, problem: () => undefined },
    headNumber: () => 8,
  });
  return { sent, result: call({ to: transaction.to, data: "0x01" }, timeoutMs) };
}

test.each([
  ["in a block", "the call", { kind: "mined", transaction: transaction.hash, blockNumber: 9 }],
  ["not in a block in time", undefined, { kind: "pending", transaction: transaction.hash }],
  ["gone with its nonce", "another sender", { kind: "pending", transaction: null }],
] as const)("a call that is %s", async (_name, closedBy, told) => {
  const { sent, result } = callsIn({ ...(closedBy && { closedBy }) });
  expect(await result).toEqual(told);
  // A fifth in reserve, since the state can change before it is in a block.
  expect(sent).toMatchObject([{ plan: { settlementIds: [], gasLimit: 120_000n } }]);
});

test("a call that would revert is not sent", async () => {
  const { sent, result } = callsIn({ estimate: reverted });
  expect(await result).toEqual({ kind: "reverts", revertData: "0xabcd" });
  expect(sent).toEqual([]);
});

test.each([
  ["a node does not estimate it", { estimate: refused }, "rpc_unavailable"],
  ["it takes more than a seventh of a block", { estimate: gas(10_000_001) }, "queue_full"],
  ["no wallet has room", { rooms: [0, 0] }, "no_wallet"],
])("where %s nothing is sent, and nothing is said of the call", async (_name, situation, code) => {
  const { sent, result } = callsIn(situation);
  await expect(result).rejects.toMatchObject({ code });
  expect(sent).toEqual([]);
});

test("the wallet with the most room takes it", async () => {
  const { sent, result } = callsIn({ rooms: [1, 3, 2], closedBy: "the call" });
  await result;
  expect(sent.map(({ wallet }) => wallet)).toEqual([1]);
});
