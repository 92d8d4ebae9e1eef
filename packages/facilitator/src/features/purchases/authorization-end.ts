/**
 * Reads how a purchase's authorization ended: unused, or used by the payer in their own
 * transaction. Known only when no block can carry the authorization any more.
 */
import { isSameAddress } from "@farthing/protocol";
import type { SettlementEngine } from "@farthing/engine";
import { purchaseNonce } from "./service.ts";
import type { WorkerDeps } from "./worker.ts";

export function createReadEnd(
  engine: Pick<SettlementEngine, "readAuthorizationEnd">,
): WorkerDeps["readEnd"] {
  return async (purchase, treasury) => {
    const { chainId, payer, expiresAt, units } = purchase;
    if (payer === null) return "unpaid";
    const question = { payer, nonce: purchaseNonce(purchase), expiresAtMs: expiresAt };
    const end = await engine.readAuthorizationEnd(chainId, question);
    if (end?.kind !== "used") return end && "unpaid";
    const { kind, transfer, transaction, blockNumber, logIndex } = end.event;
    const pays =
      kind === "used" &&
      transfer !== undefined &&
      treasury !== undefined &&
      isSameAddress(transfer.to, treasury) &&
      transfer.value === units;
    if (!pays) return "unpaid";
    return end.isFinal ? { transaction, blockNumber, logIndex } : undefined;
  };
}
