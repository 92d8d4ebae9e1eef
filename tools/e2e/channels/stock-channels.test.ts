/**
 * Stock buyers at a stock seller, with channels through our facilitator: one deposit, then calls that
 * move nothing on the chain, one claim and one sweep for all of them, and a refund of what is left.
 */
import { isObject, readReceipt, type SettleResponse } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMarket, type Market } from "../support/market.testing.ts";
import {
  callUnits,
  openStockBuyer,
  openStockShop,
  sentCount,
  type StockShop,
} from "./stock-channels.testing.ts";

/** Calls of one buyer. */
const calls = 8;

let market: Market;
let shop: StockShop;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  market = await startMarket();
  stack.defer(() => market.stop());
  shop = await openStockShop(market);
  stack.defer(() => shop.close());
});

afterAll(() => stack.disposeAsync());

async function receiptOf(response: Response): Promise<SettleResponse> {
  const receipt = readReceipt(response.headers);
  if (!receipt) throw new Error(`no receipt: ${response.status} ${await response.text()}`);
  return receipt;
}

const stateOf = ({ extra }: SettleResponse) => {
  const state = extra?.["channelState"];
  return isObject(state) ? state : {};
};

test("many calls cost one deposit, one claim and one sweep", async () => {
  const { devnet } = market;
  const buyer = openStockBuyer(market);
  const before = await devnet.usdc.balanceOf(buyer.address);
  const sentBefore = await sentCount(market);
  let last: SettleResponse | undefined;
  for (let call = 1; call <= calls; call++) {
    const response = await buyer.pay(`${shop.url}/report`);
    expect(response.status).toBe(200);
    last = await receiptOf(response);
    expect(last.success).toBe(true);
    expect(last.transaction === "").toBe(call > 1);
    expect(stateOf(last)["chargedCumulativeAmount"]).toBe(`${callUnits * BigInt(call)}`);
  }
  const deposited = BigInt(String(stateOf(last ?? never())["balance"]));
  expect(before - (await devnet.usdc.balanceOf(buyer.address))).toBe(deposited);

  const { claims, settle } = await shop.manager.claimAndSettle();
  expect(claims).toEqual([{ vouchers: 1, transaction: expect.stringMatching(/^0x/) }]);
  expect(settle?.transaction).toMatch(/^0x/);
  expect(await devnet.usdc.balanceOf(devnet.seller.address)).toBe(callUnits * BigInt(calls));

  const refunded = await buyer.scheme.refund(`${shop.url}/report`);
  expect(refunded).toMatchObject({ success: true, transaction: expect.stringMatching(/^0x/) });
  const left = deposited - callUnits * BigInt(calls);
  expect(before - (await devnet.usdc.balanceOf(buyer.address))).toBe(deposited - left);
  // A deposit, a claim, a sweep and a refund, whatever the number of calls.
  expect((await sentCount(market)) - sentBefore).toBe(4);
});

function never(): never {
  throw new Error("there was a call");
}
