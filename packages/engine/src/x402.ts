/**
 * The x402 messages of an engine: bodies in, statuses and bodies out, for a program that brings its
 * own HTTP server. The service responds by the same functions.
 * @packageDocumentation
 */
import { randomBytes } from "node:crypto";
import {
  parsePaymentRequest,
  paymentIdentifierName,
  usdcDecimals,
  type Network,
  type SettleResponse,
  type SupportedKind,
  type SupportedResponse,
  type VerifyResponse,
} from "@farthing/protocol";
import { Fault } from "./base/fault.ts";
import type { SettlementEngine } from "./engine.ts";
import {
  invalidResponse,
  refusedResponse,
  refusedStatus,
  respondToSettle,
  settleNotEvaluated,
  validResponse,
  verifyNotEvaluated,
} from "./settlement/x402-responses.ts";

export * from "./settlement/x402-responses.ts";
export { readSignature, type SignatureReading } from "./verification/signature.ts";

/** A response for the program's HTTP server to send. */
export interface Reply<Body> {
  readonly status: number;
  readonly body: Body;
}

/** What the program knows of the HTTP request. */
export interface SettleRequest {
  /** Distinguishes sellers, for example by their address; all are one where it is left out. */
  readonly caller?: string;
  /** Resolves to false when the connection closed before the response was written. */
  readonly delivered?: Promise<boolean>;
}

/** The three operations of a facilitator. Bodies are parsed JSON and may hold anything. */
export interface Facilitator {
  supported(): SupportedResponse;
  /** Status 503 means that the payment could not be evaluated now. */
  verify(body: unknown): Promise<Reply<VerifyResponse>>;
  /** Waits for the outcome as `engine.settle` does. Status 503 means the same as for `verify`. */
  settle(body: unknown, request?: SettleRequest): Promise<Reply<SettleResponse>>;
}

/** Random bytes of a call's name. */
const writerBytes = 16;

export function createFacilitator(engine: SettlementEngine): Facilitator {
  async function verify(body: unknown): Promise<Reply<VerifyResponse>> {
    const parsed = parsePaymentRequest(body);
    if (!parsed.ok) return { status: 200, body: invalidResponse(parsed.refusal, undefined) };
    const payer = parsed.value.payment.authorization.from;
    const verified = await engine.verify(parsed.value);
    if (verified.ok) return { status: 200, body: validResponse(payer) };
    const { refusal } = verified;
    return { status: refusedStatus(refusal), body: invalidResponse(refusal, payer) };
  }

  async function settle(
    body: unknown,
    { caller = "seller", delivered = Promise.resolve(true) }: SettleRequest = {},
  ): Promise<Reply<SettleResponse>> {
    const parsed = parsePaymentRequest(body);
    if (!parsed.ok) {
      return { status: 200, body: refusedResponse(parsed.refusal, "", undefined) };
    }
    const call = engine.steps.exchanges.beginSettle({
      writer: randomBytes(writerBytes).toString("hex"),
      caller,
      delivered,
      idempotencyKey: null,
      isUpfront: parsed.value.requirements.paymentFlow === "upfront",
      waitsForOutcome: true,
    });
    const result = await engine.settle(parsed.value, { exchange: call });
    if (result.kind === "denied") {
      const { networkName, authorization } = parsed.value.payment;
      return {
        status: 403,
        body: {
          success: false,
          errorReason: result.code,
          payer: authorization.from,
          transaction: "",
          network: networkName,
        },
      };
    }
    const { status, body: settled } = await respondToSettle(parsed.value, result, call);
    // There is no address at which a seller could poll the settlement, so it repeats the call.
    const { id: _id, ...reported } = settled;
    return { status, body: reported };
  }

  return {
    supported() {
      const { networks } = engine.status();
      return {
        kinds: networks.flatMap(({ network }) => supportedKinds(network, 2)),
        extensions: [paymentIdentifierName],
        signers: Object.fromEntries(
          networks.map(({ network, relayers }) => [network.id, relayers]),
        ),
      };
    },
    verify: (body) => orUnavailable(verify(body), verifyNotEvaluated),
    settle: (body, request) => orUnavailable(settle(body, request), settleNotEvaluated("")),
  };
}

/** The payments that are settled on a network, in a version of the protocol. */
export function supportedKinds(network: Network, x402Version: 1 | 2): SupportedKind[] {
  const isNew = x402Version === 2;
  const method = isNew ? { assetTransferMethod: "eip3009" } : {};
  const extra = { decimals: usdcDecimals, ...network.domain, ...method };
  const names = isNew ? [network.id] : [network.label, ...network.aliases];
  const shared = { x402Version, scheme: "exact", asset: network.usdc, extra } as const;
  return names.map((name) => ({ ...shared, network: name }));
}

/** A fault is a matter of the node or the database; anything else is a bug, and is thrown. */
async function orUnavailable<Body>(reply: Promise<Reply<Body>>, body: Body): Promise<Reply<Body>> {
  return reply.catch((error: unknown) => {
    if (error instanceof Fault) return { status: 503, body };
    throw error;
  });
}
