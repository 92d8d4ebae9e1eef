import type { Address, Authorization, Hex } from "@farthing/protocol";
import { classifyNodeError } from "../endpoints/node-errors.ts";
import { hexOf, type RpcReply } from "../endpoints/rpc-endpoint.ts";

export interface PaymentCheck {
  readonly authorization: Authorization;
  readonly signature: Hex;
}

export interface PaymentReading {
  readonly blockNumber: number;
  /** Unix seconds. */
  readonly blockTime: bigint;
  readonly payerHasCode: boolean;
  /** USDC base units. */
  readonly balance: bigint;
  /** The token's `authorizationState`: used or canceled. */
  readonly isUsed: boolean;
  readonly isTransferable: boolean;
  /** The transfer's revert data; "0x" when it exceeded the gas cap of one transfer. */
  readonly revertData: Hex;
}

/** A contract wallet sees origin and gas price, and could tell a simulation without them. */
export interface CallSender {
  readonly from: Address;
  /** Wei per gas; omitted for a node that refuses the price. */
  readonly gasPrice?: bigint;
  /** Wei. Nodes refuse a call whose gas the sender could not pay for. */
  readonly balance?: bigint | undefined;
}

/**
 * Of one simulated transfer. A contract payer's transaction has at most 400 k, a fifth in reserve, 21 k
 * and calldata before the call: 290 k are left. A plain transfer takes at most 104 k.
 */
export const transferGasCap = 290_000n;

/**
 * Of one simulated deposit to a channel: a transfer to the collector, a second one to the contract, and
 * the first words of a channel. A plain payer's takes 137 k with the stand-ins; the rest is for the
 * published contract and for a payer that is a contract.
 */
export const depositGasCap = 450_000n;

/** Outcomes and sends go first. */
export const forVerification = { priority: "verification" } as const;

export function senderFields(sender: CallSender | undefined): Record<string, string> {
  if (!sender) return {};
  const { from, gasPrice } = sender;
  return { from, ...(gasPrice !== undefined && { gasPrice: hexOf(gasPrice) }) };
}

/** True if a node refused a call for its sender's balance or price, not for its content. */
export function isSenderRefused(reply: RpcReply | undefined): boolean {
  if (!reply || reply.ok) return false;
  const problem = classifyNodeError(reply.error);
  return problem === "insufficient_gas_money" || problem === "price_too_low";
}
