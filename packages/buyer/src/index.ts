/**
 * Pay for a 402: a `fetch` with spending limits for x402 payments in USDC on XDC.
 * @packageDocumentation
 */
export type { AgreedTerms, Allow, Check } from "./offer/check-offer.ts";
export type { EvaluatedOffer, PreferredVersion } from "./offer/choose-offer.ts";
export * from "./ledger/ledger.ts";
export {
  askAboveDefault,
  dayMs,
  openPaymentsDefault,
  openPaymentsPerHostDefault,
  parseLimits,
  perCallDefault,
  perDayDefault,
  type LimitsInput,
} from "./ledger/limits.ts";
export {
  depositMaxDefault,
  parseChannels,
  type ChannelPolicy,
  type ChannelsInput,
} from "./channels/channel-options.ts";
export type { BuyerChannels } from "./channels/pay-over-channel.ts";
export type { ChannelRefund, RefundRequest } from "./channels/refund-channel.ts";
export { readChannelState, type ReadChannel } from "./channels/read-channel-state.ts";
export { recordRead } from "./channels/channel-rules.ts";
export { channelFields } from "./channels/channel-fields.ts";
export { heldUnits, type ChannelRecord } from "./channels/channel-record.ts";
export { isLoopback } from "@farthing/protocol";
export { readGiven, readUse, type TokenUse } from "./passes.ts";
export { memoryLedger } from "./ledger/memory-ledger.ts";
export type { BuyerExtension, BuyerHookResult } from "./extensions.ts";
export * from "./payment-error.ts";
export type { LimitWarning, PaymentEvent } from "./payment-events.ts";
export {
  UnansweredPaymentError,
  type ChannelPayment,
  type NoPayment,
  type PaidResponse,
  type PaymentSummary,
  type SentPayment,
} from "./payment-summary.ts";
export type { Quotation, Quote } from "./offer/quote.ts";
export { nodeCall, readReply, type NodeCall, type NodeReply } from "./chain/call-node.ts";
export { nodesOf, noNode, publicNodes, type NodesOf } from "./chain/nodes.ts";
export { verifyAttestation, type VerifiedAttestation } from "./attestation.ts";
export {
  verifySellerStatement,
  type SellerStatement,
  type TrustedSeller,
} from "./seller-statement.ts";
export { readBalances, readEveryBalance, type Balances } from "./chain/read-balance.ts";
export type { Offer } from "./offer/read-challenge.ts";
export { endedMarginMs, reservedMsMax, type Reconciliation } from "./chain/reconcile.ts";
export type { ChainOutcome, FoundPayment, SignedTerms } from "./chain/read-outcome.ts";
export { readOutcome, readOutcomeOf } from "./chain/read-outcome.ts";
export {
  readRefunds,
  readRefundsOf,
  type FoundRefund,
  type RefundsOutcome,
} from "./chain/read-refunds.ts";
export type { FetchFunction } from "./replayable-request.ts";
export {
  contractWalletSigner,
  privateKeySigner,
  signPersonalMessage,
  type AuthorizationTypedData,
  type Signer,
} from "./signer.ts";
export type { Runtime } from "./runtime.ts";
export * from "./wrap-fetch.ts";
