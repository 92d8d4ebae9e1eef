/** What may take a transaction's place: never the same bytes once more, which no store takes twice. */
import type { Hex } from "@farthing/protocol";
import { expect, test } from "vitest";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import { planReplacement } from "./replacement.ts";
import { planSelfCall } from "./self-call.ts";
import { addAttempt, createSlot, type Slot } from "./pending-nonce.ts";

const wallet: Hex = `0x${"aa".repeat(20)}`;
const token: Hex = `0x${"bb".repeat(20)}`;
const ceiling = 100n;

const payment = { settlementIds: ["stl_1"], to: token, data: "0x01", gasLimit: 200_000n } as const;

/** A nonce with a payment for a price, and the wallet's calls to itself for others. */
function slotOf(mayBeOut: boolean, price: bigint, ...selfCalls: readonly bigint[]): Slot {
  const plans = [
    { ...payment, gasPrice: price },
    ...selfCalls.map((gasPrice) => planSelfCall(wallet, gasPrice)),
  ];
  const [first, ...later] = plans.map((plan, id): RelayerTransaction => {
    const signed = { id, nonce: 0, raw: "0x00", hash: null } as const;
    return { ...plan, ...signed, chainId: 51, lane: wallet, state: "signed" };
  });
  if (!first) throw new Error("a slot has a transaction");
  const slot = createSlot(first, 0, mayBeOut);
  for (const transaction of later) addAttempt(slot, transaction, 0);
  return slot;
}

test.each([
  ["a payment, as nodes ask", slotOf(true, 10n), "reprice", 50n, 50n],
  ["a payment, an eighth above the last", slotOf(true, 80n), "reprice", 50n, 91n],
  ["a payment at the ceiling", slotOf(true, 100n), "reprice", 100n, undefined],
  ["a payment at the ceiling that no node has", slotOf(false, 100n), "reprice", 100n, undefined],
  [
    "a call to itself, where a node may have the payment",
    slotOf(true, 100n),
    "use_up",
    9n,
    undefined,
  ],
  ["a call to itself, where no node has the payment", slotOf(false, 100n), "use_up", 9n, 9n],
  ["a second one, above the first", slotOf(false, 40n, 50n), "use_up", 50n, 57n],
  ["a second one at the ceiling", slotOf(false, 100n, 100n), "use_up", 100n, undefined],
] as const)("%s", (_, slot, remedy, asked, price) => {
  const plan = planReplacement(slot, remedy, wallet, { asked, ceiling });
  if (price === undefined) return expect(plan).toBeUndefined();
  const call = remedy === "reprice" ? payment : planSelfCall(wallet, price);
  expect(plan).toMatchObject({ ...call, gasPrice: price });
});
