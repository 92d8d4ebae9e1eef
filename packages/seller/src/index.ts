/** Charge for requests: x402 payments in USDC on XDC, for any web-standard server. */
export { ConfigurationError } from "./configuration.ts";
export type { Order, PerRequest, Price, RouteOptions, SellerOptions } from "./configuration.ts";
export type { Clock } from "./clock.ts";
export type { Serve } from "./exchange/delivery.ts";
export type { EventListener, PaidRequest, SellerEvent, SettledRequest } from "./events.ts";
export { createFacilitatorClient } from "./facilitator.ts";
export type {
  AccountProblem,
  CallLimit,
  Facilitator,
  FacilitatorOptions,
  FacilitatorRequest,
  Fault,
  LookupOutcome,
  SettleOutcome,
  VerifyOutcome,
} from "./facilitator.ts";
export type {
  Binding,
  GrantState,
  GrantStore,
  Lease,
  StoredAnswer,
  Take,
} from "./grants/grants.ts";
export { createMemoryGrants } from "./grants/memory-grants.ts";
export type { MemoryGrantOptions, MemoryGrants } from "./grants/memory-grants.ts";
export { createSeller } from "./seller.ts";
export type { ChargeOptions, Route, Seller } from "./seller.ts";
