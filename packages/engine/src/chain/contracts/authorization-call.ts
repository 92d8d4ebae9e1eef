/** The call that uses an authorization: a transfer of the token, or a deposit to a channel. */
import { channelContract, type Address, type Authorization, type Hex } from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";
import { depositOf } from "../../model/channel-deposit.ts";
import { encodeTransfer } from "./usdc.ts";

export interface AuthorizationCall {
  readonly to: Address;
  readonly data: Hex;
  readonly isDeposit: boolean;
}

/** `signature` is the payer's, or a deposit's with its channel. */
export function encodeUse(
  token: Address,
  authorization: Authorization,
  signature: Hex,
): AuthorizationCall {
  const deposit = depositOf(authorization.to, signature);
  if (!deposit) {
    return { to: token, data: encodeTransfer(authorization, signature), isDeposit: false };
  }
  const { value: amount, validAfter, validBefore } = authorization;
  const signed = { amount, validAfter, validBefore, ...deposit };
  return {
    to: channelContract,
    data: channelCalls.deposit(deposit.config, signed),
    isDeposit: true,
  };
}
