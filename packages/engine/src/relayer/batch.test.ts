/** How large a batch may be: by its number, its bytes, and what a node lets a transaction cost; and what it leaves out. */
import { networkOfChain } from "@farthing/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { createChain } from "../chain/endpoints/chain.ts";
import type { TransactionPlan } from "../model/relayer-transaction.ts";
import { batchPlans, dropFailing } from "./batch.ts";

const token = "0x2222222222222222222222222222222222222222";
const multicall = "0x3333333333333333333333333333333333333333";
const gwei = 1_000_000_000n;

/** Bytes of a transfer's calldata with a plain signature. */
const transferBytes = 356;

const plans = (count: number, gasPrice: bigint, bytes = transferBytes): TransactionPlan[] =>
  Array.from({ length: count }, (_, index) => ({
    settlementIds: [`stl_${index}`],
    to: token,
    data: `0x${"ab".repeat(bytes)}`,
    gasLimit: 130_000n,
    gasPrice,
  }));

const sizesOf = (batches: readonly TransactionPlan[]) =>
  batches.map(({ settlementIds }) => settlementIds.length);

test("up to as many as are allowed, in order, each once", () => {
  const batches = batchPlans(plans(7, 13n * gwei), { multicall, paymentsMax: 3 });
  expect(sizesOf(batches)).toEqual([3, 3, 1]);
  // 60,000 for the batch and 110,000 for each payment: a batch that runs out of gas reverts all.
  expect(batches.map(({ gasLimit }) => gasLimit)).toEqual([390_000n, 390_000n, 130_000n]);
  expect(batches.flatMap(({ settlementIds }) => settlementIds)).toEqual(
    plans(7, 1n).flatMap(({ settlementIds }) => settlementIds),
  );
});

test("one alone is sent as it is: a batch of one would cost more", () => {
  const [only] = plans(1, 13n * gwei);
  expect(batchPlans(plans(1, 13n * gwei), { multicall, paymentsMax: 50 })).toEqual([only]);
});

test("no transaction is larger than nodes take", () => {
  const batches = batchPlans(plans(100, 13n * gwei, 2_000), { multicall, paymentsMax: 100 });
  expect(batches.length).toBeGreaterThan(1);
  // 64 KiB, with room for the envelope.
  for (const { data } of batches) expect(data.length / 2).toBeLessThan(65_000);
});

test("no transaction may cost more than 1 XDC, and each pays the highest price in it", () => {
  const mixed = plans(100, 140n * gwei).map((plan, index) =>
    index === 0 ? { ...plan, gasPrice: 150n * gwei } : plan,
  );
  const batches = batchPlans(mixed, { multicall, paymentsMax: 100 });
  expect(batches.length).toBeGreaterThan(1);
  for (const { gasLimit, gasPrice } of batches) {
    expect(gasLimit * gasPrice).toBeLessThanOrEqual(10n ** 18n);
  }
  expect(batches.map(({ gasPrice }) => gasPrice)).toEqual([150n * gwei, 140n * gwei]);
});

const word = (number: number) => number.toString(16).padStart(64, "0");

/** What the batch contract returns for calls of which these succeed, each without data. */
function resultsOf(succeeded: readonly boolean[]): string {
  const heads = succeeded.map((_, index) => word((succeeded.length + 3 * index) * 32));
  const bodies = succeeded.map((one) => `${word(one ? 1 : 0)}${word(64)}${word(0)}`);
  return `0x${word(32)}${word(succeeded.length)}${heads.join("")}${bodies.join("")}`;
}

test.each([
  ["each of them", resultsOf([true, false, true]), ["stl_0", "stl_2"], ["stl_1"]],
  ["fewer than were asked", resultsOf([true, true]), ["stl_0", "stl_1", "stl_2"], []],
  ["nothing", "0x", ["stl_0", "stl_1", "stl_2"], []],
])("payments are dropped by what a node says of %s", async (_name, result, kept, dropped) => {
  const chain = {
    ...createChain({ network: networkOfChain(51), endpoints: [], log: silentLog }),
    read: async () => [{ ok: true as const, result }],
  };
  const settings = { multicall, paymentsMax: 3 } as const;
  const left = await dropFailing(chain, token, plans(3, 13n * gwei), settings);
  expect(left.kept.flatMap(({ settlementIds }) => settlementIds)).toEqual(kept);
  expect(left.dropped).toEqual(dropped);
});
