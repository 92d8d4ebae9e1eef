/** What the payer's side signs for a channel, and the messages that carry it. */
import {
  defined,
  isHexBytes,
  toLowerHex,
  type ChannelConfig,
  type ChannelRequirements,
  type Hex,
  type JsonObject,
  type Network,
  type Voucher,
} from "@farthing/protocol";
import type { Signer } from "../signer.ts";
import type { OpenDeposit } from "./channel-record.ts";
import type { ChannelPolicy } from "./channel-options.ts";
import { depositTypedData, signTyped, voucherTypedData } from "./typed-data.ts";

/** Who signs for a channel: the payer, and the key of its vouchers. */
export interface ChannelSigners {
  readonly payer: Signer;
  readonly policy: Pick<ChannelPolicy, "voucherSigner" | "salt">;
}

/** Undefined for a contract wallet without a key for vouchers: its vouchers could be revoked. */
export function voucherSignerOf({ payer, policy }: ChannelSigners) {
  return policy.voucherSigner ?? (payer.isContract === true ? undefined : payer);
}

/** The channel of a seller's entry; undefined where the entry or the wallet makes none possible. */
export function configOf(
  signers: ChannelSigners,
  { payTo, asset, receiverAuthorizer, withdrawDelay }: ChannelRequirements,
): ChannelConfig | undefined {
  const authorizer = voucherSignerOf(signers);
  if (!authorizer || receiverAuthorizer === undefined || withdrawDelay === undefined) {
    return undefined;
  }
  return {
    payer: signers.payer.address,
    payerAuthorizer: authorizer.address,
    receiver: payTo,
    receiverAuthorizer,
    token: asset,
    withdrawDelay,
    salt: signers.policy.salt,
  };
}

/** A voucher's signature is that of a key: the contract takes no other form. */
const voucherSignatureBytes = 65;
const depositSignatureBytesMax = 8192;

/** Rejects with the signer's error. */
export async function signVoucher(
  signers: ChannelSigners,
  network: Network,
  channelId: Hex,
  units: bigint,
): Promise<Voucher> {
  const signer = voucherSignerOf(signers);
  if (!signer) throw new TypeError("A contract wallet needs channels.voucherSigner.");
  const signature = await signTyped(signer, voucherTypedData(network, channelId, units));
  const isWhole = signature.length === 2 + 2 * voucherSignatureBytes;
  if (!isWhole || !isHexBytes(signature, voucherSignatureBytes)) {
    throw new TypeError(`The signer returned no signature of ${voucherSignatureBytes} bytes.`);
  }
  return { channelId, maxClaimableAmount: units, signature: toLowerHex(signature) };
}

/** The payload's member `deposit`. Rejects with the signer's error. */
export async function signDeposit(
  { payer }: ChannelSigners,
  network: Network,
  channelId: Hex,
  deposit: OpenDeposit,
): Promise<JsonObject> {
  const typedData = depositTypedData(network, payer.address, channelId, deposit);
  const signature = await signTyped(payer, typedData);
  if (!isHexBytes(signature, depositSignatureBytesMax) || signature.length <= 2) {
    throw new TypeError(`The signer returned no signature of the deposit.`);
  }
  const { units, validBefore, salt } = deposit;
  const erc3009Authorization = {
    validAfter: "0",
    validBefore: `${validBefore}`,
    salt,
    signature: toLowerHex(signature),
  };
  return { amount: `${units}`, authorization: { erc3009Authorization } };
}

/** Around a payload: the entry as it came, and what the challenge said around it. */
export interface ChannelEnvelope {
  readonly accepted: JsonObject;
  readonly resource?: JsonObject;
  readonly extensions?: JsonObject;
}

type Payload =
  | { readonly type: "voucher" }
  | { readonly type: "deposit"; readonly deposit: JsonObject }
  /** Base units; left out for all that is left. */
  | { readonly type: "refund"; readonly amount?: string };

export function wireChannelPayment(
  { accepted, resource, extensions }: ChannelEnvelope,
  config: ChannelConfig,
  { channelId, maxClaimableAmount, signature }: Voucher,
  payload: Payload,
) {
  const voucher = { channelId, maxClaimableAmount: `${maxClaimableAmount}`, signature };
  return {
    x402Version: 2,
    accepted,
    payload: { ...payload, channelConfig: config, voucher },
    ...defined({ resource, extensions }),
  };
}
