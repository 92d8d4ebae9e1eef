/** What a buyer learns of a channel from the chain: deposits are made where they are missing, and once. */
import { expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "../buyer-bench.testing.ts";
import { startSeller } from "../scripted-seller.testing.ts";
import { wrapFetch } from "../wrap-fetch.ts";
import { channelNode } from "./channel-node.testing.ts";
import { channelSeller, stateOf, totalsOf } from "./channel-seller.testing.ts";

const call = 1_000n;

/** A buyer who has a node, which is asked by the bench's clock. */
function benchWith(
  say: Parameters<typeof channelNode>[0],
  channels: Parameters<typeof buyerBench>[0] = {},
) {
  const { signer, clock, ledger } = buyerBench();
  const blockSeconds = () => Math.floor(clock.time / 1000);
  const node = channelNode(() => ({ blockSeconds: blockSeconds(), ...say() }));
  const options = { signer, ledger, runtime: clock, rpcUrl: "http://node.example", ...channels };
  return { pay: wrapFetch(fetch, options, node), clock };
}

function depositsOf({ known }: ReturnType<typeof channelSeller>): readonly bigint[] {
  return known.vouchers.flatMap((one) => ("deposit" in one ? one.deposit.salt : []));
}

test("a ledger without the channel goes on from what it holds, without a deposit", async () => {
  const shop = channelSeller();
  shop.known.charged = 2n * call;
  shop.known.balance = 5n * call;
  await using seller = await startSeller(shop.script);
  const { pay } = benchWith(() => ({ balance: 5n * call, totalClaimed: 2n * call }));
  expect(stateOf(await pay(seller.url))).toBe("charged");
  expect([totalsOf(shop.known.vouchers), depositsOf(shop)]).toEqual([[3n * call], []]);
});

test("a deposit whose answer was lost is not made anew where the chain has it", async () => {
  const shop = channelSeller({
    lie: ({ honest }) =>
      shop.known.vouchers.length === 1 ? { ...honest(), cut: "before" } : undefined,
  });
  await using seller = await startSeller(shop.script);
  const { pay, clock } = benchWith(() => ({ balance: shop.known.balance }));
  await paymentErrorOf(pay(seller.url));
  clock.time += 10 * 60 * 1000;
  expect(stateOf(await pay(seller.url))).toBe("charged");
  expect([shop.known.balance, new Set(depositsOf(shop)).size]).toEqual([10n * call, 1]);
});

test("a deposit that has ended and is not on the chain is held by no one", async () => {
  const shop = channelSeller({
    lie: () => (shop.known.vouchers.length === 1 ? { cut: "before" } : undefined),
  });
  await using seller = await startSeller(shop.script);
  const channels = { channels: { depositMax: "0.01" } };
  const { pay, clock } = benchWith(() => ({ balance: shop.known.balance }), channels);
  await paymentErrorOf(pay(seller.url));
  clock.time += 10 * 60 * 1000;
  expect(stateOf(await pay(seller.url))).toBe("charged");
  expect(shop.known.balance).toBe(10n * call);
});

test("a payer who lacks the deposit pays singly, and nothing of the channel is out", async () => {
  const shop = channelSeller({ hasExact: true });
  await using seller = await startSeller(shop.script);
  const always = { channels: { use: "always" } } as const;
  const { pay } = benchWith(() => ({ balance: 0n, walletUnits: 5n * call }), always);
  expect(stateOf(await pay(seller.url))).toBe("settled");
  expect(await pay.channels.list()).toMatchObject([{ openDeposits: [], unansweredUnits: 0n }]);
  expect((await pay.channels.list())[0]).not.toHaveProperty("call");
});

test("a payer who lacks the deposit signs nothing where a seller takes nothing else", async () => {
  const shop = channelSeller();
  await using seller = await startSeller(shop.script);
  let walletUnits = 10n * call - 1n;
  const { pay } = benchWith(() => ({ balance: 0n, walletUnits }));
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("insufficient_balance");
  expect(shop.known.vouchers).toEqual([]);
  expect(await pay.channels.list()).toMatchObject([{ openDeposits: [], unansweredUnits: 0n }]);
  walletUnits += 1n;
  expect(stateOf(await pay(seller.url))).toBe("charged");
});
