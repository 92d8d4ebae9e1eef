/** Channels of buyers with their signed messages, as sellers pass them on. */
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import {
  channelIdOf,
  depositDigest,
  depositNonce,
  isObject,
  networkOfChain,
  parseWireAddress,
  voucherDigest,
  type Address,
  type ChannelConfig,
  type Hex,
} from "@farthing/protocol";
import { expect } from "vitest";
import { textAt, walletAt, type Served } from "./facilitator.testing.ts";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";

export const channelNetwork = networkOfChain(51);

/** Base units of each deposit, and of the call that comes with it. */
export const deposited = 100_000n;
const callUnits = 1_000n;

export function signDigest(digest: Uint8Array, privateKey: Hex): Hex {
  return Signature.toHex(Secp256k1.sign({ payload: digest, privateKey }));
}

export interface BuyerChannel {
  readonly config: ChannelConfig;
  readonly channelId: Hex;
  readonly privateKey: Hex;
}

/** A channel of a buyer to the devnet's seller; its salt is the buyer's address. */
export function channelOf(
  { seller }: Pick<Devnet, "seller">,
  { address, privateKey }: DevnetWallet,
  receiverAuthorizer: Address = seller.address,
): BuyerChannel {
  const config: ChannelConfig = {
    payer: address,
    payerAuthorizer: address,
    receiver: seller.address,
    receiverAuthorizer,
    token: channelNetwork.usdc,
    withdrawDelay: 900,
    salt: `0x${address.slice(2).toLowerCase().padStart(64, "0")}`,
  };
  return { config, channelId: channelIdOf(channelNetwork, config), privateKey };
}

/** Of all that may be claimed, signed by the buyer. */
export function signVoucher({ channelId, privateKey }: BuyerChannel, units: bigint): Hex {
  return signDigest(voucherDigest(51, { channelId, maxClaimableAmount: units }), privateKey);
}

/** The body of /verify and /settle for a channel's deposit. */
export function depositBody(channel: BuyerChannel, units = deposited) {
  const { config, channelId, privateKey } = channel;
  const times = { validAfter: 0n, validBefore: 4_000_000_000n };
  const nonce = depositNonce(channelId, 1n);
  const authorization = { from: config.payer, value: units, ...times, nonce };
  const signature = signDigest(depositDigest(channelNetwork, authorization), privateKey);
  const entry = {
    scheme: "batch-settlement",
    network: channelNetwork.id,
    amount: `${callUnits}`,
    asset: channelNetwork.usdc,
    payTo: config.receiver,
    maxTimeoutSeconds: 60,
    extra: {
      receiverAuthorizer: config.receiverAuthorizer,
      withdrawDelay: config.withdrawDelay,
      ...channelNetwork.domain,
    },
  };
  const payload = {
    type: "deposit",
    channelConfig: config,
    voucher: {
      channelId,
      maxClaimableAmount: `${callUnits}`,
      signature: signVoucher(channel, callUnits),
    },
    deposit: {
      amount: `${units}`,
      authorization: {
        erc3009Authorization: {
          validAfter: "0",
          validBefore: `${times.validBefore}`,
          salt: "0x1",
          signature,
        },
      },
    },
  };
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: entry, payload },
    paymentRequirements: entry,
  };
}

const openedBy = (devnet: Devnet) => channelOf(devnet, walletAt(devnet.buyers, 1));

/** Of the channel that `useVault` opens, and of one that nobody has. */
export function channelPaths(devnet: Devnet): readonly string[] {
  return [openedBy(devnet).channelId, `0x${"0".repeat(64)}`].map(
    (id) => `/v1/account/channels/${id}`,
  );
}

/** Calls every operation of the vault once, with a voucher that it does not take, and opens a channel. */
export async function useVault(
  served: Pick<Served, "get" | "post">,
  devnet: Devnet,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { payload } = depositBody(channelOf(devnet, walletAt(devnet.buyers, 0))).paymentPayload;
  const { channelConfig, voucher } = payload;
  const { signature } = voucher;
  // Nobody signs claims for it here.
  const vouchers = [{ channelConfig, maxClaimableAmount: "1000", charged: "1000", signature }];
  const kept = await served.post("/v1/channels/vouchers", { vouchers }, headers);
  expect(kept).toMatchObject({ status: 200, body: { kept: [] } });
  expect((await served.post("/v1/channels/vouchers", {}, headers)).status).toBe(400);
  expect((await served.get("/v1/channels/vouchers", headers)).status).toBe(200);
  expect((await served.post("/v1/channels/claim", {}, headers)).status).toBe(202);
  const opened = await served.post("/settle", depositBody(openedBy(devnet)), headers);
  expect(opened.body).toMatchObject({ success: true });
}

/** The address that signs claims for the account whose key the headers have. */
export async function authorizerOf(
  served: Pick<Served, "get">,
  headers: Readonly<Record<string, string>>,
): Promise<Address> {
  const { body } = await served.get("/supported", headers);
  const kinds = Array.isArray(body["kinds"]) ? body["kinds"].filter(isObject) : [];
  const kind = kinds.find(({ scheme }) => scheme === "batch-settlement");
  const named = parseWireAddress(textAt(kind ?? {}, "extra.receiverAuthorizer"));
  if (!named) throw new Error("the account has no authorizer");
  return named;
}
