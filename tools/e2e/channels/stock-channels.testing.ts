/** The published seller, buyer and facilitator of channels, on a market. */
import {
  BatchSettlementEvmScheme as ChannelClient,
  InMemoryClientChannelStorage,
} from "@x402/evm/batch-settlement/client";
import { BatchSettlementEvmScheme as ChannelServer } from "@x402/evm/batch-settlement/server";
import { BatchSettlementEvmScheme as ChannelFacilitator } from "@x402/evm/batch-settlement/facilitator";
import { x402Facilitator } from "@x402/core/facilitator";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import type { DevnetWallet } from "@farthing/devnet";
import { listen } from "@farthing/seller/testing/listen";
import express from "express";
import { createPublicClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { createReferenceApp, createReferenceSigner } from "../../bench/reference-server.ts";
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
