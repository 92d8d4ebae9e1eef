/** A facilitator that tells of claims which the payer's vouchers do not cover. */
import { expect, test } from "vitest";
import {
  challengeOf,
  channelId,
  chargedBy,
  createVault,
  createChannelChain,
  openShop,
  type Sent,
} from "./channel-shop.testing.ts";

const deposit: Sent = { type: "deposit", total: 1_000n, deposit: 1_000_000n };
/** What the facilitator said of the chain is asked for anew after this time. */
const staleMs = 5 * 60 * 1000;

test("claims above every voucher raise no total: once the facilitator is right again, all goes on", async () => {
  const shop = openShop();
  await shop.pay(deposit);
  expect(chargedBy(await shop.pay({ total: 2_000n }))).toEqual(["1000", "2000"]);
  shop.chain.set({ totalClaimed: 900_000n });
  await shop.time.pass(staleMs);
  const { extra } = challengeOf(await shop.pay({ total: 3_000n }));
  // No voucher shows it, so a buyer looks at the chain.
  expect(extra).toMatchObject({ channelState: { chargedCumulativeAmount: "900000" } });
  expect(extra).not.toHaveProperty("voucherState");
  shop.chain.set({ totalClaimed: 0n });
  await shop.time.pass(staleMs);
  expect(chargedBy(await shop.pay({ total: 3_000n }))).toEqual(["1000", "3000"]);
  expect((await shop.seller.channels.claim()).claims).toMatchObject([
    { outcome: "done", units: 3_000n },
  ]);
  expect(await shop.seller.channels.refund(channelId)).toMatchObject({ units: 997_000n });
});

test("claims that a vault tells of are looked up with the next call", async () => {
  const vault = createVault();
  const chain = createChannelChain();
  const facilitator = { ...chain.facilitator, keepVouchers: vault.keepVouchers };
  const shop = openShop({ chain, seller: { facilitator } });
  vault.answering.claimed = "900000";
  await shop.pay(deposit);
  await shop.time.pass(1_000);
  expect(chargedBy(await shop.pay({ total: 2_000n }))).toEqual(["1000", "2000"]);
});

test("claims that are real are the payer's to confirm: their next voucher is for more", async () => {
  const shop = openShop();
  await shop.pay(deposit);
  // By another shop with the same key, whose records are its own.
  shop.chain.set({ totalClaimed: 5_000n });
  await shop.time.pass(staleMs);
  expect((await shop.pay({ total: 2_000n })).status).toBe(402);
  expect(chargedBy(await shop.pay({ total: 6_000n }))).toEqual(["1000", "6000"]);
  expect((await shop.seller.channels.claim()).claims).toMatchObject([
    { outcome: "done", units: 1_000n },
  ]);
});
