/**
 * The engine: verifies, settles and relays x402 payments. README.md describes the interface.
 * @packageDocumentation
 */
export * from "./engine.ts";
export type { EngineSettings, NetworkEndpoints } from "./network-engine.ts";
export { waitReasons, type NetworkState, type WaitReason } from "./network-state.ts";
export type { Channels } from "./settlement/channels.ts";
export type { MinedChannelEvent } from "./chain/logs/channel-events.ts";
export type { ContractCallResult } from "./relayer/contract-calls.ts";
export { depositRequest } from "./settlement/deposit-request.ts";
export { depositOf } from "./model/channel-deposit.ts";
export type { Since } from "./settlement/compare-nonces.ts";
export { type KeySource, createChannelSigner, createSigners } from "./relayer/sign.ts";
export type {
  DigestSigner,
  SignedTransaction,
  Signer,
  UnsignedTransaction,
} from "./relayer/signer.ts";
export { type WalletSource, openSigners } from "./relayer/open-signers.ts";
export { createKmsDigestSigner, createKmsSigner } from "./relayer/remote-signers/aws-kms.ts";
export { createWeb3Signers, type Web3SignerOptions } from "./relayer/remote-signers/web3signer.ts";
export type { WalletLoad, RelayerLoad } from "./relayer/relayer.ts";
export * from "./model/settlement.ts";
export type { AdmissionCaller } from "./settlement/admission.ts";
export type { AuthorizationEnd, AuthorizationQuestion } from "./settlement/authorization-end.ts";
export { type RefundEntry, type StoredRefund, evaluateRefund } from "./model/refund.ts";
export type { Refund, RefundOptions, RefundRequest, RefundResult } from "./settlement/refund.ts";
export type { Settle, SettleOptions, SettleResult } from "./settlement/settle.ts";
export type { Waiters, WaitGoal, Waiting } from "./settlement/waiters.ts";
export type { Screen, VerifiedPayment, Verifier, VerifyOptions } from "./verification/verify.ts";
export type { WalletKind, WalletReading } from "./verification/wallet-signature.ts";
export type { GasReceipt } from "./chain/reads/gas-receipts.ts";

/** For the service's routes, whose own limits come between the steps of a payment. */
export { type Admit, isNotAdmitted } from "./settlement/admission.ts";
export type {
  CallTerms,
  Presentation,
  RepeatPolicy,
  SettleCall,
  SettleCallTerms,
} from "./settlement/exchange-calls.ts";
export type { Exchanges } from "./settlement/exchanges.ts";
export type { RefuseIdentifier } from "./settlement/payment-identifier.ts";
export { authorizationKeyOf } from "./verification/verify.ts";

/** For the service's budgets of gas, whose buckets are those of the engine's own budget. */
export {
  type GasHalf,
  type GasRefusal,
  type KeylessGas,
  type KeylessTerms,
  chooseHalf,
  gasHalves,
  halfOf,
  hourMs,
  isGasRefusal,
  notedShare,
  provenDays,
  provenPayers,
  refillOf,
  secondsToRefill,
} from "./model/keyless.ts";
export { contractTransferGasMax, gasPriceFloorWei } from "./relayer/fees.ts";

/** For sign-in, which composes the texts that wallets sign. */
export { composeMessage, isMessageDomain, statementText } from "./verification/wallet-message.ts";
export { signatureBytesMax } from "./verification/wallet-signature.ts";

/** For the metrics and the watch over wallets. */
export type { ChainView } from "./chain/follower/chain-view.ts";
export type { EndpointLimits } from "./chain/endpoints/endpoint-limiter.ts";
export { formatEther, formatGwei } from "./base/ether.ts";
export { ceilingOf, type GasLimits } from "./relayer/gas-prices.ts";
export { classifyNodeError } from "./chain/endpoints/node-errors.ts";
export { paysFor, settlementsLow, usualGas } from "./chain/checks/self-check.ts";
export type { TransactionState } from "./model/relayer-transaction.ts";
export { batchingStates } from "./relayer/batching.ts";

/** For the doctor, which examines endpoints and wallets without an engine. */
export { type Chain, createChain } from "./chain/endpoints/chain.ts";
export { type BatcherDeployment, deployBatcher } from "./relayer/deploy-batcher.ts";
export { type Sweep, type SweepDeps, sweepWallet } from "./relayer/sweep.ts";
export { batchContractHash } from "./chain/contracts/batch-contract.ts";
export { checkBatchContract } from "./chain/checks/batch-contract-check.ts";
export { checkClock } from "./chain/checks/clock-check.ts";
export { validitySeconds } from "./chain/follower/clock-skew.ts";
export { checkEndpoint, compareHeads } from "./chain/checks/endpoint-check.ts";
export { findMulticall } from "./chain/contracts/multicall.ts";
export { checkRate, rateSecondsDefault } from "./chain/checks/rate-check.ts";
export { type WalletNonces, hasCode, readGasPrice, readNonces } from "./chain/reads/reads.ts";
export { type RpcEndpoint, createRpcEndpoint } from "./chain/endpoints/rpc-endpoint.ts";
export { type GasNeeds, balanceLine, checkToken, readBalances } from "./chain/checks/self-check.ts";
