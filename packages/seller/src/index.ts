/** Charge for requests: x402 payments in USDC on XDC, for any web-standard server. */
export { ConfigurationError } from "./configuration.ts";
export type {
  Head,
  Order,
  PerRequest,
  Price,
  Redirects,
  Redeliver,
  RouteOptions,
  ServeWhen,
  SellerOptions,
} from "./configuration.ts";
export type { Clock } from "./clock.ts";
export type { Serve } from "./exchange/paid-request.ts";
export type { EventListener, PaidRequest, SellerEvent, SettledRequest } from "./events.ts";
export { createFacilitatorClient } from "./facilitator.ts";
export type {
  AccountProblem,
  CallLimit,
  Certainty,
  Facilitator,
  FacilitatorOptions,
  FacilitatorRequest,
  Fault,
  LookupOutcome,
  SettleOutcome,
  VerifyOutcome,
} from "./facilitator.ts";
export type {
  Access,
  Binding,
  GrantState,
  GrantStore,
  Lease,
  Proof,
  SettlingStep,
  StoredAnswer,
  Take,
} from "./grants/grants.ts";
export { createMemoryGrants } from "./grants/memory-grants.ts";
export type { MemoryGrantOptions, MemoryGrants } from "./grants/memory-grants.ts";
export { isPlainHost, readRequestAddress } from "./request-address.ts";
export type { AddressOutcome, AddressRefusal, RequestLine } from "./request-address.ts";
export { createSeller } from "./seller.ts";
export type { ChargeOptions, Route, Seller } from "./seller.ts";
