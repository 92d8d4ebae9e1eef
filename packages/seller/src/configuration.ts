/** A seller's options, checked when it is created. Error messages never repeat a secret. */
import {
  findNetwork,
  type Address,
  type authorizationTypedData,
  type Hex,
  type Network,
} from "@farthing/protocol";
import type { WaitUntil } from "./clock.ts";
import type { EventListener } from "./events.ts";
import {
  ConfigurationError,
  isHttpUrl,
  oneOf,
  parseInteger,
  parsePayTo,
  parsePrice,
  type Price,
} from "./option-values.ts";
import { parsePass, type PassOptions } from "./pass-options.ts";
import { parseBalance, type BalanceOptions, type CostOf } from "./balance-options.ts";
import {
  parseChannel,
  parseChannelKeys,
  type ChannelKeys,
  type ChannelOptions,
} from "./channels/channel-options.ts";
import { parseDescription, type Description } from "./extensions/bazaar.ts";
import { parseExtensions, type SellerExtension } from "./extensions/hooks.ts";
import { parseInputCheck, type InputCheck } from "./extensions/input-check.ts";
import { parseReference, parseRouteName } from "./sale-books.ts";
import { parseReceiptSigner, type ReceiptSigner } from "./extensions/offer-receipt.ts";
import type { VerifyWallet } from "./extensions/sign-in.ts";
import type { ReadFinality } from "./finality-at.ts";
import { parseFacilitators, type GivenFacilitators } from "./parse-facilitators.ts";
import { parsePaywall, type PaywallOptions } from "./paywall/paywall-options.ts";
import type { PaymentRecords } from "./payment-records/rules/payment-records.ts";
import { parseRateLimit, type RateLimit } from "./rate-limit.ts";
import { minSettleMs } from "./exchange/settle.ts";

export { ConfigurationError } from "./option-values.ts";
export type { Price } from "./option-values.ts";

/**
 * When the money moves. `before-work` (the default): settle, wait for confirmation, then work.
 * `after-success`: verify, work, and settle only for a response of 2xx or a redirect; for work that
 * costs little and changes nothing.
 */
export type SettlementTiming = "before-work" | "after-success";

/** A redirect after success is charged for, or withheld: its address is often the content. */
export type Redirects = "charge" | "withhold";

/**
 * The response to HEAD. `challenge` (the default): the headers of a 402, without any work or
 * payment. `free`: the headers of the unpaid work. `charge`: as GET.
 */
export type Head = "challenge" | "free" | "charge";

/**
 * Who gets a paid response a second time. `bound` (the default): a repeat that proves the same
 * buyer. `anyone`: every repeat, also by someone who has read the payment from the chain. `never`:
 * no one; an open settlement is resumed as with `bound`.
 */
export type Redeliver = "bound" | "anyone" | "never";

/**
 * When the content may go out. `confirmed` (the default): after confirmation on chain. `queued`:
 * once the engine in this process has stored the settlement; the seller bears the loss of a failed
 * transfer.
 */
export type ServeWhen = "confirmed" | "queued";

/**
 * A value, or a function of the web-standard request without its body and the framework's own. It
 * should compute the price from what the handler reads there, because two parsers may differ.
 */
export type PerRequest<T, R = unknown> = T | ((request: Request, original: R) => T | Promise<T>);

