/**
 * A call of /verify or /settle as a value, without HTTP: it is read where the socket is, and evaluated
 * where the engine is, which may be another process.
 */
import {
  bookHeaderNames,
  isObject,
  member,
  parsePaymentRequest,
  type Outcome,
  type PaymentRequest,
} from "@farthing/protocol";
import type { SignatureReading } from "@farthing/engine/x402";
import type { CallerRequest, ResponseHead } from "../http/access/caller.ts";
import { namedNetworks } from "../http/server/observe.ts";

/** What the body of a call says. */
export interface AskedPayment {
  readonly parsed: Outcome<PaymentRequest>;
  /** The reading of the payment's signature, where another process has made it. */
  readonly reading?: SignatureReading | undefined;
  /**
   * The official software sends its version beside the payment and takes the response for the
   * outcome; callers of the service description send the two objects alone, and poll.
   */
  readonly isOfficial: boolean;
  /** The network as the body names it, which clients require in a response; may be empty. */
  readonly networkName: string;
  /** The body itself for extensions and for the log of an account's calls. */
  readonly body: unknown;
}

export interface PaymentCall {
  readonly request: CallerRequest;
  readonly head: ResponseHead;
  readonly asked: AskedPayment;
  /** Resolves to true once the response is written, or false if the connection closed before. */
  delivered(): Promise<boolean>;
  /** Runs `undo` when the connection closed before the first byte of the response. */
  whenUnwritten(undo: () => void): void;
}

export interface PaymentAnswer {
  readonly status: number;
  readonly body: object;
}

/** The headers with which a call is evaluated, in lower case. */
export const callHeaders = [
  "authorization",
  "idempotency-key",
  "prefer",
  ...Object.values(bookHeaderNames).map((name) => name.toLowerCase()),
];

/** Longer network names are not repeated to callers that send unreadable requests. */
const maxNetworkName = 64;

export function readAsked(body: unknown): AskedPayment {
  return {
    parsed: parsePaymentRequest(body),
    isOfficial: isObject(body) && member(body, "x402Version") !== undefined,
    networkName: networkNameOf(body),
    body,
  };
}

/** Returns the network of an unreadable request, because clients require the member. */
export function networkNameOf(body: unknown): string {
  const name = namedNetworks(body).find(
    (one) => typeof one === "string" && one.length <= maxNetworkName,
  );
  return typeof name === "string" ? name : "";
}
