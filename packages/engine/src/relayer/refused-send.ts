/** What is logged of a send that no node has accepted. */
import type { Address, ChainId } from "@farthing/protocol";
import type { Log } from "../base/log.ts";
import { isPausing, type PendingNonce } from "./pending-nonce.ts";

export function reportRefusedSend(
  pending: PendingNonce,
  facts: { readonly chainId: ChainId; readonly relayer: Address },
  log: Log,
): void {
  const { nonce, outcome, attempts } = pending;
  const fields = { ...facts, nonce, outcome, transaction: attempts.at(-1)?.hash };
  if (outcome === "replacement_underpriced" && attempts.length === 1) {
    // Another program sends from this wallet: two writers lose money to each other.
    const message = "Nonce taken by another sender's transaction";
    log.error({ event: "nonce_conflict", ...fields }, message);
  } else if (isPausing(pending)) {
    log.error({ event: "wallet_paused", ...fields }, "Relayer wallet paused");
  } else {
    const message = "Transaction not accepted; retrying";
    log.warn({ event: "transaction_not_accepted", ...fields }, message);
  }
}
