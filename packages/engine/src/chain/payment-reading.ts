/** What the readers of payments share: the question, its answer, and who a simulation comes from. */
import type { Address, Authorization, Hex } from "@farthing/protocol";
import { classifyNodeError } from "./node-errors.ts";
import type { RpcAnswer } from "./rpc-endpoint.ts";

/** One payment to look at: the very bytes that would be sent. */
export interface PaymentCheck {
  readonly authorization: Authorization;
  readonly signature: Hex;
}

/** What the chain says about it, all at one block. */
export interface PaymentReading {
  readonly blockNumber: number;
  /** Unix seconds. */
  readonly blockTime: bigint;
  readonly payerHasCode: boolean;
  /** USDC base units. */
  readonly balance: bigint;
  /** The token's `authorizationState`: used or canceled. */
  readonly isUsed: boolean;
  /** Whether the transfer would go through. */
  readonly isTransferable: boolean;
  /** What it would revert with; "0x" when it ran out of the gas allowed for one transfer. */
  readonly revertData: Hex;
}

/**
 * Who a simulated transfer claims to come from. A contract wallet sees the transaction's origin and
 * gas price, so a simulation without them lets the wallet tell it from a transaction.
 */
export interface CallSender {
  readonly from: Address;
  /** Wei per gas; left out for a node that does not take the price. */
  readonly gasPrice?: bigint;
  /** What the wallet holds, in wei: nodes refuse a call whose gas it could not pay for. */
  readonly balance?: bigint | undefined;
}

/**
 * Gas one simulated transfer may use. A contract payer's transaction is sent with at most 400 k,
 * a fifth of it in reserve, 21 k and calldata before the call begins: 290 k are left for the call,
 * so whatever passes here can be sent. A plain transfer takes at most 104 k.
 */
export const transferGasCap = 290_000n;

/** Those who wait for an outcome, or for a transaction to be sent, go first. */
export const forVerification = { priority: "verification" } as const;

/** The members of a call's object that say who sends it. */
export function senderFields(sender: CallSender | undefined): Record<string, string> {
  if (!sender) return {};
  const { from, gasPrice } = sender;
  return { from, ...(gasPrice !== undefined && { gasPrice: hexOf(gasPrice) }) };
}

export function hexOf(value: bigint): string {
  return `0x${value.toString(16)}`;
}

/** Whether a node refused a call for its sender's money or price, not for what it does. */
export function isSenderRefused(answer: RpcAnswer | undefined): boolean {
  if (!answer || answer.ok) return false;
  const problem = classifyNodeError(answer.error);
  return problem === "insufficient_gas_money" || problem === "price_too_low";
}
