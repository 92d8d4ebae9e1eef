/**
 * Reads the transfers that a relayer transaction asks the token for: one call of the token itself, or
 * the calls of a batch by either of its contracts.
 */
import { toLowerHex, type Authorization, type Hex } from "@farthing/protocol";
import { callsInLimitedBatch } from "../contracts/batch-contract.ts";
import { callsInBatch } from "../contracts/multicall.ts";
import type { AuthorizationName } from "../reads/authorization-states.ts";
import { topicAddress, transferSelector } from "../contracts/usdc.ts";

export interface TransferCall {
  readonly authorization: Authorization;
  readonly signature: Hex;
}

/** The selector, seven words of arguments, and the length of the signature, in digits with 0x. */
const digitsMin = 2 + 8 + 8 * 64;

/** Returns the call that uses this authorization; undefined where the transaction has none. */
export function findTransferCall(
  data: Hex,
  { payer, nonce }: AuthorizationName,
): TransferCall | undefined {
  const wanted = `${payer} ${nonce}`.toLowerCase();
  return [data, ...callsInBatch(data), ...callsInLimitedBatch(data)]
    .map(readTransferCall)
    .find((call) => {
      if (!call) return false;
      const { from, nonce: used } = call.authorization;
      return `${from} ${used}`.toLowerCase() === wanted;
    });
}

function readTransferCall(data: Hex): TransferCall | undefined {
  if (!data.startsWith(`0x${transferSelector}`) || data.length < digitsMin) return undefined;
  const wordAt = (place: number): Hex => `0x${data.slice(10 + place * 64, 10 + (place + 1) * 64)}`;
  // The signature is the last argument, and its length comes before its bytes.
  const signatureAt = 10 + 8 * 64;
  const signature: Hex = `0x${data.slice(signatureAt, signatureAt + Number(wordAt(7)) * 2)}`;
  const authorization = {
    from: topicAddress(wordAt(0)),
    to: topicAddress(wordAt(1)),
    value: BigInt(wordAt(2)),
    validAfter: BigInt(wordAt(3)),
    validBefore: BigInt(wordAt(4)),
    nonce: toLowerHex(wordAt(5)),
  };
  return { authorization, signature };
}
