/** How a network's batches become smaller after a node has refused one. */
import { networkOfChain } from "@farthing/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { createChain } from "../chain/endpoints/chain.ts";
import { feeCapWei } from "./batch.ts";
import { createBatching } from "./batching.ts";

const network = networkOfChain(51);
const batcher = network.usdc;

/** Batches of 100 at most by the setting, at a price at which a transaction's cap leaves room for them. */
function batchingOf({ batchMax = 100, gasPrice = 12_500_000_000n } = {}) {
  const price = { wei: gasPrice };
  const warnings: object[] = [];
  const batching = createBatching({
    chain: createChain({ network, endpoints: [], log: silentLog }),
    log: { ...silentLog, warn: (fields) => warnings.push(fields) },
    batchMax,
    batcher,
    gasPrices: { now: () => price.wei },
    blockGasLimit: () => undefined,
  });
  return { batching, price, warnings, paymentsMax: () => batching.settings()?.paymentsMax };
}

const tooLarge = (settlements: number) => ({ settlements, feeWei: 1n, isTooDear: false });
const tooDear = (feeWei: bigint) => ({ settlements: 50, feeWei, isTooDear: true });

test("a batch that was too large is halved, and one that was larger makes nothing larger again", () => {
  const { batching, warnings, paymentsMax } = batchingOf();
  expect(paymentsMax()).toBe(100);
  batching.makeSmaller(tooLarge(40));
  expect(paymentsMax()).toBe(20);
  batching.makeSmaller(tooLarge(40));
  batching.makeSmaller(tooLarge(100));
  expect(paymentsMax()).toBe(20);
  expect(warnings).toEqual([{ event: "batch_size_reduced", chainId: 51, paymentsMax: 20 }]);
  batching.makeSmaller(tooLarge(3));
  expect(paymentsMax()).toBe(1);
  // A payment alone is no batch, and there is nothing smaller.
  batching.makeSmaller(tooLarge(1));
  expect(paymentsMax()).toBe(1);
});

test("a batch that was too dear halves what one may cost: at a lower price it carries more again", () => {
  const { batching, price, warnings, paymentsMax } = batchingOf();
  const refused = feeCapWei / 10n;
  batching.makeSmaller(tooDear(refused));
  // 0.05 XDC at 12.5 gwei pay for 4,000,000 gas: 60,000 and 110,000 for each payment.
  expect(paymentsMax()).toBe(35);
  batching.makeSmaller(tooDear(refused));
  batching.makeSmaller(tooDear(2n * feeCapWei));
  expect(paymentsMax()).toBe(35);
  expect(warnings).toEqual([
    { event: "batch_size_reduced", chainId: 51, feeMaxXdc: expect.stringMatching(/^0\.05/) },
  ]);
  price.wei /= 2n;
  expect(paymentsMax()).toBe(72);
});

test("where batching is off no node's refusal turns it on", () => {
  const { batching, paymentsMax } = batchingOf({ batchMax: 1 });
  batching.makeSmaller(tooLarge(40));
  expect([paymentsMax(), batching.state()]).toEqual([undefined, "off"]);
});
