/**
 * Our buyer at a stock seller, with channels through our facilitator: a deposit, calls that move
 * nothing on the chain, a top-up, a ledger that is lost, and a refund; all money counted on the chain.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  memoryLedger,
  privateKeySigner,
  wrapFetch,
  type BuyerOptions,
  type PaidResponse,
} from "@farthing/buyer";
import { fileLedger } from "@farthing/buyer/file-ledger";
import { farthing } from "farthing/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMarket, type Market } from "../support/market.testing.ts";
import { callUnits, openStockShop, sentCount, type StockShop } from "./stock-channels.testing.ts";

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

function openBuyer(over: Partial<BuyerOptions> = {}) {
  const { devnet } = market;
  const { privateKey, address } = market.newBuyer();
  const options = { signer: privateKeySigner(privateKey), rpcUrl: devnet.rpcUrl, ...over };
  return { address, options, pay: wrapFetch(fetch, { ledger: memoryLedger(), ...options }) };
}

function chargeOf({ payment, status }: PaidResponse) {
  if (!("channelId" in payment)) throw new Error(`no channel: ${status} ${payment.state}`);
  return payment;
}

test("many calls cost one deposit, a top-up and a refund", async () => {
  const { devnet } = market;
  const buyer = openBuyer({ channels: { depositMax: "0.01" } });
  const before = await devnet.usdc.balanceOf(buyer.address);
  const sentBefore = await sentCount(market);
  const deposits: bigint[] = [];
  for (let call = 1n; call <= 12n; call++) {
    const response = await buyer.pay(`${shop.url}/report`);
    expect(await response.json()).toMatchObject({ report: expect.any(Number) });
    const payment = chargeOf(response);
    expect(payment).toMatchObject({
      state: "charged",
      amount: `${callUnits}`,
      chargedTotal: `${callUnits * call}`,
    });
    if (payment.deposit !== undefined) deposits.push(BigInt(payment.deposit));
  }
  expect(deposits.length).toBe(2);
  const deposited = deposits.reduce((sum, units) => sum + units, 0n);
  expect(before - (await devnet.usdc.balanceOf(buyer.address))).toBe(deposited);
  expect((await sentCount(market)) - sentBefore).toBe(2);

  const sellerBefore = await devnet.usdc.balanceOf(devnet.seller.address);
  await shop.manager.claimAndSettle();
  const spent = callUnits * 12n;
  expect((await devnet.usdc.balanceOf(devnet.seller.address)) - sellerBefore).toBe(spent);

  const [channel] = await buyer.pay.channels.list();
  if (!channel) throw new Error("There is a channel.");
  expect(await buyer.pay.channels.refund(channel.channelId)).toMatchObject({
    state: "refunded",
    amount: `${deposited - spent}`,
    left: "0",
  });
  expect(before - (await devnet.usdc.balanceOf(buyer.address))).toBe(spent);
  // A deposit, a top-up, a claim, a sweep and a refund.
  expect((await sentCount(market)) - sentBefore).toBe(5);
});

test.each(["with", "without"])("a ledger that is lost is recovered %s a node", async (how) => {
  const { devnet } = market;
  const buyer = openBuyer();
  const before = await devnet.usdc.balanceOf(buyer.address);
  const url = `${shop.url}/report`;
  for (let call = 0; call < 3; call++) chargeOf(await buyer.pay(url));
  const deposited = before - (await devnet.usdc.balanceOf(buyer.address));

  const ledger = memoryLedger();
  const rpcUrl = how === "with" ? devnet.rpcUrl : "none";
  const pay = wrapFetch(fetch, { ...buyer.options, ledger, rpcUrl });
  const payment = chargeOf(await pay(url));
  expect(payment).toMatchObject({ state: "charged", chargedTotal: `${callUnits * 4n}` });
  expect(payment.deposit).toBeUndefined();
  // The seller has not used the deposit that came with the total that it did not know.
  expect(before - (await devnet.usdc.balanceOf(buyer.address))).toBe(deposited);
  expect(chargeOf(await pay(url))).toMatchObject({ chargedTotal: `${callUnits * 5n}` });
});

test("two programs with one ledger take turns, and a withdrawal needs no seller", async () => {
  const { devnet } = market;
  const folder = mkdtempSync(join(tmpdir(), "farthing-channels-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "ledger.jsonl");
  const { options } = openBuyer({ ledger: fileLedger(path) });
  const url = `${shop.url}/report`;
  const first = wrapFetch(fetch, options);
  const second = wrapFetch(fetch, { ...options, ledger: fileLedger(path) });
  for (const pay of [first, second, first, second]) chargeOf(await pay(url));
  const [channel] = await second.channels.list();
  if (!channel) throw new Error("There is a channel.");
  expect(channel.chargedUnits).toBe(4n * callUnits);

  const withdraw = ["channels", "withdraw", channel.channelId, "--json"];
  const environment = { FARTHING_LEDGER: path, FARTHING_RPC_URL: devnet.rpcUrl };
  const printed = JSON.parse((await farthing(withdraw, { environment })).stdout);
  const { from, initiate, finalize } = printed;
  const account = { from, gas: "0x7a120" };
  const send = (call: object, how: string) => devnet.rpc<string>(how, [{ ...account, ...call }]);
  expect(printed).toMatchObject({ isStarted: false, promisedUsdc: "0.004000" });
  // The contract takes the first one from the payer, and the second one not before the delay.
  await expect(send(initiate, "eth_estimateGas")).resolves.toMatch(/^0x/);
  await expect(send(finalize, "eth_estimateGas")).rejects.toThrow();
});