/** Options of a route. `R` is the framework's own request. */
export interface RouteOptions<R = unknown> {
  /** A payment must match the price of its own request. */
  readonly price?: PerRequest<Price, R>;
  /** Where the money goes, `0x…` or `xdc…`. */
  readonly payTo?: PerRequest<string, R>;
  /** One short sentence about the content; it travels in a header. */
  readonly description?: string;
  /** Media type of the content, e.g. `application/json`. */
  readonly mimeType?: string;
  /** Longest validity of the buyer's signature, in seconds; 120 by default. */
  readonly maxTimeoutSeconds?: number;
  /** Sends the content as it is produced, once. Event streams are always sent this way. */
  readonly stream?: boolean;
  readonly settle?: SettlementTiming;
  /** With `after-success`; `charge` by default. */
  readonly redirects?: Redirects;
  /** `challenge` by default. */
  readonly head?: Head;
  readonly serveWhen?: ServeWhen;
  readonly redeliver?: Redeliver;
  /**
   * Takes only payments whose nonce commits to the request (extension `request-binding`), which
   * stock buyers do not make. Needs the seller's `publicUrl`.
   */
  readonly requireBinding?: boolean;
  /** Declares input and output in the challenge (extension `bazaar`), for catalogues. */
  readonly describe?: PerRequest<Description | undefined, R>;
  /**
   * Refuses a wrong request before it costs anything: called before the 402, and again before a new
   * payment is taken. A response of 400 or above is sent instead; undefined lets the request pass.
   */
  readonly check?: InputCheck;
  /** Longest time for the work of `after-success`; then the buyer gets an uncharged 504. */
  readonly workMs?: number;
  /** One payment opens this and later requests. Price and payee must then be fixed. */
  readonly pass?: PassOptions;
  /**
   * The seller's own name of a sale, such as an order number, in the facilitator's books: at most 64
   * printable ASCII characters. A function is called before a payment is taken.
   */
  readonly reference?: PerRequest<string | undefined, R>;
  /** Name of the route in the facilitator's books, at most 128 characters; the framework's own. */
  readonly route?: string;
  /** Payments top up a balance, and each request is charged its cost. Takes the place of `price`. */
  readonly balance?: BalanceOptions;
  /** Sells by payment channels too (scheme `batch-settlement`): one deposit, then a voucher per call. */
  readonly channel?: boolean | ChannelOptions;
  /**
   * What a request costs, with `balance`, where it is what its header or `payment.meter` says when
   * absent; and with `channel`, where it is the price when absent, and at most the price.
   */
  readonly cost?: CostOf;
}

/** Options of a seller. The route options are the defaults of every route. */
export interface SellerOptions<R = unknown> extends RouteOptions<R> {
  /**
   * Who verifies and settles: one facilitator, or several in the order in which they are asked. A
   * payment is settled by the one that verified it.
   */
  readonly facilitator: GivenFacilitators;
  /** Where the money goes, `0x…` or `xdc…`. */
  readonly payTo: PerRequest<string, R>;
  /** Networks to be paid on, e.g. `eip155:50` (the default), `eip155:51`, `xdc`. */
  readonly network?: string | readonly string[];
  /**
   * The address that buyers use, e.g. `https://api.example.com`, with any path prefix that a proxy
   * strips. Without it the seller uses the request's address, whose Host header the buyer chooses.
   */
  readonly publicUrl?: string;
  /** `dual` (the default) speaks both x402 versions, `v2-only` leaves version 1 out. */
  readonly mode?: "dual" | "v2-only";
  /** The store of payment records; in memory when absent, which serves one process. */
  readonly grants?: PaymentRecords;
  /** Longest time from a paid request to its content, without the work of `after-success`. */
  readonly waitMs?: number;
  /** Largest request body that can be bound to a payment, in bytes. */
  readonly bodyBytesMax?: number;
  /** `Access-Control-Allow-Origin` where the app sets none; `*`, or false for no CORS at all. */
  readonly allowOrigin?: string | false;
  /** The page that browsers get with a 402; `false` gives them JSON. */
  readonly paywall?: PaywallOptions | false;
  readonly onEvent?: EventListener;
  /**
   * Verifies the sign-in of a contract wallet that holds a pass or balance, deployed or not:
   * {@link walletsAt} asks a node. Without it such wallets show their token.
   */
  readonly verifyWallet?: VerifyWallet;
  /**
   * Tells whether the payment of a pass or a top-up above `finalAbove` is final, where the
   * facilitator names no settlement: {@link finalityAt} asks a node.
   */
  readonly finality?: ReadFinality;
  /** Extensions of third parties, with hooks that can refuse a payment. */
  readonly extensions?: readonly SellerExtension[];
  /** Signs offers in challenges, and receipts after delivery (extension `offer-receipt`). */
  readonly receiptSigner?: ReceiptSigner;
  /**
   * Keeps the runtime alive while the outcome of a pending payment is polled after the response, for
   * 20 seconds at most: `waitUntil` of `cloudflare:workers`, `after` of `next/server`. The adapter
   * for Hono uses that of its context. Without it, the buyer's repeat finds the outcome.
   */
  readonly waitUntil?: WaitUntil;
  /**
   * Bounds how often one payer is served, over all routes of the seller. It is counted in this
   * process alone; the limit of an address belongs in front of the app.
   */
  readonly rateLimit?: RateLimit;
  /** The seller's own key for its channels. */
  readonly channels?: ChannelKeys;
  /** The payee's wallet, for `seller.refund`; it needs an API key of the facilitator too. */
  readonly refundSigner?: RefundSigner;
}

