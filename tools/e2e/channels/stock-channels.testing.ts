/** The published seller, buyer and facilitator of channels, on a market. */
import { BatchSettlementEvmScheme as ChannelServer } from "@x402/evm/batch-settlement/server";
import { BatchSettlementEvmScheme as ChannelFacilitator } from "@x402/evm/batch-settlement/facilitator";
import { x402Facilitator } from "@x402/core/facilitator";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import type { DevnetWallet } from "@farthing/devnet";
import { listen } from "@farthing/seller/testing/listen";
import express from "express";
import { privateKeyToAccount } from "viem/accounts";
import { createReferenceApp, createReferenceSigner } from "../../bench/reference-server.ts";
import { createStockBuyer } from "../../soak/channels/stock-buyer.ts";
import type { Market } from "../support/market.testing.ts";

/** Base units of a call. */
export const callUnits = 1_000n;

/** A stock seller of `GET /report`, which signs its own claims; the devnet's unless it is named. */
export async function openStockShop(
  market: Market,
  { url: facilitatorUrl } = market.facilitator("hosted"),
  wallet = market.devnet.seller,
) {
  const { network } = market;
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

/** A stock facilitator, which offers to sign no claims and sends from this wallet. */
export async function openStockFacilitator({ devnet, network }: Market, wallet: DevnetWallet) {
  const signer = createReferenceSigner("tuned", devnet.rpcUrl, wallet.privateKey);
  const facilitator = new x402Facilitator().register(network.id, new ChannelFacilitator(signer));
  const app = createReferenceApp(facilitator);
  app.get("/supported", (_req, res) => void res.json(facilitator.getSupported()));
  return listen(app);
}

/** Transactions that the facilitator has sent. */
export async function sentCount({ devnet }: Market): Promise<number> {
  const from = devnet.relayers[0]?.address;
  return Number(await devnet.rpc<string>("eth_getTransactionCount", [from, "latest"]));
}
