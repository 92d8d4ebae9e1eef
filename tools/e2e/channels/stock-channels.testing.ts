/** The published seller and buyer of channels, on a market. */
import { BatchSettlementEvmScheme as ChannelServer } from "@x402/evm/batch-settlement/server";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import { listen } from "@farthing/seller/testing/listen";
import express from "express";
import { privateKeyToAccount } from "viem/accounts";
import { createStockBuyer } from "../../soak/channels/stock-buyer.ts";
import type { Market } from "../support/market.testing.ts";

/** Base units of a call. */
export const callUnits = 1_000n;

/** The devnet's seller of `GET /report`, which signs its own claims. */
export async function openStockShop(market: Market) {
  const { network, devnet } = market;
  const wallet = devnet.seller;
  const { url: facilitatorUrl } = market.facilitator("hosted");
  const facilitator = new HTTPFacilitatorClient({ url: facilitatorUrl });
  const seller = new ChannelServer(wallet.address, {
    receiverAuthorizerSigner: privateKeyToAccount(wallet.privateKey),
  });
  const server = new x402ResourceServer(facilitator).register(network.id, seller);
  const accepts = {
    scheme: "batch-settlement",
    network: network.id,
    payTo: wallet.address,
    price: { amount: `${callUnits}`, asset: network.usdc, extra: { ...network.domain } },
  };
  const app = express();
  app.use(paymentMiddleware({ "GET /report": { accepts, description: "One report" } }, server));
  let reports = 0;
  app.get("/report", (_req, res) => void res.json({ report: ++reports }));
  const { url, close } = await listen(app);
  return { url, close, manager: seller.createChannelManager(facilitator, network.id) };
}

export type StockShop = Awaited<ReturnType<typeof openStockShop>>;

/** A stock buyer with an empty memory. */
export function openStockBuyer(market: Market, wallet = market.newBuyer()) {
  return createStockBuyer(market, wallet);
}

/** Transactions that the facilitator has sent. */
export async function sentCount({ devnet }: Market): Promise<number> {
  const from = devnet.relayers[0]?.address;
  return Number(await devnet.rpc<string>("eth_getTransactionCount", [from, "latest"]));
}
