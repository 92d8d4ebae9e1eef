/**
 * Stock buyers at a stock seller, with channels through our facilitator: one deposit, then calls that
 * move nothing on the chain, one claim and one sweep for all of them, and a refund of what is left.
 */
import {
  BatchSettlementEvmScheme as ChannelClient,
  InMemoryClientChannelStorage,
} from "@x402/evm/batch-settlement/client";
import { BatchSettlementEvmScheme as ChannelServer } from "@x402/evm/batch-settlement/server";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { isObject, readReceipt, type SettleResponse } from "@farthing/protocol";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import express from "express";
import { createPublicClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMarket, type Market } from "../support/market.testing.ts";

/** Base units of a call, and calls of one buyer. */
const callUnits = 1_000n;
const calls = 8;

let market: Market;
let shop: Listening;
let seller: ChannelServer;
let facilitator: HTTPFacilitatorClient;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  market = await startMarket();
  stack.defer(() => market.stop());
  const { devnet, network } = market;
  facilitator = new HTTPFacilitatorClient({ url: market.facilitator("hosted").url });
  seller = new ChannelServer(devnet.seller.address, {
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
  shop = await listen(app);
  stack.defer(() => shop.close());
});

afterAll(() => stack.disposeAsync());

function openBuyer() {
  const { devnet, network } = market;
  const { privateKey, address } = market.newBuyer();
  const reader = createPublicClient({ transport: http(devnet.rpcUrl) });
  const account = privateKeyToAccount(privateKey);
  const signer = Object.assign(account, {
    readContract: (call: Parameters<typeof reader.readContract>[0]) => reader.readContract(call),
  });
  const scheme = new ChannelClient(signer, { storage: new InMemoryClientChannelStorage() });
  const client = new x402Client().register(network.id, scheme);
  return { address, scheme, pay: wrapFetchWithPayment(fetch, client) };
}

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
  const { devnet, network } = market;
  const buyer = openBuyer();
  const before = await devnet.usdc.balanceOf(buyer.address);
  const blocks = async () =>
    Number(
      await devnet.rpc<string>("eth_getTransactionCount", [devnet.relayers[0]?.address, "latest"]),
    );
  const sentBefore = await blocks();
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

  const manager = seller.createChannelManager(facilitator, network.id);
  const { claims, settle } = await manager.claimAndSettle();
  expect(claims).toEqual([{ vouchers: 1, transaction: expect.stringMatching(/^0x/) }]);
  expect(settle?.transaction).toMatch(/^0x/);
  expect(await devnet.usdc.balanceOf(devnet.seller.address)).toBe(callUnits * BigInt(calls));

  const refunded = await buyer.scheme.refund(`${shop.url}/report`);
  expect(refunded).toMatchObject({ success: true, transaction: expect.stringMatching(/^0x/) });
  const left = deposited - callUnits * BigInt(calls);
  expect(before - (await devnet.usdc.balanceOf(buyer.address))).toBe(deposited - left);
  // A deposit, a claim, a sweep and a refund, whatever the number of calls.
  expect((await blocks()) - sentBefore).toBe(4);
});

function never(): never {
  throw new Error("there was a call");
}
