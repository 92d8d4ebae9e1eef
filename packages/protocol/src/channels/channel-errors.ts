/** The errors of the published contracts, by the first four bytes of a revert. */
import * as Bytes from "ox/Bytes";
import * as Hash from "ox/Hash";
import { isHexBytes } from "../encoding/hex.ts";

/** The last one is the collector's. */
export const channelErrors = [
  "InvalidChannel",
  "ZeroDeposit",
  "DepositOverflow",
  "InvalidSignature",
  "NotReceiverAuthorizer",
  "NotAuthorizedToClaim",
  "NotAuthorizedToRefund",
  "ClaimExceedsCeiling",
  "ClaimExceedsBalance",
  "WithdrawalAlreadyPending",
  "WithdrawalNotPending",
  "NotAuthorizedToFinalizeWithdraw",
  "WithdrawDelayNotElapsed",
  "NothingToWithdraw",
  "WithdrawAmountExceedsAvailable",
  "WithdrawDelayOutOfRange",
  "EmptyBatch",
  "DepositCollectionFailed",
  "InvalidCollector",
  "InvalidRefundNonce",
  "ZeroRefund",
  "OnlyX402BatchSettlement",
] as const;

export type ChannelErrorName = (typeof channelErrors)[number];

const bySelector = new Map(
  channelErrors.map((name) => [
    Hash.keccak256(Bytes.fromString(`${name}()`), { as: "Hex" }).slice(0, 10),
    name,
  ]),
);

/** No error of the contracts has arguments, so the data of a revert is its selector alone. */
const selectorBytes = 4;

/** Names the error of a revert's data; undefined for any other data. */
export function readChannelError(data: unknown): ChannelErrorName | undefined {
  return isHexBytes(data, selectorBytes) ? bySelector.get(data.toLowerCase()) : undefined;
}
