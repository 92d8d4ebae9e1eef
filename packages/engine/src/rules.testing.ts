/** The rules of the engine that are tables or pure functions, for the model that checks them. */
export { adoptionOf, isBehindChain, isGivenAgain, mayBeMined } from "./model/lost-commits.ts";
export {
  openTransactionStates,
  transactionTransitions,
  type RelayerTransaction,
  type TransactionState,
} from "./model/relayer-transaction.ts";
export type { SendOutcome } from "./relayer/broadcast.ts";
export { plainTransferGas } from "./relayer/fees.ts";
export { noteSend, noteUndecided, type PendingNonce } from "./relayer/pending-nonce.ts";
export {
  fanOutAfterBlocks,
  isReplacing,
  moveAfterBlocks,
  recoveryActionOf,
  repriceAfterBlocks,
  type RecoveryAction,
} from "./relayer/recovery-action.ts";
export { planReplacement } from "./relayer/replacement.ts";
export { isUsedByOthers, usedNonceStep } from "./relayer/used-nonces.ts";
export { isAuthorizedTransfer, isConclusive, type ProofFacts } from "./settlement/chain-proofs.ts";
