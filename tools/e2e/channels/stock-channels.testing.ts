/** The published seller and buyer of channels, on a market. */
import {
  BatchSettlementEvmScheme as ChannelClient,
  InMemoryClientChannelStorage,
} from "@x402/evm/batch-settlement/client";
import { BatchSettlementEvmScheme as ChannelServer } from "@x402/evm/batch-settlement/server";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { listen } from "@farthing/seller/testing/listen";
import express from "express";
import { createPublicClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Market } from "../support/market.testing.ts";

/** Base units of a call. */
export const callUnits = 1_000n;

/** A stock seller of `GET /report`, which signs its own claims. */
export async function openStockShop(market: Market) {
  const { devnet, network } = market;
  const facilitator = new HTTPFacilitatorClient({ url: market.facilitator("hosted").url });
  const seller = new ChannelServer(devnet.seller.address, {
    receiverAuthorizerSigner: privateKeyToAccount(devnet.seller.privateKey),
  });
  const server = new x402ResourceServer(facilitator).register(network.id, seller);
  const accepts = {
    scheme: "batch-settlement",
    network: network.id,
    payTo: devnet.seller.address,
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
export function openStockBuyer({ devnet, network, newBuyer }: Market, wallet = newBuyer()) {
  const reader = createPublicClient({ transport: http(devnet.rpcUrl) });
  const account = privateKeyToAccount(wallet.privateKey);
  const signer = Object.assign(account, {
    readContract: (call: Parameters<typeof reader.readContract>[0]) => reader.readContract(call),
  });
  const scheme = new ChannelClient(signer, { storage: new InMemoryClientChannelStorage() });
  const client = new x402Client().register(network.id, scheme);
  return { wallet, address: wallet.address, scheme, pay: wrapFetchWithPayment(fetch, client) };
}

/** Transactions that the facilitator has sent. */
export async function sentCount({ devnet }: Market): Promise<number> {
  const from = devnet.relayers[0]?.address;
  return Number(await devnet.rpc<string>("eth_getTransactionCount", [from, "latest"]));
}
