/**
 * What shows that a database has lost its last commits, as after a failover to a standby that was behind,
 * and what follows. A nonce is stored before its transaction is sent, so that the store has each before
 * the chain has it.
 */
import type { SettlementState } from "./settlement.ts";

/** Whether the chain has more transactions of a wallet than the store has given nonces. */
export function isBehindChain(nextNonce: number, count: number): boolean {
  return nextNonce < count;
}

/** Whether the store gives a nonce, or would give one, that this process knows to be given. */
export function isGivenAgain(nonce: number, known: number): boolean {
  return nonce < known;
}

/**
 * Whether a block may still contain a transaction that the store has lost: a final block counts fewer of
 * the wallet's than this process knows to be given. Nothing is refused before.
 */
export function mayBeMined(finalCount: number, known: number): boolean {
  return finalCount < known;
}

/**
 * What is done about a transfer that a wallet has made: it is claimed where the store lacks its settlement,
 * and recorded as the outcome of one that has another outcome or none.
 */
export function adoptionOf(
  settlement: { readonly state: SettlementState } | undefined,
): "claim" | "conclude" | "nothing" {
  if (!settlement) return "claim";
  return settlement.state === "confirmed" ? "nothing" : "conclude";
}
