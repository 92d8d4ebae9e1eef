/** The facilitator's HTTP client. Calls return typed outcomes and never throw or repeat. */
import {
  defined,
  errorCodeOf,
  isRefusalOfPayer,
  isObject,
  member,
  parseRefundable,
  parseVerifyResponse,
  type Hex,
  type RefundablePayment,
  type SettleResponse,
  type TraceContext,
  type VerifyResponse,
  type WireAuthorization,
} from "@farthing/protocol";
import type { AnyRequest } from "./facilitator-request.ts";
import { readKeptVouchers, type KeptVouchers } from "./channels/kept-vouchers.ts";
import {
  callOnce,
  fault,
  initOf,
  type Certainty,
  type Fault,
  type Reply,
} from "./facilitator-call.ts";
import { createFacilitatorTime, type FacilitatorTime } from "./facilitator-time.ts";
import { bookHeaders, type SaleBooks } from "./sale-books.ts";
import { readSettleResponse, readSettlementRecord } from "./settlement-record.ts";
import { waitSecondsWithin } from "./wait-seconds.ts";

/** The facilitator refuses to work for this seller until the seller acts. */
export interface AccountProblem {
  readonly kind: "account";
  readonly code: "unauthorized" | (typeof accountCodes)[number];
  readonly message: string;
  readonly certainty?: Certainty;
  /** The name of the facilitator, where it has one. */
  readonly facilitator?: string;
}

export type VerifyOutcome =
  | { readonly kind: "verdict"; readonly verdict: VerifyResponse }
  | Fault
  | AccountProblem;

export type SettleOutcome =
  | {
      readonly kind: "settlement";
      readonly settlement: SettleResponse;
      /** The transfer's block can no longer leave the chain. Facilitators need not tell. */
      readonly isFinal?: boolean;
    }
  | Fault
  | AccountProblem;

export type VouchersOutcome =
  | { readonly kind: "kept"; readonly rows: KeptVouchers }
  /** This facilitator keeps no vouchers. */
  | { readonly kind: "none" }
  | Fault
  | AccountProblem;

export type LookupOutcome = SettleOutcome | { readonly kind: "not_found" };

export type { Certainty, Fault } from "./facilitator-call.ts";
export type { ChannelWireRequest, FacilitatorRequest } from "./facilitator-request.ts";

export interface CallLimit {
  readonly timeoutMs: number;
  /** The trace that the call belongs to. */
  readonly trace?: TraceContext;
}

/** The calls that an exchange makes. Implementations return outcomes and never throw. */
export interface Facilitator {
  /** What payment records remember it by. One of several facilitators needs a name. */
  readonly name?: string;
  /** The engine is part of this process and has stored what it reports as queued. */
  readonly isInProcess?: boolean;
  /** What its responses say about this server's clock, where they name a time. */
  readonly time?: FacilitatorTime;
  verify(request: AnyRequest, limit: CallLimit): Promise<VerifyOutcome>;
  /** Safe to repeat. `exchangeKey` (`Idempotency-Key`): only its repeats are told of success. */
  settle(
    request: AnyRequest,
    limit: CallLimit & {
      readonly exchangeKey?: string;
      /** Asks for a response as soon as the settlement is queued. */
      readonly respondsAsync?: boolean;
      /** Kept beside the settlement, for the seller. */
      readonly books?: SaleBooks;
    },
  ): Promise<SettleOutcome>;
  /** Waits up to `waitSeconds` for a change of the settlement. */
  settlement(id: string, limit: CallLimit & { waitSeconds: number }): Promise<LookupOutcome>;
  /** Absent where refunds are not offered. */
  readonly refunds?: RefundCalls;
  /** Hands vouchers of channels over to be kept (`POST /v1/channels/vouchers`); absent without a key. */
  keepVouchers?(vouchers: object, limit: CallLimit): Promise<VouchersOutcome>;
  /** What `seller.check` reads; absent where there is nothing to check. */
  readonly status?: StatusCalls;
}

/** A response of the facilitator as it stands. */
export interface RawReply {
  readonly kind: "response";
  readonly status: number;
  readonly body: unknown;
}

/** Reads that move nothing. */
export interface StatusCalls {
  readonly url: string;
  readonly hasKey: boolean;
  readonly isInProcess: boolean;
  /** GET of a path below the base address, with the key if there is one. */
  get(path: string, limit: CallLimit): Promise<RawReply | Fault>;
  /** What the facilitator knows of the key (`GET /v1/key`, which stands above its surfaces). */
  key(limit: CallLimit): Promise<RawReply | Fault>;
}

