/** The published buyer, seller and facilitator of channels. */
import { BatchSettlementEvmScheme as ChannelFacilitator } from "@x402/evm/batch-settlement/facilitator";
import {
  BatchSettlementEvmScheme as ChannelServer,
  InMemoryChannelStorage,
} from "@x402/evm/batch-settlement/server";
import { x402Facilitator } from "@x402/core/facilitator";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { paymentMiddleware, setSettlementOverrides, x402ResourceServer } from "@x402/express";
import type { DevnetWallet } from "@farthing/devnet";
import { isObject, readReceipt, toLowerHex, type Hex } from "@farthing/protocol";
import { listen } from "@farthing/seller/testing/listen";
import express from "express";
import { privateKeyToAccount } from "viem/accounts";
import { createReferenceApp, createReferenceSigner } from "../../../bench/reference-server.ts";
import { createStockBuyer } from "../../../soak/channels/stock-buyer.ts";
import {
  unitsAsked,
  usdcOf,
  type Buyer,
  type Called,
  type FacilitatorAddress,
  type Goods,
  type Shop,
  type Table,
} from "./parties.ts";

/** A facilitator that offers to sign no claims and sends from this wallet. */
export async function openStockFacilitator({ devnet, network }: Table, wallet: DevnetWallet) {
  const signer = createReferenceSigner("tuned", devnet.rpcUrl, wallet.privateKey);
  const facilitator = new x402Facilitator().register(network.id, new ChannelFacilitator(signer));
  const app = createReferenceApp(facilitator);
  app.get("/supported", (_req, res) => void res.json(facilitator.getSupported()));
  return listen(app);
}

/** A seller that signs its own claims, and keeps its channels in memory. */
export async function openStockShop(
  { network }: Table,
  { url: facilitatorUrl }: FacilitatorAddress,
  wallet: DevnetWallet,
  { priceUnits, depositUnits }: Goods,
): Promise<Shop> {
  const open = () => {
    const facilitator = new HTTPFacilitatorClient({ url: facilitatorUrl });
    const storage = new InMemoryChannelStorage();
    const receiverAuthorizerSigner = privateKeyToAccount(wallet.privateKey);
    const scheme = new ChannelServer(wallet.address, { receiverAuthorizerSigner, storage });
    const server = new x402ResourceServer(facilitator).register(network.id, scheme);
    const accepts = {
      scheme: "batch-settlement",
      network: network.id,
      payTo: wallet.address,
      price: { amount: `${priceUnits}`, asset: network.usdc, extra: { ...network.domain } },
      extra: { minDeposit: `$${usdcOf(depositUnits)}` },
    };
    const app = express();
    app.use(paymentMiddleware({ "GET /report": { accepts, description: "Report" } }, server));
    app.get("/report", (req, res) => {
      setSettlementOverrides(res, { amount: unitsAsked(req.query) });
      res.json({});
    });
    return { app, storage, manager: scheme.createChannelManager(facilitator, network.id) };
  };
  let opened = open();
  const { url, close } = await listen((req, res) => void opened.app(req, res));
  return {
    url: `${url}/report`,
    close,
    claim: () => opened.manager.claim(),
    sweep: () => opened.manager.settle(),
    async chargedOf(channelId) {
      const channel = await opened.storage.get(channelId);
      return channel && BigInt(channel.chargedCumulativeAmount);
    },
    vaultedOf: async () => undefined,
    loseRecords() {
      opened = open();
    },
  };
}

export function openStockBuyer(table: Table, wallet: DevnetWallet): Buyer {
  let buyer = createStockBuyer(table, wallet);
  return {
    async call(url) {
      const response = await buyer.pay(url);
      const text = await response.text();
      const receipt = readReceipt(response.headers);
      if (response.status !== 200 || !receipt?.success)
        throw new Error(`${response.status} ${text}`);
      const { transaction, amount, extra } = receipt;
      return { ...readCharge(extra), depositUnits: transaction === "" ? 0n : BigInt(amount ?? 0) };
    },
    async charged(channelId) {
      const state = await buyer.storage.get(channelId);
      return state && BigInt(state.chargedCumulativeAmount ?? 0);
    },
    refund: (url) => buyer.scheme.refund(url),
    loseLedger() {
      buyer = createStockBuyer(table, wallet);
    },
  };
}

function readCharge(extra: unknown): Omit<Called, "depositUnits"> {
  const { chargedAmount, channelState } = isObject(extra) ? extra : {};
  const { channelId, chargedCumulativeAmount } = isObject(channelState) ? channelState : {};
  return {
    channelId: hexOf(channelId),
    chargedUnits: BigInt(String(chargedAmount)),
    totalUnits: BigInt(String(chargedCumulativeAmount)),
  };
}

function hexOf(value: unknown): Hex {
  if (typeof value === "string" && value.startsWith("0x")) return toLowerHex(`0x${value.slice(2)}`);
  throw new Error(`The receipt names no channel: ${String(value)}`);
}
