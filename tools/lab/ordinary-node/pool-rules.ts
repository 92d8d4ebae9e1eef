/**
 * What XDPoSChain's pool refuses (v2.7.0, `core/txpool/txpool.go`), for nodes that refuse none of
 * it, such as a devnet's.
 */
import type { PoolRules } from "./conditions.ts";
import type { PoolTransaction } from "./transaction.ts";

/** What the pool and the head know about a transaction's sender. */
export interface PoolState {
  /** Of the sender, in blocks. */
  readonly transactionCount: number;
  /** The next nonce after what the pool holds of the sender without a gap. */
  readonly poolNonce: number;
  readonly balanceWei: bigint;
  /** What the pool holds at the same nonce. */
  readonly sameNonce: PoolTransaction | undefined;
  readonly isFull: boolean;
}

/** A nonce that is further above the pool's next one is refused. */
export const maxNonceDistanceDefault = 10;
/** A node's cap on gas limit times price by default: 1 XDC, in wei. */
export const feeCapDefault = 10n ** 18n;
/** The constant base fee, 12.5 gwei, in wei. */
export const minGasPriceDefault = 12_500_000_000n;
/** Pending and queued transactions of all senders: GlobalSlots and GlobalQueue. */
export const maxPoolTransactionsDefault = 5_120 + 1_024;
const maxTransactionBytes = 64 * 1024;

/** The node's words for a refusal; undefined when the pool takes the transaction. */
export function refuseTransaction(
  tx: PoolTransaction,
  state: PoolState,
  rules: PoolRules = {},
): string | undefined {
  const { transactionCount, poolNonce, balanceWei, sameNonce, isFull } = state;
  const { feeCapWei = feeCapDefault, minGasPriceWei = minGasPriceDefault } = rules;
  const { maxNonceDistance = maxNonceDistanceDefault } = rules;
  if (sameNonce?.hash === tx.hash) return "already known";
  if (tx.raw.length / 2 > maxTransactionBytes) return "oversized data";
  const feeWei = tx.gasLimit * tx.gasPrice;
  if (feeWei > feeCapWei) {
    return `tx fee (${ether(feeWei)} ether) exceeds the configured cap (${ether(feeCapWei)} ether)`;
  }
  if (tx.gasPrice === 0n) return "zero gas price";
  if (tx.gasPrice < minGasPriceWei) return "under min gas price";
  if (tx.nonce < transactionCount) return "nonce too low";
  if (tx.nonce > poolNonce + maxNonceDistance) return "nonce too high";
  if (balanceWei < feeWei + tx.value) return "insufficient funds for gas * price + value";
  if (isFull && !sameNonce) return "txpool is full";
  return sameNonce && !isReplacement(tx, sameNonce)
    ? "replacement transaction underpriced"
    : undefined;
}

/** At least a tenth more, and more at all. */
function isReplacement(tx: PoolTransaction, old: PoolTransaction): boolean {
  return tx.gasPrice > old.gasPrice && tx.gasPrice * 10n >= old.gasPrice * 11n;
}

const ether = (wei: bigint) => (Number(wei) / 1e18).toFixed(4);