/** The facilitator has no refunds; the message says what to do instead. */
export interface Unsupported {
  readonly kind: "refused";
  readonly code: "unsupported";
  readonly message: string;
}

export type RefundableOutcome =
  | { readonly kind: "payment"; readonly payment: RefundablePayment }
  | { readonly kind: "not_found" }
  | Unsupported
  | Fault
  | AccountProblem;

export interface RefundCalls {
  /** Reads a payment with its refunds. */
  find(settlementId: string, limit: CallLimit): Promise<RefundableOutcome>;
  /** Safe to repeat; waits up to `waitSeconds` for the outcome. */
  send(
    refund: WireRefund,
    limit: CallLimit & { waitSeconds: number },
  ): Promise<LookupOutcome | Unsupported>;
}

/** The body of `POST /v1/refunds`. */
export interface WireRefund {
  readonly settlementId: string;
  readonly authorization: WireAuthorization;
  readonly signature: Hex;
}

export interface FacilitatorOptions {
  /** Base address, e.g. `https://facilitator.example` or `https://host.example/api/facilitator`. */
  readonly url: string;
  /**
   * What payment records remember the facilitator by, and what events and checks call it: its base
   * address when absent. Set the old address here when the same facilitator moves to another one.
   */
  readonly name?: string | undefined;
  /** Sent as `Authorization: Bearer`. Absent for facilitators without keys. */
  readonly apiKey?: string | undefined;
  /** Longest wait for one call; {@link callTimeoutMsDefault} when absent. */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`, e.g. for a facilitator in the same process. */
  readonly fetch?: typeof globalThis.fetch;
  /** `fetch` reaches an engine of this process, see `serveWhen`. */
  readonly inProcess?: boolean;
}

/** The budget of one exchange: a longer call could no longer help the buyer. */
export const callTimeoutMsDefault = 20_000;

/** Where a Farthing facilitator has its hosted surface; its other routes stand above it. */
const hostedPath = /\/api\/facilitator$/;

/** Statuses of evaluated refusals at some facilitators; Farthing's own responds 200. */
const evaluatedStatuses = new Set([200, 202, 400, 402, 409, 412, 422]);

const accountCodes = [
  "insufficient_facilitator_credits",
  "seller_plan_inactive",
  "payee_mismatch",
] as const;

interface Sent {
  /** The body of a POST; a GET has none. */
  readonly json?: object;
  /** Headers beside those of every call. */
  readonly more?: Readonly<Record<string, string>>;
}

export function createFacilitatorClient(options: FacilitatorOptions): Facilitator {
  const base = options.url.replace(/\/+$/, "");
  const timeoutMsMax = options.timeoutMs ?? callTimeoutMsDefault;
  const time = createFacilitatorTime();
  const headers: Record<string, string> = { Accept: "application/json" };
  if (options.apiKey !== undefined) headers["Authorization"] = `Bearer ${options.apiKey}`;

  /** Of what belongs to an account, such as its key and refunds. */
  const root = base.replace(hostedPath, "");

  const sendTo = (url: string, { timeoutMs, trace }: CallLimit, sent: Sent = {}) => {
    const init = initOf({ ...headers, ...sent.more, ...trace }, sent.json);
    const timed = { time, timeoutMs: Math.min(timeoutMsMax, timeoutMs) };
    return callOnce(options.fetch, url, init, timed);
  };
  const send = (path: string, limit: CallLimit, sent: Sent = {}) =>
    sendTo(base + path, limit, sent);
  const post = (path: string, json: object, limit: CallLimit, more = {}) =>
    send(path, limit, { json, more });

  return {
    name: options.name ?? base,
    isInProcess: options.inProcess === true,
    time,
    status: {
      url: base,
      hasKey: options.apiKey !== undefined,
      isInProcess: options.inProcess === true,
      get: send,
      key: (limit) => sendTo(`${root}/v1/key`, limit),
    },
    async verify(request, limit) {
      const response = await post("/verify", request, limit);
      return parseReply(response, parseVerifyResponse, (verdict) => ({ kind: "verdict", verdict }));
    },
    async settle(request, limit) {
      const { exchangeKey, respondsAsync, books = {} } = limit;
      const waits = `wait=${waitSecondsWithin(Math.min(timeoutMsMax, limit.timeoutMs))}`;
      const preference = respondsAsync === true ? "respond-async" : waits;
      const more = defined({ "Idempotency-Key": exchangeKey, Prefer: preference });
      const response = await post("/settle", request, limit, { ...more, ...bookHeaders(books) });
      return parseReply(response, readSettleResponse, settled);
    },
    async settlement(id, limit) {
      const path = `/settlements/${encodeURIComponent(id)}?wait=${limit.waitSeconds}`;
      const response = await send(path, limit);
      if (isMissing(response)) return { kind: "not_found" };
      return parseReply(response, readSettlementRecord, (settlement) => ({
        ...settled(settlement),
        ...(isFlagged(response, "finalized") ? { isFinal: true } : {}),
      }));
    },
    ...(options.apiKey === undefined ? {} : vouchersAt(root, sendTo)),
    refunds: refundsAt(root, sendTo),
  };
}

type SendTo = (url: string, limit: CallLimit, sent?: Sent) => Promise<RawReply | Fault>;

function vouchersAt(root: string, sendTo: SendTo): Pick<Facilitator, "keepVouchers"> {
  const url = `${root}/v1/channels/vouchers`;
  return {
    async keepVouchers(json, limit) {
      const response = await sendTo(url, limit, { json });
      if (isMissing(response)) return { kind: "none" };
      return parseReply(response, readKeptVouchers, (rows) => ({ kind: "kept", rows }));
    },
  };
}

function refundsAt(root: string, sendTo: SendTo): RefundCalls {
  return {
    async find(settlementId, limit) {
      const url = `${root}/settlements/${encodeURIComponent(settlementId)}`;
      const response = await sendTo(url, limit);
      if (isMissing(response)) return noRefund(response, root);
      return parseReply(response, parseRefundable, (payment) => ({ kind: "payment", payment }));
    },
    async send(refund, limit) {
      const more = { Prefer: `wait=${limit.waitSeconds}` };
      const response = await sendTo(`${root}/v1/refunds`, limit, { json: refund, more });
      if (isMissing(response)) return noRefund(response, root);
      return parseReply(response, readSettleResponse, settled);
    },
  };
}

function isMissing(response: Reply): boolean {
  return response.kind === "response" && (response.status === 404 || response.status === 405);
}

/** A facilitator with refunds says so when it knows no such payment; others have no such path. */
function noRefund(response: Reply, root: string): { readonly kind: "not_found" } | Unsupported {
  const isKnown = response.kind === "response" && textOf(response.body, "error") === "not_found";
  if (isKnown) return { kind: "not_found" };
  return {
    kind: "refused",
    code: "unsupported",
    message: `The facilitator at ${root} has no refunds. Send the money from the payee's wallet, or refund through the facilitator that settled the payment.`,
  };
}

