/** Which hash of a nonce may be told: one that every node has refused is in no explorer. */
import { expect, test } from "vitest";
import {
  addAttempt,
  addTo,
  createPendingNonce,
  isUnknownToNodes,
  noteSend,
  noteUndecided,
  type PendingNonce,
} from "./pending-nonce.ts";
import { signedTransaction as attempt } from "./relayer-transaction.testing.ts";

const atBlock = 1_000;

test("a hash is unknown to nodes once they have refused it, and known once one has taken it", () => {
  const pending = createPendingNonce(attempt(1), atBlock, false);
  expect(isUnknownToNodes(pending)).toBe(false);
  noteSend(pending, "price_too_low", atBlock);
  expect(isUnknownToNodes(pending)).toBe(true);
  noteSend(pending, "accepted", atBlock + 1);
  expect(isUnknownToNodes(pending)).toBe(false);
});

test("a refused replacement is unknown, although a node had taken the attempt before it", () => {
  const pending = createPendingNonce(attempt(1), atBlock, false);
  noteSend(pending, "accepted", atBlock);
  addAttempt(pending, attempt(2), atBlock + 2);
  noteSend(pending, "price_too_low", atBlock + 2);
  expect(isUnknownToNodes(pending)).toBe(true);
});

test("a refused hash stays unknown when a node takes the cancellation of its nonce", () => {
  const pending = createPendingNonce(attempt(1), atBlock, false);
  noteSend(pending, "fee_cap_exceeded", atBlock);
  addAttempt(pending, { ...attempt(2), settlementIds: [] }, atBlock + 1);
  expect(isUnknownToNodes(pending)).toBe(true);
  noteSend(pending, "accepted", atBlock + 1);
  expect(isUnknownToNodes(pending)).toBe(true);
});

test.each([
  ["accepted", true],
  ["unknown", true],
  ["nonce_too_low", true],
  ["replacement_underpriced", true],
  ["price_too_low", false],
  ["pool_full", false],
  ["insufficient_gas_money", false],
] as const)("after the answer %s a node may have it: %s", (outcome, mayBeOut) => {
  const pending = createPendingNonce(attempt(1), atBlock, false);
  noteSend(pending, outcome, atBlock);
  expect([pending.mayBeOut, isUnknownToNodes(pending)]).toEqual([mayBeOut, !mayBeOut]);
});

test("an attempt's age begins with its first send, also if that took until a later block", () => {
  const pending = createPendingNonce(attempt(1), atBlock, false);
  noteSend(pending, "accepted", atBlock + 1);
  noteSend(pending, "accepted", atBlock + 4);
  const first = { attemptedAtBlock: atBlock + 1, sentAtBlock: atBlock + 4 };
  expect(pending).toMatchObject(first);
  addAttempt(pending, attempt(2), atBlock + 30);
  noteSend(pending, "accepted", atBlock + 31);
  expect(pending).toMatchObject({ attemptedAtBlock: atBlock + 31, sentAtBlock: atBlock + 31 });
});

test("what a node has taken stays known when it is refused later", () => {
  const pending = createPendingNonce(attempt(1), atBlock, false);
  noteSend(pending, "accepted", atBlock);
  noteSend(pending, "pool_full", atBlock + 3);
  expect([pending.mayBeOut, isUnknownToNodes(pending)]).toEqual([true, false]);
});

test("a payment that only a later attempt carries waits for its outcome as well", () => {
  const pending = new Map<number, PendingNonce>();
  const options = { headNumber: atBlock, mayBeOut: true };
  addTo(pending, { ...attempt(1), settlementIds: [] }, options);
  addTo(pending, attempt(2), options);
  const [one] = pending.values();
  expect([...(one?.unresolved ?? [])]).toEqual(["stl_1"]);
  expect(one?.told).toBe("may_be_out");
});

test("a payment without an outcome is with the nonce whose transaction it names, and with no other", () => {
  const pending = createPendingNonce(attempt(1), atBlock, true);
  pending.unresolved.clear();
  noteUndecided(pending, { id: "stl_1", transaction: attempt(2).hash });
  noteUndecided(pending, { id: "stl_2", transaction: attempt(1).hash });
  expect([...pending.unresolved]).toEqual([]);
  noteUndecided(pending, { id: "stl_1", transaction: attempt(1).hash });
  expect([...pending.unresolved]).toEqual(["stl_1"]);
});
