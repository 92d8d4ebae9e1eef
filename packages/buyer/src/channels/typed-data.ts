/** What wallets are asked to sign for a channel, as EIP-712 typed data. */
import {
  channelDomain,
  depositCollector,
  depositNonce,
  depositTypes,
  voucherTypes,
  type Address,
  type Hex,
  type Network,
} from "@farthing/protocol";
import type { AuthorizationTypedData, Signer } from "../signer.ts";
import type { OpenDeposit } from "./channel-record.ts";

type ChannelTypedData = ReturnType<typeof voucherTypedData> | ReturnType<typeof depositTypedData>;

/**
 * Signers sign any typed data. Their type names that of single payments alone, as the method of a
 * viem account, which is generic, could not be passed for one that takes a union.
 */
interface TypedDataSigner {
  signTypedData(typedData: AuthorizationTypedData | ChannelTypedData): Promise<Hex>;
}

export function signTyped(
  signer: Pick<Signer, "signTypedData">,
  typedData: ChannelTypedData,
): Promise<Hex> {
  const ofAny: TypedDataSigner = signer;
  return ofAny.signTypedData(typedData);
}

export function voucherTypedData({ chainId }: Network, channelId: Hex, units: bigint) {
  return {
    domain: channelDomain(chainId),
    types: voucherTypes,
    primaryType: "Voucher",
    message: { channelId, maxClaimableAmount: units },
  } as const;
}

export function depositTypedData(
  network: Network,
  from: Address,
  channelId: Hex,
  { units, validBefore, salt }: OpenDeposit,
) {
  return {
    domain: { ...network.domain, chainId: network.chainId, verifyingContract: network.usdc },
    types: depositTypes,
    primaryType: "ReceiveWithAuthorization",
    message: {
      from,
      to: depositCollector,
      value: units,
      // The token demands block time strictly after this; 0 holds for any clock.
      validAfter: 0n,
      validBefore: BigInt(validBefore),
      nonce: depositNonce(channelId, BigInt(salt)),
    },
  } as const;
}