function settled(settlement: SettleResponse) {
  return { kind: "settlement" as const, settlement };
}

function isFlagged(response: Reply, name: string): boolean {
  return (
    response.kind === "response" && isObject(response.body) && member(response.body, name) === true
  );
}

function parseReply<T, R>(
  response: Reply,
  parse: (body: unknown) => T | undefined,
  accepted: (value: T) => R,
): R | Fault | AccountProblem {
  if (response.kind === "fault") return response;
  const { status, body } = response;
  const code = textOf(body, "error");
  const said = textOf(body, "message") ?? code ?? "no reason given";
  const certain = certaintyOf(status, body);
  const named = accountCodes.find((known) => known === code);
  const account = status === 401 ? "unauthorized" : status === 403 ? named : undefined;
  if (account) return { kind: "account", code: account, message: said, ...certain };
  const value = evaluatedStatuses.has(status) ? parse(body) : undefined;
  if (value !== undefined) return accepted(value);
  const isAboutPayer = isRefusalOfPayer(body) || undefined;
  const wait = defined({ retryAfterSeconds: response.retryAfterSeconds, isAboutPayer });
  if (status === 429) {
    return { ...fault("rate_limited", `status 429: ${said}`), ...wait, ...certain };
  }
  const reason = status === 200 ? "unreadable" : "unavailable";
  return { ...fault(reason, `status ${status}: ${said}`), ...wait, ...certain };
}

/** Errors during the work: the settlement may be under way. */
const uncertainCodes = new Set(["service_unavailable", "internal_error"]);

/** Reads the facilitator's own error shape; empty for every other response, such as a proxy's. */
function certaintyOf(status: number, body: unknown): { readonly certainty?: Certainty } {
  const code = errorCodeOf(body);
  if (status < 400 || code === undefined || !textOf(body, "requestId")) return {};
  if (!uncertainCodes.has(code)) return { certainty: "refused" };
  return code === "service_unavailable" ? { certainty: "unavailable" } : {};
}

const maxTextChars = 300;

function textOf(body: unknown, key: string): string | undefined {
  const value = isObject(body) ? member(body, key) : undefined;
  return typeof value === "string" ? value.slice(0, maxTextChars) : undefined;
}
