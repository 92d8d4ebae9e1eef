/** A call of a wallet to itself: nothing but its nonce is used up. */
import type { Address } from "@farthing/protocol";
import type { TransactionPlan } from "../model/relayer-transaction.ts";

/** What a transaction without data costs, whatever it does. */
const selfCallGas = 21_000n;

/** Plans the call; gas price in wei. */
export function planSelfCall(wallet: Address, gasPrice: bigint): TransactionPlan {
  return { settlementIds: [], to: wallet, data: "0x", gasLimit: selfCallGas, gasPrice };
}

/** Tells whether a transaction is one. */
export function isSelfCall({ settlementIds }: TransactionPlan): boolean {
  return settlementIds.length === 0;
}
