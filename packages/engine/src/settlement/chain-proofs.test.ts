/** Whose a transfer was, when one endpoint's word is enough, and what a proof opens again. */
import { networkOfChain, type Hex } from "@farthing/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { createChain, type TwoReads } from "../chain/endpoints/chain.ts";
import { topics } from "../chain/contracts/usdc.ts";
import type { RpcEndpoint, RpcReply } from "../chain/endpoints/rpc-endpoint.ts";
import { queuedSettlement } from "../model/settlement.testing.ts";
import { createChainProofs, type Proof } from "./chain-proofs.ts";

const network = networkOfChain(51);
const wallet = "0x3333333333333333333333333333333333333333";
const hash = (byte: string): Hex => `0x${byte.repeat(32)}`;

/** The block of the transfer, and the transaction in it. */
const minedAt = 100;
const shown = hash("5e");

const settlement = queuedSettlement({ state: "submitted", transaction: hash("01") });

const proof: Proof = {
  settlement,
  event: {
    kind: "used",
    payer: settlement.payer,
    nonce: settlement.nonce,
    transaction: shown,
    blockNumber: minedAt,
    blockHash: hash("b1"),
    logIndex: 0,
    transfer: { from: settlement.payer, to: settlement.payTo, value: settlement.amount },
  },
};

const word = (address: string) => `0x${address.slice(2).padStart(64, "0")}`;

/** The logs of the transfer as they stand in its block. */
const logs = [
  { topics: [topics.used, word(settlement.payer), settlement.nonce], data: "0x", logIndex: "0x0" },
  {
    topics: [topics.transfer, word(settlement.payer), word(settlement.payTo)],
    data: word(`0x${settlement.amount.toString(16)}`),
    logIndex: "0x1",
  },
].map((log) => ({
  ...log,
  address: network.usdc,
  transactionHash: shown,
  blockNumber: `0x${minedAt.toString(16)}`,
  blockHash: proof.event.blockHash,
}));

interface Node {
  readonly here?: RpcReply;
  readonly elsewhere?: TwoReads["elsewhere"];
  readonly read?: RpcReply;
  readonly headNumber?: number;
  /** Transactions that the store knows to be a relayer wallet's. */
  readonly known?: readonly Hex[];
}

function proofsAt({ here, elsewhere = "none", read, headNumber = minedAt, known = [] }: Node) {
  const reopened: unknown[] = [];
  const silent: RpcReply = { ok: true, result: null };
  const endpoints = [0, 1].map((index): RpcEndpoint => ({
    index,
    send: () => Promise.reject(new Error("the chain is asked, not the endpoint")),
  }));
  const proofs = createChainProofs({
    chain: {
      ...createChain({ network, endpoints, log: silentLog }),
      read: async (calls) => calls.map(() => read ?? silent),
      readTwice: async () => ({ here: [here ?? silent], elsewhere }),
    },
    log: silentLog,
    wallets: [wallet],
    headNumber: () => headNumber,
    store: {
      isRelayerTransaction: async (transaction) => known.includes(transaction),
      listSignedHashes: async () => [shown],
      reopenTransactions: async (_chainId, which) => void reopened.push(which),
    },
  });
  return { proofs, reopened };
}

const sentBy = (from: string): Node => ({ read: { ok: true, result: { from } } });

test.each([
  ["the newest attempt", { transaction: shown }, {}, "relayer"],
  ["an earlier attempt at its nonce", {}, { known: [shown] }, "relayer"],
  ["one that the database has lost", {}, sentBy(wallet), "relayer"],
  ["one of a payment that was recovered", { recoveredAt: 1 }, {}, "relayer"],
  ["another sender's", {}, sentBy(settlement.payTo), "other"],
] as const)("a transfer is told as %s", async (_name, changes, node, settledBy) => {
  const { proofs } = proofsAt(node);
  const mined = await proofs.minedOf(proof.event, { ...settlement, ...changes });
  expect(mined).toMatchObject({ transaction: shown, blockNumber: minedAt, settledBy });
});

test("the sender of a transfer stays open while no node shows its transaction", async () => {
  await expect(proofsAt({}).proofs.minedOf(proof.event, settlement)).rejects.toThrow("lacks");
});

const limited: RpcReply = {
  ok: false,
  error: { code: -32_005, message: "limit exceeded", data: undefined },
};
const has: RpcReply = { ok: true, result: logs };
const lacks: RpcReply = { ok: true, result: [] };

test.each([
  ["shows it too", [has], 0, true],
  ["shows a block without it", [lacks], 50, false],
  ["gives no logs, four blocks later", [limited], 4, false],
  ["gives no logs, five blocks later", [limited], 5, true],
  ["is silent for a moment", "silent", 0, false],
  ["does not count", "none", 0, true],
] as const)("where a second endpoint %s", async (_name, elsewhere, depth, isConfirmed) => {
  const { proofs } = proofsAt({ here: has, elsewhere, headNumber: minedAt + depth });
  expect(await proofs.confirmByQuorum([proof])).toEqual(isConfirmed ? [proof] : []);
});

test("what a block shows is open again with its nonce, before anything follows from it", async () => {
  const { proofs, reopened } = proofsAt({
    here: { ok: true, result: "0x1" },
    read: { ok: true, result: { status: "0x1", blockNumber: "0x64", logs } },
  });
  const found = await proofs.find([settlement], minedAt);
  expect(found).toMatchObject({ found: [{ event: { transaction: shown } }], unused: [] });
  expect(reopened).toEqual([{ shown: [shown] }]);
});
