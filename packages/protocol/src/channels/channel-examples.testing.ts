/** Messages of the scheme `batch-settlement` as the published client writes them. */
import { createBatchSettlementEIP3009DepositPayload } from "@x402/evm/batch-settlement/client";
import { privateKeyToAccount } from "viem/accounts";
import { apothem } from "../networks/networks.ts";
import type { ChannelConfig } from "./channel.ts";

/** Known test keys, which never hold anything. */
export const payerAccount = privateKeyToAccount(`0x${"11".repeat(32)}`);
export const voucherAccount = privateKeyToAccount(`0x${"22".repeat(32)}`);
export const receiverAccount = privateKeyToAccount(`0x${"33".repeat(32)}`);

export const channelConfig: ChannelConfig = {
  payer: payerAccount.address,
  payerAuthorizer: voucherAccount.address,
  receiver: receiverAccount.address,
  receiverAuthorizer: receiverAccount.address,
  token: apothem.usdc,
  withdrawDelay: 86_400,
  salt: `0x${"07".repeat(32)}`,
};

export const channelEntry = {
  scheme: "batch-settlement",
  network: apothem.id,
  amount: "1000",
  asset: apothem.usdc,
  payTo: channelConfig.receiver,
  maxTimeoutSeconds: 60,
  extra: {
    receiverAuthorizer: channelConfig.receiverAuthorizer,
    withdrawDelay: channelConfig.withdrawDelay,
    minDeposit: "10000",
    name: "USDC",
    version: "2",
  },
} as const;

/** The body of `/verify` for a deposit of 0.01 USDC with a voucher of 0.001. */
export async function depositRequest() {
  const { payload } = await createBatchSettlementEIP3009DepositPayload(
    payerAccount,
    2,
    channelEntry,
    channelConfig,
    "10000",
    "1000",
    voucherAccount,
  );
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: channelEntry, payload },
    paymentRequirements: channelEntry,
  };
}
