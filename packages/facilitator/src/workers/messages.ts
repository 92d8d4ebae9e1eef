/**
 * What the main process and its workers tell each other. Lists instead of objects: the main process
 * reads one for each call, and names would be half of the text.
 */
import type {
  Address,
  ErrorCode,
  Hex,
  PaymentRequest,
  PaymentShape,
  Refusal,
} from "@farthing/protocol";
import type { SignatureReading } from "@farthing/engine/x402";
import type { ArrivalTimes } from "../http/server/connections.ts";
import type { LogLevel } from "@farthing/engine/base";

/** The descriptor of a worker's wire: those before it are its standard streams and Node's channel. */
export const wireDescriptor = 4;

/** What a worker is told when it starts. */
export interface WorkerSettings {
  /** Base paths of the surfaces, in the main process's order. */
  readonly basePaths: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly arrival: ArrivalTimes;
  readonly logLevel: LogLevel;
  /** Sends headers that only traces read. */
  readonly isTraced: boolean;
  /** Socket on which the main process serves all other requests. */
  readonly mainPath: string;
  /** Socket on which the worker's server listens; no client connects to it. */
  readonly ownPath: string;
}

/** Over the channel of Node.js, which can pass a connection on. */
export type Order =
  | { readonly kind: "start"; readonly settings: WorkerSettings }
  | { readonly kind: "connection"; readonly connection: number }
  | { readonly kind: "stop" };

/** The routes that a worker takes, by their number in its messages. */
export const routeNames = ["verify", "settle"] as const;

/** The kinds of a worker's messages. */
export const tells = { call: 0, end: 1, taken: 2, closed: 3 } as const;

export type FromWorker = CallMessage | EndMessage | ConnectionMessage;

/** A request to /verify or /settle has arrived. */
export type CallMessage = readonly [
  kind: typeof tells.call,
  call: number,
  route: 0 | 1,
  surface: number,
  requestId: string,
  ip: string,
  target: string,
  /** The headers that a call is evaluated with; 0 for none. */
  headers: Readonly<Record<string, string>> | 0,
  asked: AskedMessage | ProblemMessage,
];

/** The response to a call has ended. */
export type EndMessage = readonly [
  kind: typeof tells.end,
  call: number,
  /** It was written to its end. */
  isWhole: 0 | 1,
  /** Its first byte was written. */
  isBegun: 0 | 1,
  status: number,
  durationMs: number,
];

/** A connection has arrived at the worker, or has closed. */
export type ConnectionMessage = readonly [
  kind: typeof tells.taken | typeof tells.closed,
  connection: number,
];

/** The response to a call. */
export type AnswerMessage = readonly [
  call: number,
  status: number,
  headers: Readonly<Record<string, string | number>> | 0,
  body: object,
];

/** The request is not acceptable as HTTP. */
export type ProblemMessage = readonly [
  kind: "problem",
  code: ErrorCode,
  message: string,
  /** Refused before the caller is looked at. */
  isEarly: 0 | 1,
];

export type AskedMessage = ReadableMessage | UnreadableMessage;

/** A payment that cannot be read, and the networks that its body names. */
export type UnreadableMessage = readonly [
  kind: "unreadable",
  isOfficial: boolean,
  refusal: Refusal,
  networkName: string,
  networkId: string,
  body: unknown,
];

type Payment = PaymentRequest["payment"];
type Requirements = PaymentRequest["requirements"];

export type PaymentMessage = readonly [
  shape: PaymentShape,
  networkName: string,
  from: Address,
  to: Address,
  value: string,
  validAfter: string,
  validBefore: string,
  nonce: Hex,
  signature: Payment["signature"],
  asset: Address | null,
  /** The address of what is paid for, as the buyer names it. */
  resourceUrl: string | null,
];

export type RequirementsMessage = readonly [
  networkName: string,
  asset: Address,
  amount: string,
  payTo: Requirements["payTo"],
  maxTimeoutSeconds: number,
  domainName: string | null,
  domainVersion: string | null,
  paymentFlow: string | null,
  resource: string | null,
];

export type ReadableMessage = readonly [
  kind: "payment",
  isOfficial: boolean,
  payment: PaymentMessage,
  requirements: RequirementsMessage,
  identifier: string | null,
  readingKind: SignatureReading["kind"],
  /** Null where it is the signature as it was received, or where there is none. */
  readingBytes: Hex | null,
  body: unknown,
];
