/** What is done about a nonce that is not mined: by what the node said, and after how many blocks. */
import { expect, test } from "vitest";
import { plainTransferGas } from "./fees.ts";
import { isLate, isReplacing, recoveryActionOf, type RecoveryAction } from "./recovery-action.ts";
import {
  addAttempt,
  createPendingNonce,
  isPausing,
  newestOf,
  noteSend,
  type PendingNonce,
} from "./pending-nonce.ts";
import { signedTransaction as transaction } from "./relayer-transaction.testing.ts";

const signedAt = 1_000;

/** A pending whose sends all ended so, with another one at `sentAt`. */
function pendingAfter(
  outcome: PendingNonce["outcome"],
  options: PendingOptions = {},
): PendingNonce {
  const { sends = 1, carries = 1, mayBeOut = false, attempts = 1 } = options;
  const ids = Array.from({ length: carries }, (_, index) => `stl_${index}`);
  const pending = createPendingNonce(transaction(1, ids), signedAt, mayBeOut);
  for (let id = 2; id <= attempts; id++) addAttempt(pending, transaction(id, ids), signedAt);
  if (outcome === "unsent") return pending;
  for (let send = 0; send < sends; send++) noteSend(pending, outcome, signedAt);
  if (options.sentAt !== undefined) noteSend(pending, outcome, options.sentAt);
  return pending;
}

interface PendingOptions {
  readonly sends?: number;
  readonly carries?: number;
  readonly mayBeOut?: boolean;
  readonly attempts?: number;
  readonly sentAt?: number;
}

/** What it is, the pending, the blocks since it was signed, what is done. */
type Case = readonly [string, PendingNonce, number, RecoveryAction];

const cases: readonly Case[] = [
  ["signed and never sent", pendingAfter("unsent"), 0, "send"],
  ["taken by the node", pendingAfter("accepted"), 2, "wait"],
  ["taken, and not mined after 3 blocks", pendingAfter("accepted"), 3, "fan_out"],
  ["known everywhere after 8", pendingAfter("accepted", { sentAt: signedAt + 5 }), 8, "move"],
  ["after 25", pendingAfter("accepted", { sentAt: signedAt + 24 }), 25, "reprice"],
  ["after 25 that were seen at once, sent once", pendingAfter("accepted"), 25, "move"],
  ["the same, with nothing left to carry", pendingAfter("accepted", { carries: 0 }), 25, "move"],
  [
    "replaced once: not after 25",
    pendingAfter("accepted", { attempts: 2, sentAt: signedAt + 22 }),
    25,
    "move",
  ],
  [
    "replaced once: after 50",
    pendingAfter("accepted", { attempts: 2, sentAt: signedAt + 49 }),
    50,
    "reprice",
  ],
  [
    "with nothing left to carry",
    pendingAfter("accepted", { carries: 0, sentAt: signedAt + 24 }),
    25,
    "cancel",
  ],
  ["another transaction has the nonce", pendingAfter("replacement_underpriced"), 3, "fan_out"],
  ["no predecessor, the same block", pendingAfter("nonce_too_high"), 0, "wait"],
  ["no predecessor, the next block", pendingAfter("nonce_too_high"), 1, "send"],
  ["no predecessor, three times", pendingAfter("nonce_too_high", { sends: 3 }), 1, "move"],
  ["no clear answer", pendingAfter("unknown"), 1, "send"],
  ["no clear answer, three times", pendingAfter("unknown", { sends: 3 }), 1, "move"],
  ["a full pool", pendingAfter("pool_full"), 1, "send"],
  ["a full pool, three times", pendingAfter("pool_full", { sends: 3 }), 1, "move"],
  ["a price below the node's", pendingAfter("price_too_low"), 0, "reprice"],
  ["one payment too large", pendingAfter("transaction_too_large"), 0, "cancel"],
  ["one payment over the fee cap", pendingAfter("fee_cap_exceeded"), 0, "cancel"],
  ["a batch too large", pendingAfter("transaction_too_large", { carries: 9 }), 0, "release"],
  ["a batch over the fee cap", pendingAfter("fee_cap_exceeded", { carries: 9 }), 0, "release"],
  [
    "a batch that some node may have",
    pendingAfter("fee_cap_exceeded", { carries: 9, mayBeOut: true }),
    0,
    "cancel",
  ],
  ["no gas money, alone", pendingAfter("insufficient_gas_money"), 1, "send"],
  ["another chain's node", pendingAfter("wrong_chain_or_type"), 1, "send"],
  [
    "another chain's node, three times",
    pendingAfter("wrong_chain_or_type", { sends: 3 }),
    1,
    "move",
  ],
  ["a nonce that is used up", pendingAfter("nonce_too_low"), 0, "wait"],
  ["a nonce that is used up, the next block", pendingAfter("nonce_too_low"), 1, "send"],
];

