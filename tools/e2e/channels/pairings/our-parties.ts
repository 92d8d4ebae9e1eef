/** Our buyer and our seller of channels. */
import { memoryLedger, privateKeySigner, wrapFetch, type BuyerOptions } from "@farthing/buyer";
import type { DevnetWallet } from "@farthing/devnet";
import { isObject, type Hex } from "@farthing/protocol";
import { createMemoryGrants } from "@farthing/seller";
import { farthing } from "@farthing/seller/express";
import { listen } from "@farthing/seller/testing/listen";
import express from "express";
import {
  unitsAsked,
  usdcOf,
  type Buyer,
  type FacilitatorAddress,
  type Goods,
  type Shop,
  type Table,
} from "./parties.ts";

const cost = ({ headers }: Response) => BigInt(headers.get("X-Units") ?? 0);

/** A seller that signs its own claims where its facilitator does not, with its channels in memory. */
export async function openOurShop(
  { network }: Table,
  facilitator: FacilitatorAddress,
  wallet: DevnetWallet,
  { priceUnits, depositUnits }: Goods,
): Promise<Shop> {
  const { url: facilitatorUrl, apiKey } = facilitator;
  const open = () => {
    const grants = createMemoryGrants();
    const charge = farthing({
      facilitator,
      payTo: wallet.address,
      network: network.id,
      grants,
      ...(apiKey === undefined && { channels: { authorizerKey: wallet.privateKey } }),
      onEvent: () => {},
    });
    const channel = { minDeposit: usdcOf(depositUnits), only: true };
    const app = express();
    app.get("/report", charge({ price: priceUnits, channel, cost }), (req, res) => {
      res.set("X-Units", unitsAsked(req.query)).json({});
    });
    return { app, charge, grants };
  };
  let opened = open();
  const { url, close } = await listen((req, res) => void opened.app(req, res));
  return {
    url: `${url}/report`,
    close,
    claim: () => opened.charge.channels.claim(),
    // One call does both.
    sweep: () => opened.charge.channels.claim(),
    async chargedOf(channelId) {
      return (await opened.grants.channels?.find(channelId))?.charged;
    },
    async vaultedOf(channelId) {
      if (apiKey === undefined) return undefined;
      const headers = { Authorization: `Bearer ${apiKey}` };
      const answer = await fetch(`${facilitatorUrl}/v1/channels/vouchers`, { headers });
      const body: unknown = await answer.json();
      const rows = isObject(body) && Array.isArray(body["vouchers"]) ? body["vouchers"] : [];
      const row = rows.find((one) => isObject(one) && one["channelId"] === channelId);
      return isObject(row) ? BigInt(String(row["charged"])) : 0n;
    },
    loseRecords() {
      opened = open();
    },
  };
}

export function openOurBuyer(
  { devnet }: Table,
  wallet: DevnetWallet,
  { depositUnits }: Goods,
): Buyer {
  const options: Omit<BuyerOptions, "ledger"> = {
    signer: privateKeySigner(wallet.privateKey),
    rpcUrl: devnet.rpcUrl,
    channels: { depositMax: usdcOf(depositUnits) },
  };
  const open = () => wrapFetch(fetch, { ...options, ledger: memoryLedger() });
  let pay = open();
  const find = async (id: Hex) =>
    (await pay.channels.list()).find(({ channelId }) => channelId === id);
  return {
    async call(url) {
      const response = await pay(url);
      const { payment, status } = response;
      const text = await response.text();
      if (payment.state !== "charged") throw new Error(`${status} ${payment.state} ${text}`);
      const { channelId, amount, chargedTotal, deposit = 0 } = payment;
      const [chargedUnits, totalUnits] = [BigInt(amount), BigInt(chargedTotal)];
      return { channelId, chargedUnits, totalUnits, depositUnits: BigInt(deposit) };
    },
    charged: async (channelId) => (await find(channelId))?.chargedUnits,
    async refund() {
      const channels = await pay.channels.list();
      for (const { channelId } of channels) await pay.channels.refund(channelId);
    },
    loseLedger() {
      pay = open();
    },
  };
}
