/** What may take a transaction's place: never the same bytes once more, which no store takes twice. */
import type { Hex } from "@farthing/protocol";
import { expect, test } from "vitest";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import { planCancellation, planReplacement } from "./replacement.ts";
import { addAttempt, createPendingNonce, type PendingNonce } from "./pending-nonce.ts";

const wallet: Hex = `0x${"aa".repeat(20)}`;
const token: Hex = `0x${"bb".repeat(20)}`;
const ceiling = 100n;

const payment = { settlementIds: ["stl_1"], to: token, data: "0x01", gasLimit: 200_000n } as const;

/** A nonce with a payment for a price, and the wallet's calls to itself for others. */
function pendingOf(
  mayBeOut: boolean,
  price: bigint,
  ...cancellations: readonly bigint[]
): PendingNonce {
  const plans = [
    { ...payment, gasPrice: price },
    ...cancellations.map((gasPrice) => planCancellation(wallet, gasPrice)),
  ];
  const [first, ...later] = plans.map((plan, id): RelayerTransaction => {
    const signed = { id, nonce: 0, raw: "0x00", hash: null } as const;
    return { ...plan, ...signed, chainId: 51, lane: wallet, state: "signed" };
  });
  if (!first) throw new Error("a pending has a transaction");
  const pending = createPendingNonce(first, 0, mayBeOut);
  for (const transaction of later) addAttempt(pending, transaction, 0);
  return pending;
}

test.each([
  ["a payment, as nodes ask", pendingOf(true, 10n), "reprice", 50n, 50n],
  ["a payment, an eighth above the last", pendingOf(true, 80n), "reprice", 50n, 91n],
  ["a payment at the ceiling", pendingOf(true, 100n), "reprice", 100n, undefined],
  ["a payment at the ceiling that no node has", pendingOf(false, 100n), "reprice", 100n, undefined],
  [
    "a call to itself, where a node may have the payment",
    pendingOf(true, 100n),
    "cancel",
    9n,
    undefined,
  ],
  ["a call to itself, where no node has the payment", pendingOf(false, 100n), "cancel", 9n, 9n],
  ["a second one, above the first", pendingOf(false, 40n, 50n), "cancel", 50n, 57n],
  ["a second one at the ceiling", pendingOf(false, 100n, 100n), "cancel", 100n, undefined],
] as const)("%s", (_, pending, action, asked, price) => {
  const plan = planReplacement(pending, action, wallet, { needed: 1n, asked, ceiling });
  if (price === undefined) return expect(plan).toBeUndefined();
  const call = action === "reprice" ? payment : planCancellation(wallet, price);
  expect(plan).toMatchObject({ ...call, gasPrice: price });
});

test("what is below the price that nodes need has left their pools, and is not outbid", () => {
  const plan = planReplacement(pendingOf(true, 95n), "reprice", wallet, {
    needed: 100n,
    asked: 100n,
    ceiling,
  });
  expect(plan).toMatchObject({ ...payment, gasPrice: 100n });
});
