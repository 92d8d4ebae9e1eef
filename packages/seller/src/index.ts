/**
 * Charge for requests: x402 payments in USDC on XDC, for any web-standard server.
 * @packageDocumentation
 */
export { ConfigurationError } from "./configuration.ts";
export { maxFacilitators, type GivenFacilitators } from "./parse-facilitators.ts";
export { maxPassUses, parseValidFor } from "./pass-options.ts";
export type { PassOptions } from "./pass-options.ts";
export type {
  Head,
  SettlementTiming,
  PerRequest,
  Price,
  Redirects,
  Redeliver,
  RefundSigner,
  RouteOptions,
  ServeWhen,
  SellerOptions,
} from "./configuration.ts";
export {
  checkSeller,
  coveredFix,
  isReady,
  readyLine,
  type CheckedSeller,
  type SellerChecks,
  type SellerProblem,
  type SellerProblemCode,
} from "./check-seller.ts";
export {
  defaultCostHeader,
  type BalanceOptions,
  type CostOf,
  type MeteredUse,
  type WorkEnd,
} from "./balance-options.ts";
export { openChannelDesk, type ChannelDesk } from "./channels/channel-desk.ts";
export type { ChannelKeys, ChannelOptions } from "./channels/channel-options.ts";
export type {
  ChannelCallReport,
  ChannelRefundReport,
  ClaimReport,
  SellerChannels,
  SweepReport,
} from "./channels/claim-channels.ts";
export { bytesOf, responseOfBytes } from "./body.ts";
export type { Clock, WaitUntil } from "./clock.ts";
export type { Serve } from "./exchange/paid-request.ts";
export { timeCalls, type ChargeTimings } from "./exchange/call-timings.ts";
export type * from "./events.ts";
export {
  isShortDescription,
  maxDescribeChars,
  type BodyType,
  type Description,
  type ParsedDescription,
} from "./extensions/bazaar.ts";
export {
  ExtensionRefusedError,
  type HookContext,
  type HookResult,
  type PaymentHook,
  type SellerExtension,
} from "./extensions/hooks.ts";
export type { InputCheck } from "./extensions/input-check.ts";
export type { ReceiptSigner, TypedDataToSign } from "./extensions/offer-receipt.ts";
export type { VerifyWallet, WalletSignature } from "./extensions/sign-in.ts";
export { walletsAt } from "./extensions/wallets-at.ts";
export { finalityAt, type Finality, type ReadFinality } from "./finality-at.ts";
export { createFacilitatorClient } from "./facilitator.ts";
export { isAtRest } from "./facilitator-order.ts";
export type * from "./facilitator.ts";
export type * from "./payment-records/rules/payment-records.ts";
export type * from "./payment-records/balances/balances.ts";
export type * from "./payment-records/balances/balance-store.ts";
export type * from "./payment-records/channels/channels.ts";
export type * from "./payment-records/channels/channel-store.ts";
export type * from "./payment-records/passes/passes.ts";
export type * from "./payment-records/passes/pass-store.ts";
export { createPaymentRecords } from "./payment-records/rules/create-payment-records.ts";
export type { PaymentRecordOptions } from "./payment-records/rules/create-payment-records.ts";
export type { PaymentRecord } from "./payment-records/rules/record-transitions.ts";
export type * from "./payment-records/rules/store.ts";
export { createMemoryGrants } from "./payment-records/memory/memory.ts";
export type { MemoryGrantOptions, MemoryGrants } from "./payment-records/memory/memory.ts";
export type { Terms } from "./offer.ts";
export { isPlainHost, readRequestAddress } from "./request-address.ts";
export { forbidCaching } from "./responses.ts";
export type { AddressOutcome, AddressRefusal, RequestLine } from "./request-address.ts";
export { createPayerCounts, type PayerCounts, type RateLimit } from "./rate-limit.ts";
export { createRefund, type KnownPayment, type Refund, type RefundOutcome } from "./refund.ts";
export type { BalanceRefundOutcome, RefundBalance, TopUpRefund } from "./refund-balance.ts";
export { languages as paywallLanguages } from "./paywall/language.ts";
export { parsePaywallIcon, paywallIconShape } from "./paywall/paywall-options.ts";
export type { PlainRequest } from "./plain-request.ts";
export type { ChallengeQuickly, QuickChallenge } from "./quick-challenge.ts";
export type { PlainResponse, QuickUse, ServePlainly, UsePassQuickly } from "./quick-pass.ts";
export { createSeller } from "./seller.ts";
export type { ChargeOptions } from "./route-response.ts";
export type { Charged, Route, Seller } from "./seller.ts";
