/** A channel in the demo: a published buyer deposits once and signs calls, and the facilitator claims them. */
import { setTimeout as sleep } from "node:timers/promises";
import { formatUsdc, isObject, member, readReceipt, shortUsdc } from "@farthing/protocol";
import { createStockBuyer } from "../soak/channels/stock-buyer.ts";
import { channelPriceUnits } from "./paid-api.ts";
import type { DemoEnvironment } from "./environment.ts";
import type { StepListener } from "./watch-payment.ts";

/** Together they cost more than 0.10 USDC, from which on the facilitator pays a claim out by itself. */
const calls = 20;

/** A block for the deposit, one for the claim and one for the sweep; a machine under load gets more. */
const channelMs = 60_000;
const lookMs = 200;

/** Pays calls over a channel and has them claimed. Throws when a call was not charged. */
export async function useChannel(
  environment: DemoEnvironment,
  report: StepListener,
  stopped: AbortSignal,
): Promise<void> {
  const { devnet, paidApi } = environment;
  const [wallet] = devnet.buyers;
  if (!wallet) throw new Error("The local chain has no buyer");
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(channelMs)]);
  const buyer = createStockBuyer(environment, wallet);
  const balances = async () => ({
    buyer: await devnet.usdc.balanceOf(wallet.address),
    seller: await devnet.usdc.balanceOf(devnet.seller.address),
  });
  const before = await balances();
  for (let nth = 1; nth <= calls; nth++) {
    const response = await buyer.pay(paidApi.channelUrl, { signal });
    await response.text();
    const receipt = readReceipt(response.headers);
    if (response.status !== 200 || !receipt?.success) {
      throw new Error(`Call ${nth} over a channel got HTTP ${response.status}`);
    }
    const { transaction } = receipt;
    if (transaction !== "") report({ name: "deposit", text: "", hash: transaction });
  }
  const price = formatUsdc(channelPriceUnits);
  report({ name: "content", text: `200, ${calls} calls at ${price} USDC, a voucher for each` });
  const charged = await collect(environment, signal);
  const after = await balances();
  report({ name: "claimed", text: `${shortUsdc(charged)} USDC for all calls, by the facilitator` });
  const held = before.buyer - after.buyer - charged;
  const sums = [
    `buyer ${formatUsdc(after.buyer - before.buyer)}`,
    `of it in the channel ${formatUsdc(held)}`,
    `seller +${formatUsdc(after.seller - before.seller)} USDC`,
  ];
  report({ name: "balances", text: sums.join(", ") });
}

/** Waits until the facilitator has the last voucher, and then until its claim is paid out. */
async function collect(
  { facilitatorUrl, apiKey, devnet }: DemoEnvironment,
  signal: AbortSignal,
): Promise<bigint> {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const row = async () => {
    const response = await fetch(`${facilitatorUrl}/v1/channels/vouchers`, { headers, signal });
    const rows = member(Object(await response.json()), "vouchers");
    const found: unknown = Array.isArray(rows) ? rows[0] : undefined;
    return isObject(found) ? found : {};
  };
  const price = channelPriceUnits * BigInt(calls);
  while ((await row())["charged"] !== `${price}`) await sleep(lookMs, undefined, { signal });
  const paidBefore = await devnet.usdc.balanceOf(devnet.seller.address);
  const claim = { method: "POST", headers, body: "{}", signal };
  await fetch(`${facilitatorUrl}/v1/channels/claim`, claim);
  const paid = async () => (await devnet.usdc.balanceOf(devnet.seller.address)) - paidBefore;
  while ((await paid()) < price) await sleep(lookMs, undefined, { signal });
  return price;
}
