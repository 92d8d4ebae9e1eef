/** What is done about a nonce that is not mined: by what the node said, and after how many blocks. */
import { expect, test } from "vitest";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import { plainTransferGas } from "./fees.ts";
import { isLate, remedyOf, type Remedy } from "./recovery-action.ts";
import { addAttempt, createSlot, isPausing, noteSend, type Slot } from "./pending-nonce.ts";

const signedAt = 1_000;

const transaction = (id: number, settlementIds: string[]): RelayerTransaction => ({
  id,
  chainId: 51,
  lane: "0x1111111111111111111111111111111111111111",
  nonce: 7,
  settlementIds,
  to: "0x2222222222222222222222222222222222222222",
  data: "0x",
  gasLimit: 130_000n,
  gasPrice: 12_500_000_000n,
  raw: "0x00",
  hash: `0x${id.toString(16).padStart(64, "0")}`,
  state: "signed",
});

/** A slot whose sends all ended so, the last one at a block. */
function slotAfter(outcome: Slot["outcome"], options: SlotOptions = {}): Slot {
  const { sends = 1, carries = 1, mayBeOut = false, attempts = 1 } = options;
  const ids = Array.from({ length: carries }, (_, index) => `stl_${index}`);
  const slot = createSlot(transaction(1, ids), signedAt, mayBeOut);
  for (let id = 2; id <= attempts; id++) addAttempt(slot, transaction(id, ids), signedAt);
  for (let send = 0; send < sends; send++) {
    if (outcome !== "unsent") noteSend(slot, outcome, options.sentAt ?? signedAt);
  }
  return slot;
}

interface SlotOptions {
  readonly sends?: number;
  readonly carries?: number;
  readonly mayBeOut?: boolean;
  readonly attempts?: number;
  readonly sentAt?: number;
}

/** What it is, the slot, the blocks since it was signed, what is done. */
type Case = readonly [string, Slot, number, Remedy];

const cases: readonly Case[] = [
  ["signed and never sent", slotAfter("unsent"), 0, "send"],
  ["taken by the node", slotAfter("accepted"), 2, "wait"],
  ["taken, and not mined after 3 blocks", slotAfter("accepted"), 3, "fan_out"],
  ["known everywhere after 8", slotAfter("accepted", { sentAt: signedAt + 5 }), 8, "move"],
  ["after 25", slotAfter("accepted", { sentAt: signedAt + 24 }), 25, "reprice"],
  ["replaced once: not after 25", slotAfter("accepted", { attempts: 2 }), 25, "move"],
  ["replaced once: after 50", slotAfter("accepted", { attempts: 2 }), 50, "reprice"],
  ["with nothing left to carry", slotAfter("accepted", { carries: 0 }), 25, "use_up"],
  ["another transaction has the nonce", slotAfter("replacement_underpriced"), 3, "fan_out"],
  ["no predecessor, the same block", slotAfter("nonce_too_high"), 0, "wait"],
  ["no predecessor, the next block", slotAfter("nonce_too_high"), 1, "send"],
  ["no predecessor, three times", slotAfter("nonce_too_high", { sends: 3 }), 1, "move"],
  ["no clear answer", slotAfter("unknown"), 1, "send"],
  ["no clear answer, three times", slotAfter("unknown", { sends: 3 }), 1, "move"],
  ["a full pool", slotAfter("pool_full"), 1, "send"],
  ["a full pool, three times", slotAfter("pool_full", { sends: 3 }), 1, "move"],
  ["a price below the node's", slotAfter("price_too_low"), 0, "reprice"],
  ["one payment too large", slotAfter("transaction_too_large"), 0, "use_up"],
  ["one payment over the fee cap", slotAfter("fee_cap_exceeded"), 0, "use_up"],
  ["a batch too large", slotAfter("transaction_too_large", { carries: 9 }), 0, "give_back"],
  ["a batch over the fee cap", slotAfter("fee_cap_exceeded", { carries: 9 }), 0, "give_back"],
  [
    "a batch that some node may have",
    slotAfter("fee_cap_exceeded", { carries: 9, mayBeOut: true }),
    0,
    "use_up",
  ],
  ["no gas money, alone", slotAfter("insufficient_gas_money"), 1, "send"],
  ["another chain's node", slotAfter("wrong_chain_or_type"), 1, "send"],
  ["another chain's node, three times", slotAfter("wrong_chain_or_type", { sends: 3 }), 1, "move"],
  ["a nonce that is used up", slotAfter("nonce_too_low"), 0, "wait"],
  ["a nonce that is used up, the next block", slotAfter("nonce_too_low"), 1, "send"],
];

test.each(cases)("%s", (_name, slot, blocks, remedy) => {
  expect(remedyOf(slot, signedAt + blocks, false)).toBe(remedy);
});

/** The same, where other wallets could take the work. */
const besideOthers: readonly Case[] = [
  ["no gas money", slotAfter("insufficient_gas_money"), 0, "give_back"],
  ["a wallet that the chain shuts out", slotAfter("blacklisted"), 0, "give_back"],
  [
    "no gas money, and a node may have it",
    slotAfter("insufficient_gas_money", { mayBeOut: true }),
    1,
    "send",
  ],
  ["another chain's node", slotAfter("wrong_chain_or_type"), 1, "send"],
];

test.each(besideOthers)("beside others: %s", (_name, slot, blocks, remedy) => {
  expect(remedyOf(slot, signedAt + blocks, true)).toBe(remedy);
});

test("what an operator has to mend stops the wallet; what passes by itself does not", () => {
  const pausing = [...cases, ...besideOthers].map(([, slot]) => slot).filter(isPausing);
  expect(new Set(pausing.map(({ outcome }) => outcome))).toEqual(
    new Set(["insufficient_gas_money", "price_too_low", "wrong_chain_or_type", "blacklisted"]),
  );
});

test.each([
  ["a plain transfer, whose log tells", plainTransferGas, false],
  ["a cheap contract wallet's, which may have reverted", 104_295n, true],
  ["a batch", 1_160_000n, true],
])("a block later it is looked for: %s", (_what, gasLimit, isAsked) => {
  const slot = createSlot({ ...transaction(1, ["stl_1"]), gasLimit }, signedAt, false);
  noteSend(slot, "accepted", signedAt);
  expect(isLate(slot, signedAt)).toBe(false);
  expect(isLate(slot, signedAt + 1)).toBe(isAsked);
});
