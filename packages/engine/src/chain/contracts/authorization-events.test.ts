/** What the token's logs prove: a transfer that stands right behind its authorization, and no other. */
import { expect, test } from "vitest";
import { readAuthorizationEvents } from "./authorization-events.ts";
import { topics } from "./usdc.ts";

const word = (digits: string) => `0x${digits.padStart(64, "0")}`;
const payer = word("11".repeat(20));

const used = {
  topics: [topics.used, payer, word("a1")],
  data: "0x",
  transactionHash: word("71"),
  blockNumber: "0x7",
  blockHash: word("b1"),
  logIndex: "0x3",
};

const transfer = {
  ...used,
  topics: [topics.transfer, payer, word("22".repeat(20))],
  data: word("2710"),
  logIndex: "0x4",
};

const transfersOf = (...logs: readonly object[]) =>
  readAuthorizationEvents(logs).map((event) => event.transfer?.value);

test("a transfer at the next index of its transaction is the authorized one, in any order", () => {
  expect(transfersOf(used, transfer)).toEqual([10_000n]);
  expect(transfersOf(transfer, used)).toEqual([10_000n]);
});

test.each([
  ["of another transaction", { transactionHash: word("72") }],
  ["of another block", { blockHash: word("b2") }],
  ["one index later", { logIndex: "0x5" }],
  ["before it", { logIndex: "0x2" }],
])("a transfer %s is not", (_where, place) => {
  expect(transfersOf(used, { ...transfer, ...place })).toEqual([undefined]);
});
