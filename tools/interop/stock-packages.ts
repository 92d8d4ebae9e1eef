/**
 * The published packages by version. Their types differ between versions, so this file states the
 * few members that the rows use, and each version is loaded from its own folder.
 */
import type { JsonObject } from "@farthing/protocol";
import type { RequestHandler } from "express";
import type { PrivateKeyAccount } from "viem/accounts";

/** Versions with a folder below `stock/`. */
export const stockVersions = ["2.1", "2.10", "2.15", "2.23", "2.27"] as const;

/** One of them. */
export type StockVersion = (typeof stockVersions)[number];

/** What a buyer was asked for; passed on without a look inside. */
export interface PaymentRequired {
  readonly accepts: readonly object[];
  readonly extensions?: JsonObject;
}

/** The stock client, which signs payments. */
export interface StockClient {
  register(network: string, scheme: object): StockClient;
  createPaymentPayload(required: PaymentRequired): Promise<object>;
}

/** The stock seller's side without a framework. */
export interface StockResourceServer {
  register(network: string, scheme: object): StockResourceServer;
  registerExtension(extension: object): StockResourceServer;
  initialize(): Promise<void>;
  buildPaymentRequirements(terms: object): Promise<object[]>;
  createPaymentRequiredResponse(accepts: object[], resource: object): Promise<PaymentRequired>;
  findMatchingRequirements(accepts: object[], payment: object): object | undefined;
  verifyPayment(payment: object, terms: object): Promise<{ readonly isValid: boolean }>;
  settlePayment(payment: object, terms: object): Promise<unknown>;
}

/** The headers that a facilitator client adds to each kind of call. */
export interface AuthHeaders {
  readonly verify: Readonly<Record<string, string>>;
  readonly settle: Readonly<Record<string, string>>;
  readonly supported: Readonly<Record<string, string>>;
}

/** The packages of one version. */
export interface StockPackages {
  readonly HTTPFacilitatorClient: new (options: {
    readonly url: string;
    readonly createAuthHeaders?: () => Promise<AuthHeaders>;
  }) => object;
  readonly x402ResourceServer: new (client: object) => StockResourceServer;
  readonly x402Client: new () => StockClient;
  readonly ExactEvmBuyer: new (account: PrivateKeyAccount) => object;
  readonly ExactEvmSeller: new () => object;
  readonly paymentMiddleware: (routes: object, server: StockResourceServer) => RequestHandler;
  readonly wrapFetchWithPayment: (send: typeof fetch, client: StockClient) => typeof fetch;
}

/** Loads a version. */
export async function loadStock(version: StockVersion): Promise<StockPackages> {
  const loaded: StockPackages = await import(
    new URL(`stock/${version}/index.mjs`, import.meta.url).href
  );
  return loaded;
}