/** The payee's wallet, such as a viem account. */
export interface RefundSigner {
  readonly address: Address;
  /** Rejects when the person or device refuses. */
  signTypedData(typedData: ReturnType<typeof authorizationTypedData>): Promise<Hex>;
}

export type { PaywallOptions } from "./paywall/paywall-options.ts";

export type Configuration = ReturnType<typeof parseSellerOptions>;

export type RouteConfiguration<R = unknown> = ReturnType<typeof parseRouteOptions<R>>;

/** Time for a person to confirm in a wallet, and for a slow block. */
const timeoutSecondsDefault = 120;

/** A signature must outlive the wait for its settlement, with room for one slow block. */
const minTimeoutSeconds = 30;
/** A longer validity is a risk for the payer without a use. */
const maxTimeoutSeconds = 24 * 60 * 60;

/** Below the 30 s after which HTTP clients and proxies commonly give up. */
const waitMsDefault = 20_000;
const maxWaitMs = 60_000;

/** As long as a buyer waits with `before-work`. */
const workMsDefault = 20_000;
/** No work that a connection waits for takes longer on purpose. */
export const maxWorkMs = 10 * 60 * 1000;
/** Time for a buyer to sign and send: an agent needs less, a person sets more. */
const minSignMs = 10_000;

/** Descriptions travel in a header of at most about 8 KiB. */
const maxDescriptionChars = 500;

/** `hasOwnAddresses`: this process creates the addresses of its resources, as those of tools. */
export function parseSellerOptions<R>(options: SellerOptions<R>, hasOwnAddresses = false) {
  if (typeof options.payTo !== "function") parsePayTo(options.payTo);
  const { allowOrigin = "*" } = options;
  if (allowOrigin !== false && (typeof allowOrigin !== "string" || allowOrigin === "")) {
    throw new ConfigurationError("allowOrigin", "an origin, * or false", '"https://app.example"');
  }
  const maxBytes = Number.MAX_SAFE_INTEGER;
  return {
    facilitators: parseFacilitators(options.facilitator),
    networks: parseNetworks(options.network ?? "eip155:50"),
    publicUrl: options.publicUrl === undefined ? undefined : parsePublicUrl(options.publicUrl),
    hasOwnAddresses,
    mode: oneOf("mode", options.mode, "dual", "v2-only"),
    waitMs: parseInteger("waitMs", options.waitMs, waitMsDefault, 1, maxWaitMs),
    bodyBytesMax: parseInteger("bodyBytesMax", options.bodyBytesMax, 1024 * 1024, 0, maxBytes),
    allowOrigin,
    paywall: parsePaywall(options.paywall ?? {}),
    receiptSigner: parseReceiptSigner(options.receiptSigner),
    verifyWallet: parseVerifyWallet(options.verifyWallet),
    finality: parseFinality(options.finality),
    extensions: parseExtensions(options.extensions),
    waitUntil: parseWaitUntil(options.waitUntil),
    rateLimit: parseRateLimit(options.rateLimit),
    ...parseChannelKeys(options.channels),
  };
}

