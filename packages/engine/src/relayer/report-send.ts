/** What the log says of a send that no node has taken. */
import type { Address, ChainId } from "@farthing/protocol";
import type { Log } from "../base/log.ts";
import { isPausing, type Slot } from "./pending-nonce.ts";

/** Logs how the last send of a nonce ended. */
export function reportRefusedSend(
  slot: Slot,
  facts: { readonly chainId: ChainId; readonly relayer: Address },
  log: Log,
): void {
  const { nonce, outcome, attempts } = slot;
  const fields = { ...facts, nonce, outcome, transaction: attempts.at(-1)?.hash };
  // Another program sends from this wallet: two writers lose money to each other.
  const isOtherWriter = outcome === "replacement_underpriced" && attempts.length === 1;
  if (isOtherWriter) log.error(fields, "Another transaction has our nonce in the pool");
  else if (isPausing(slot)) log.error(fields, "Relayer wallet stands still until this is mended");
  else log.warn(fields, "Transaction not accepted yet");
}
