/**
 * The steps of one payment, for programs that lead a person through; others use `wrapFetch`.
 * @packageDocumentation
 */
export { checkOffer, type Check, type OfferContext } from "./offer/check-offer.ts";
export { orderOffers } from "./offer/choose-offer.ts";
export type { ResponseKind, ResponseReading } from "./read-paid-response.ts";
export {
  LedgerTransitionError,
  ledgerTransitions,
  type LedgerRecord,
  type Reservation,
} from "./ledger/ledger.ts";
export { readBalances } from "./chain/read-balance.ts";
export { offersOf, type Offer } from "./offer/read-challenge.ts";
export {
  readOutcome,
  signedTermsOf,
  type ChainOutcome,
  type SignedTerms,
} from "./chain/read-outcome.ts";
export type { FetchFunction, ReplayableRequest } from "./replayable-request.ts";
export { sendPayment, type Delivery, type SendingLedger } from "./send-payment.ts";
export { signPayment, validitySecondsMax } from "./sign-payment.ts";
export { randomHex, systemRuntime } from "./runtime.ts";
