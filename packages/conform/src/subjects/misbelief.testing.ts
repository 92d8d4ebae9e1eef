/** What the honest facilitator concludes wrongly from the chain where a fault makes it. */
import type { Rpc } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import { answerOf, refused, type Request } from "./answers.testing.ts";
import type { FacilitatorFault } from "./faults.testing.ts";
import type { openTransactions } from "./open-transactions.testing.ts";
import { expired } from "./reasons.testing.ts";

const alreadyUsed = "invalid_exact_evm_nonce_already_used";

/** What one look has seen. */
interface Seen {
  readonly transfer: Hex | undefined;
  /** Why the payment can no longer be settled. */
  readonly reason: string | undefined;
}

/** Returns the conclusion of one process: undefined for the true one. */
export function believeChain(
  rpc: Rpc,
  transactions: ReturnType<typeof openTransactions>,
  fault: FacilitatorFault | undefined,
) {
  /** Payments that this process has looked at. */
  const known = new Set<string>();
  /** Payments whose success was told. */
  const told = new Set<string>();
  /** Its own transactions, also those that have reverted and are signed anew. */
  const sent = new Map<string, Hex>();

  return async (request: Request, key: string, seen: Seen): Promise<JsonObject | undefined> => {
    const { transfer, reason } = seen;
    const isNew = !known.has(key);
    const wasTold = told.has(key);
    known.add(key);
    if (transfer) told.add(key);
    else told.delete(key);
    const own = transactions.find(key)?.hash ?? sent.get(key);
    if (own) sent.set(key, own);
    const success = (transaction: Hex | undefined) =>
      transaction && { ...answerOf(request), success: true, transaction };
    switch (fault) {
      // A used authorization, as any later caller finds it.
      case "repeat-after-success":
        return transfer && wasTold ? refused(request, alreadyUsed) : undefined;
      // The same, by a process that has not sent it itself.
      case "killed-before-the-receipt": {
        const isFound = transfer && isNew && transactions.isOfEarlierProcess(key);
        return isFound ? refused(request, alreadyUsed) : undefined;
      }
      // Its own transaction alone.
      case "foreign-submitter":
        return transfer && own && transfer !== own
          ? refused(request, "invalid_exact_evm_transaction_failed")
          : undefined;
      // A used authorization as a payment, although its payer canceled it.
      case "success-needs-money":
        return !transfer && reason === alreadyUsed ? success(`0x${"5e".repeat(32)}`) : undefined;
      // Its transaction as one that may still succeed.
      case "expires-while-pending": {
        const errorReason = "settlement_pending";
        return own && !transfer && reason === expired
          ? { ...refused(request, errorReason), transaction: own }
          : undefined;
      }
      // The status of a receipt.
      case "receipt-without-transfer": {
        if (!own) return undefined;
        const receipt = await rpc<{ status: Hex } | null>("eth_getTransactionReceipt", [own]);
        return receipt?.status === "0x1" ? success(own) : undefined;
      }
      default:
        return undefined;
    }
  };
}