export function parseRouteOptions<R>(options: RouteOptions<R>) {
  const { payTo, description, mimeType, reference, describe, requireBinding = false } = options;
  const balance = parseBalance(options);
  const price = balance?.topUp ?? options.price;
  if (description !== undefined && !isShortText(description)) {
    const shape = `text of at most ${maxDescriptionChars} characters`;
    throw new ConfigurationError("description", shape, '"One weather report"');
  }
  if (mimeType !== undefined && !(isShortText(mimeType) && mimeType.includes("/"))) {
    throw new ConfigurationError("mimeType", "a media type", '"application/json"');
  }
  if (typeof requireBinding !== "boolean") {
    throw new ConfigurationError("requireBinding", "true or false", "true");
  }
  const settlementTiming = oneOf("settle", options.settle, "before-work", "after-success");
  const workMs = parseInteger("workMs", options.workMs, workMsDefault, 1, maxWorkMs);
  // The authorization has to outlive the work and its settlement.
  const minSeconds =
    settlementTiming === "before-work"
      ? minTimeoutSeconds
      : Math.ceil((minSignMs + workMs + minSettleMs) / 1000);
  return {
    /** USDC base units. */
    amount:
      typeof price === "function"
        ? async (request: Request, original: R) => parsePrice(await price(request, original))
        : parsePrice(price),
    payTo:
      typeof payTo === "function"
        ? async (request: Request, original: R) => parsePayTo(await payTo(request, original))
        : parsePayTo(payTo),
    settlementTiming,
    redirects: oneOf("redirects", options.redirects, "charge", "withhold"),
    head: oneOf("head", options.head, "challenge", "free", "charge"),
    serveWhen: oneOf("serveWhen", options.serveWhen, "confirmed", "queued"),
    redeliver: oneOf("redeliver", options.redeliver, "bound", "anyone", "never"),
    requiresBinding: requireBinding,
    workMs,
    maxTimeoutSeconds: parseInteger(
      "maxTimeoutSeconds",
      options.maxTimeoutSeconds,
      timeoutSecondsDefault,
      minSeconds,
      maxTimeoutSeconds,
    ),
    description,
    mimeType,
    isStreamed: options.stream === true,
    pass: options.pass === undefined ? undefined : parsePass(options, options.pass),
    balance,
    channel: parseChannel(options),
    describe:
      typeof describe === "function"
        ? async (request: Request, original: R) =>
            parseDescription(await describe(request, original))
        : parseDescription(describe),
    check: parseInputCheck(options.check),
    reference:
      typeof reference === "function"
        ? async (request: Request, original: R) =>
            parseReference(await reference(request, original))
        : parseReference(reference),
    routeName: parseRouteName(options.route),
  };
}

function parseVerifyWallet(verify: VerifyWallet | undefined): VerifyWallet | undefined {
  if (verify === undefined || typeof verify === "function") return verify;
  throw new ConfigurationError("verifyWallet", "a function", "(signed) => client.verify(signed)");
}

function parseFinality(finality: ReadFinality | undefined): ReadFinality | undefined {
  if (finality === undefined || typeof finality === "function") return finality;
  throw new ConfigurationError("finality", "a function", 'finalityAt("https://rpc.example")');
}

function parseWaitUntil(waitUntil: WaitUntil | undefined): WaitUntil | undefined {
  if (waitUntil === undefined || typeof waitUntil === "function") return waitUntil;
  throw new ConfigurationError("waitUntil", "a function", "(work) => ctx.waitUntil(work)");
}

function parseNetworks(input: string | readonly string[]): readonly Network[] {
  const names = typeof input === "string" ? [input] : input;
  const found = names.map((name) => findNetwork(name));
  const known = found.filter((network) => network !== undefined);
  if (known.length === 0 || known.length < found.length) {
    const shape = "eip155:50 (XDC), eip155:51 (Apothem), or a list of both";
    throw new ConfigurationError("network", shape, '"eip155:50"');
  }
  return [...new Set(known)];
}

/** Returns the address without a slash at the end. */
function parsePublicUrl(text: string): string {
  const url = isHttpUrl(text) ? new URL(text) : undefined;
  if (!url || url.search !== "" || url.hash !== "" || url.username !== "") {
    const shape = "an http or https address without query, fragment and user name";
    throw new ConfigurationError("publicUrl", shape, '"https://api.example.com"');
  }
  return url.href.replace(/\/+$/, "");
}

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length <= maxDescriptionChars;
}