/** What nodes accept in these cases: less than the transactions pay. */
const price = { needed: 1n, isPaid: true };

test.each([
  ["a payment", pendingAfter("accepted"), true, "reprice"],
  ["a payment that a node refused", pendingAfter("price_too_low"), true, "reprice"],
  ["nothing left to carry", pendingAfter("accepted", { carries: 0 }), true, "cancel"],
  ["a price above the bounds", pendingAfter("accepted"), false, "wait"],
  ["a batch that stays below the cap", pendingAfter("accepted", { carries: 2 }), true, "reprice"],
  ["a refused price above the bounds", pendingAfter("price_too_low"), false, "wait"],
] as const)("below what blocks need now, at once: %s", (_name, pending, isPaid, action) => {
  const risen = { needed: newestOf(pending).gasPrice + 1n, isPaid };
  expect(recoveryActionOf(pending, signedAt, false, risen)).toBe(action);
});

test("a nonce that a block has used needs no higher price", () => {
  const pending = { ...pendingAfter("accepted"), isUsedUp: true };
  const risen = { needed: newestOf(pending).gasPrice + 1n, isPaid: true };
  expect(recoveryActionOf(pending, signedAt, false, risen)).toBe("wait");
});

test.each(cases)("%s", (_name, pending, blocks, action) => {
  expect(recoveryActionOf(pending, signedAt + blocks, false, price)).toBe(action);
});

/** The same, where other wallets could take the work. */
const besideOthers: readonly Case[] = [
  ["no gas money", pendingAfter("insufficient_gas_money"), 0, "release"],
  ["a wallet that the chain shuts out", pendingAfter("blacklisted"), 0, "release"],
  [
    "no gas money, and a node may have it",
    pendingAfter("insufficient_gas_money", { mayBeOut: true }),
    1,
    "send",
  ],
  ["another chain's node", pendingAfter("wrong_chain_or_type"), 1, "send"],
];

test.each(besideOthers)("beside others: %s", (_name, pending, blocks, action) => {
  expect(recoveryActionOf(pending, signedAt + blocks, true, price)).toBe(action);
});

test("what an operator has to mend stops the wallet; what passes by itself does not", () => {
  const pausing = [...cases, ...besideOthers].map(([, pending]) => pending).filter(isPausing);
  expect(new Set(pausing.map(({ outcome }) => outcome))).toEqual(
    new Set(["insufficient_gas_money", "price_too_low", "wrong_chain_or_type", "blacklisted"]),
  );
});

test.each([
  ["a plain transfer, whose log tells", plainTransferGas, false],
  ["a cheap contract wallet's, which may have reverted", 104_295n, true],
  ["a batch", 1_160_000n, true],
])("a block later it is looked for: %s", (_what, gasLimit, isAsked) => {
  const pending = createPendingNonce({ ...transaction(1, ["stl_1"]), gasLimit }, signedAt, false);
  noteSend(pending, "accepted", signedAt);
  expect(isLate(pending, signedAt)).toBe(false);
  expect(isLate(pending, signedAt + 1)).toBe(isAsked);
});

test.each([
  ["that no node has", false, "release"],
  ["that nodes have dropped", true, "cancel"],
] as const)(
  "a batch %s is split where it would cost more than 1 XDC now",
  (_name, mayBeOut, action) => {
    const needed = 10n ** 18n / 130_000n + 1n;
    const pending = pendingAfter("accepted", { carries: 9, mayBeOut });
    pending.mayBeOut = mayBeOut;
    expect(recoveryActionOf(pending, signedAt, false, { needed, isPaid: true })).toBe(action);
  },
);

test.each(["reprice", "cancel", "release"] as const)(
  "%s puts a transaction at the nonce",
  (action) => {
    expect(isReplacing(action)).toBe(true);
  },
);
