/** OpenAPI descriptions of the surfaces' routes, which differ only in their callers. */
import type { ErrorCode } from "@farthing/protocol";
import { Type } from "typebox";
import { described } from "../http/openapi/openapi.ts";
import {
  AcceptsResponseBody,
  AcceptsBody,
  AttestationBody,
  KeySetBody,
  PaymentRequestBody,
  SettleResponseBody,
  SettlementResponseBody,
  SupportedResponseBody,
  NotEvaluatedSettle,
  NotEvaluatedVerify,
  VerifyResponseBody,
} from "./schemas.ts";
import { Problem, problems, problemsOnly, refTo, Wait } from "../http/messages/schemas.ts";
import { HealthResponseBody, ReadinessResponseBody, StatusResponseBody } from "./status-schemas.ts";
import type { Surface } from "../http/access/surface.ts";

/** The errors of routes without authentication and limits. */
const freeProblems = problemsOnly("invalid_request", "internal_error");

/** Returns the operation's id, which differs by surface, and its security. */
function named({ name, auth }: Surface, operationId: string, isFree: boolean) {
  return {
    operationId: name === "hosted" ? `${operationId}Hosted` : operationId,
    security: isFree || auth === "none" ? [] : [{ apiKey: [] }],
  };
}

/** Callers without a key and with a test key share a gas budget. */
function hasGasLimit({ auth, testNetworks }: Surface): boolean {
  return auth === "none" || testNetworks.length > 0;
}

const settleHeaders = Type.Object({
  prefer: Type.Optional(Type.String({ description: "`wait=N` or `respond-async`" })),
  "idempotency-key": Type.Optional(
    Type.String({
      description:
        "Names the exchange: 1 to 255 printable ASCII characters. The same key on a repeat gives the present state whole; another key is another exchange.",
    }),
  ),
});

export function describePayments(surface: Surface) {
  const hasKeys = surface.auth === "api-key";
  const wrongKey: readonly ErrorCode[] = hasKeys ? ["unauthorized"] : [];
  const wrongSeller: readonly ErrorCode[] = hasKeys ? [...wrongKey, "payee_mismatch"] : [];
  const wrongAccount: readonly ErrorCode[] = hasKeys
    ? ["insufficient_facilitator_credits", "seller_plan_inactive"]
    : [];
  const wrongPlan: readonly ErrorCode[] = hasKeys ? ["seller_plan_inactive"] : [];
  const noGas: readonly ErrorCode[] = hasGasLimit(surface) ? ["caller_gas_share_used"] : [];
  const tags = ["Payments"];
  const waits =
    surface.settle === "async"
      ? "Waits up to 25 seconds for the outcome where the body has `x402Version`, and otherwise responds once the transfer is sent; `Prefer: respond-async` and `Prefer: wait=N` change this."
      : "Waits up to 25 seconds for the outcome; `Prefer: respond-async` does not wait.";
  return {
    supported: described({
      ...named(surface, "listSupported", true),
      tags,
      summary: "List supported payments",
      response: { 200: SupportedResponseBody, ...freeProblems },
    }),
    verify: described({
      ...named(surface, "verify", false),
      tags,
      summary: "Verify a payment",
      description:
        "Checks the signature, the terms, the payer's balance and the token's state, and moves no money.",
      body: PaymentRequestBody,
      response: {
        200: VerifyResponseBody,
        409: VerifyResponseBody,
        ...problems(...wrongSeller, ...wrongPlan, ...noGas, "payer_limited"),
        500: NotEvaluatedVerify,
        503: NotEvaluatedVerify,
      },
    }),
    settle: described({
      ...named(surface, "settle", false),
      tags,
      summary: "Settle a payment",
      description: `Transfers the money, once. ${waits} The same payment again returns the same settlement.`,
      headers: settleHeaders,
      body: PaymentRequestBody,
      response: {
        200: SettleResponseBody,
        409: SettleResponseBody,
        ...problems(...wrongSeller, ...wrongAccount, ...noGas),
        500: NotEvaluatedSettle,
        503: NotEvaluatedSettle,
      },
    }),
    settlement: described({
      ...named(surface, "readSettlement", false),
      tags,
      summary: "Read a settlement",
      params: Type.Object({ id: Type.String() }),
      querystring: Type.Object({ wait: Wait }),
      response: {
        200: SettlementResponseBody,
        ...problems(...wrongKey, "not_found"),
      },
    }),
  };
}

export function describeAttestations(surface: Surface) {
  const wrongKey: readonly ErrorCode[] = surface.auth === "api-key" ? ["unauthorized"] : [];
  return described({
    ...named(surface, "attestSettlement", false),
    tags: ["Payments"],
    summary: "Attest a settlement",
    description:
      "A signed statement about the present, to be kept and shown to others. It opens nothing: a seller serves by `/settle` and `/settlements/{id}`.",
    params: Type.Object({ id: Type.String() }),
    response: { 200: AttestationBody, ...problems(...wrongKey, "not_found", "conflict") },
  });
}

export function describeKeySet() {
  return described({
    operationId: "listAttestationKeys",
    security: [],
    tags: ["Payments"],
    summary: "List attestation keys",
    response: { 200: KeySetBody, ...freeProblems },
  });
}

export function describeAccepts(surface: Surface) {
  const wrongKey: readonly ErrorCode[] = surface.auth === "api-key" ? ["unauthorized"] : [];
  return described({
    ...named(surface, "completeOffers", false),
    tags: ["Payments"],
    summary: "Complete the entries of a challenge",
    description: "For sellers that use Faremeter's middleware.",
    body: AcceptsBody,
    response: { 200: AcceptsResponseBody, ...problems(...wrongKey) },
  });
}

export function describeStatus(surface: Surface) {
  const tags = ["Service"];
  return {
    health: described({
      ...named(surface, "checkHealth", true),
      tags,
      summary: "Check that the process responds",
      response: { 200: HealthResponseBody, ...freeProblems },
    }),
    ready: described({
      ...named(surface, "checkReadiness", true),
      tags,
      summary: "Check readiness",
      response: {
        200: ReadinessResponseBody,
        ...freeProblems,
        503: Type.Union([ReadinessResponseBody, refTo(Problem)], {
          description: "Something is not usable, or the service is being stopped",
        }),
      },
    }),
    status: described({
      ...named(surface, "readStatus", true),
      tags,
      summary: "Read the status",
      response: { 200: StatusResponseBody, ...freeProblems },
    }),
  };
}
