/** The engine: verify, settle and relay x402 payments; the public interface. */
export { areEventsSeenElsewhere, isUnusedAt } from "./chain/authorization-logs.ts";
export { findAuthorizationEvent } from "./chain/authorization-search.ts";
export type { ChainView } from "./chain/block-follower.ts";
export { type Chain, createChain } from "./chain/chain.ts";
export { checkClock } from "./chain/clock-check.ts";
export { checkEndpoint, compareHeads } from "./chain/endpoint-check.ts";
export type { EndpointLimits } from "./chain/endpoint-limiter.ts";
export { formatEther } from "./chain/ether.ts";
export { readGasReceipts } from "./chain/gas-receipts.ts";
export { findMulticall } from "./chain/multicall.ts";
export { classifyNodeError } from "./chain/node-errors.ts";
export { checkRate, rateSecondsDefault } from "./chain/rate-check.ts";
export { type WalletNonces, hasCode, readGasPrice, readNonces } from "./chain/reads.ts";
export { type RpcEndpoint, createRpcEndpoint } from "./chain/rpc-endpoint.ts";
export {
  type GasNeeds,
  balanceLine,
  checkToken,
  paysFor,
  readBalances,
  selfCheck,
  settlementsLow,
} from "./chain/self-check.ts";
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
export type { TransactionState } from "./model/relayer-transaction.ts";
export type { RevertedGasTerms } from "./model/reverted-gas.ts";
export * from "./model/settlement.ts";
export { type NetworkEngine, createNetworkEngine, openChain } from "./network-engine.ts";
export { batchingStates } from "./relayer/batching.ts";
export { contractTransferGasMax, gasPriceFloorWei, gasPriceOf } from "./relayer/fees.ts";
export { createLeaseOwner } from "./relayer/lease.ts";
export type { LaneLoad, RelayerLoad } from "./relayer/relayer.ts";
export { type Signer, createSigners } from "./relayer/sign.ts";
export {
  type AdmissionCaller,
  type Admit,
  createAdmission,
  isNotAdmitted,
} from "./settlement/admission.ts";
export type {
  CallTerms,
  Presentation,
  RepeatPolicy,
  SettleCall,
  SettleCallTerms,
} from "./settlement/exchange-calls.ts";
export { type Exchanges, createExchanges } from "./settlement/exchanges.ts";
export { listenToNeighbours } from "./settlement/neighbours.ts";
export { type RefuseIdentifier, createRefuseIdentifier } from "./settlement/payment-identifier.ts";
export {
  type Settle,
  type SettleDeps,
  type SettleOptions,
  type SettleResult,
  createSettle,
} from "./settlement/settle.ts";
export { type Waiters, createWaiters } from "./settlement/waiters.ts";
export { type RefuseUsed, createRefuseUsed } from "./verification/earlier-use.ts";
export { installCrypto } from "./verification/signature.ts";
export {
  type VerifiedPayment,
  type Verifier,
  createVerifier,
  pairOf,
} from "./verification/verify.ts";
export { composeMessage, isMessageDomain, statementText } from "./verification/wallet-message.ts";
export {
  type WalletKind,
  readWalletSignature,
  signatureBytesMax,
} from "./verification/wallet-signature.ts";
