/**
 * Bodies of /verify and /settle. Every evaluated payment is HTTP 200, the only status that all
 * clients read, but for two cases that have 409.
 */
import {
  refusal,
  type Hex,
  x402ReasonOf,
  type PaymentRequest,
  type Refusal,
  type SettleResponse,
  type SettlementStatus,
  type VerifyResponse,
} from "@farthing/protocol";
import type { Settlement } from "../model/settlement.ts";
import type { Presentation, SettleCall } from "./exchange-calls.ts";
import type { SettleResult } from "./settle.ts";

/** Returns 200, or 409 for an identifier of another payment, as the extension requires. */
export function refusedStatus({ code }: Refusal): 200 | 409 {
  return code === "payment_identifier_conflict" ? 409 : 200;
}

export function validResponse(payer: string): VerifyResponse {
  return { isValid: true, payer };
}

export function invalidResponse(why: Refusal, payer: string | undefined): VerifyResponse {
  return {
    isValid: false,
    invalidReason: why.code,
    invalidMessage: why.message,
    ...(payer === undefined ? {} : { payer }),
    extra: { x402Reason: x402ReasonOf(why) },
  };
}

/**
 * Creates the response of a settle that was refused before a claim. `x402Reason` tells sellers that
 * the stored settlements and, for expired payments, the token were checked.
 */
export function refusedResponse(
  why: Refusal,
  network: string,
  payer: string | undefined,
  found: {
    readonly existing?: Settlement | undefined;
    readonly transaction?: Hex | undefined;
  } = {},
): SettleResponse {
  const { existing } = found;
  return {
    success: false,
    errorReason: why.code,
    errorMessage: why.message,
    ...(payer === undefined ? {} : { payer }),
    transaction: existing?.transaction ?? found.transaction ?? "",
    network,
    extra: { x402Reason: existing ? "duplicate_settlement" : x402ReasonOf(why) },
  };
}

export function statusOf(settlement: Settlement): SettlementStatus {
  if (settlement.state === "confirmed" || settlement.state === "failed") return settlement.state;
  return "pending";
}

type SettlePresentation = SettleResponse & { readonly status: SettlementStatus };

/** Creates the complete response of a settle, with its id and with `success`. */
export function settleResponse(
  settlement: Settlement,
  network: string,
  flags: { readonly replayed?: true; readonly ownExchange?: true } = {},
): SettlePresentation & { readonly id: string } {
  const status = statusOf(settlement);
  const reason = reasonOf(settlement, status);
  return { id: settlement.id, ...settleBody(settlement, network, { status, reason, flags }) };
}

/** For another exchange: without `success` and the `id` by which sellers poll and serve. */
export function repeatResponse(
  settlement: Settlement,
  network: string,
  isPending: boolean,
): SettlePresentation {
  const status = isPending ? "pending" : statusOf(settlement);
  const reason = status === "confirmed" ? refusal("already_settled") : reasonOf(settlement, status);
  return settleBody(settlement, network, { status, reason, flags: { replayed: true } });
}

function settleBody(
  settlement: Settlement,
  network: string,
  presented: {
    readonly status: SettlementStatus;
    readonly reason: Refusal | undefined;
    readonly flags: { readonly replayed?: true; readonly ownExchange?: true };
  },
): SettlePresentation {
  const { status, reason, flags } = presented;
  const { logIndex, settledBy, nonce } = settlement;
  return {
    status,
    success: status === "confirmed" && reason === undefined,
    ...(reason && { errorReason: reason.code, errorMessage: reason.message }),
    payer: settlement.payer,
    transaction: settlement.transaction ?? "",
    network,
    amount: settlement.amount.toString(),
    extra: {
      settlementId: settlement.id,
      nonce,
      // Together with the hash they identify the payment in a batch and its sender.
      ...(logIndex === null ? {} : { logIndex }),
      ...(settledBy === null ? {} : { settledBy }),
      ...flags,
      ...(reason && { x402Reason: x402ReasonOf(reason) }),
    },
  };
}

function reasonOf(settlement: Settlement, status: SettlementStatus): Refusal | undefined {
  if (status === "pending") return refusal("settlement_pending");
  const { failure, failureMessage } = settlement;
  return failure === null ? undefined : refusal(failure, failureMessage ?? undefined);
}

/**
 * For a payment of another exchange. The stock MCP wrapper returns its result whatever `success`
 * says, and the stock client throws for statuses other than 2xx.
 */
const anotherExchangeStatus = 409;

export interface SettleReply {
  readonly status: 200 | typeof anotherExchangeStatus;
  readonly body: SettleResponse;
}

const evaluated = (body: SettleResponse): SettleReply => ({ status: 200, body });

/** Responds to the result of a settle, as one call of an exchange. */
export async function respondToSettle(
  { payment }: PaymentRequest,
  result: Exclude<SettleResult, { readonly kind: "denied" }>,
  call: Pick<SettleCall, "present">,
): Promise<SettleReply> {
  const { networkName, authorization } = payment;
  if (result.kind === "refused") {
    const { refusal: why } = result;
    const body = refusedResponse(why, networkName, authorization.from, result);
    return { status: refusedStatus(why), body };
  }
  const { settlement, isRepeat } = result;
  const presentation = await call.present(settlement, isRepeat);
  return respondWithPresentation(settlement, networkName, { isRepeat, presentation });
}

function respondWithPresentation(
  settlement: Settlement,
  networkName: string,
  asked: { readonly isRepeat: boolean; readonly presentation: Presentation },
): SettleReply {
  const { isRepeat, presentation } = asked;
  switch (presentation.kind) {
    case "whole": {
      const { id, ...rest } = settleResponse(settlement, networkName, {
        ...(isRepeat ? { replayed: true } : {}),
        ...(presentation.isOwnExchange ? { ownExchange: true } : {}),
      });
      return evaluated(presentation.hasId ? { id, ...rest } : rest);
    }
    case "facts":
      return {
        status: anotherExchangeStatus,
        body: repeatResponse(settlement, networkName, presentation.isPending),
      };
    case "refused": {
      const message = "This payment was settled before; it opens nothing again.";
      const why = refusal("nonce_already_used", message);
      return evaluated(
        refusedResponse(why, networkName, settlement.payer, { existing: settlement }),
      );
    }
    default:
      return presentation satisfies never;
  }
}

const faultMessage = "The payment was not evaluated; try again shortly with the same payment.";

/** Members of an error response of /verify: stock clients read `isValid` beside any status. */
export const verifyNotEvaluated = {
  isValid: false,
  invalidReason: "service_unavailable",
  invalidMessage: faultMessage,
  extra: { x402Reason: "unexpected_verify_error" },
};

/** Of /settle: stock clients read it as "failed", and the reason says that it was not evaluated. */
export const settleNotEvaluated = (network: string) => ({
  success: false,
  errorReason: "service_unavailable",
  errorMessage: faultMessage,
  transaction: "",
  network,
  extra: { x402Reason: "unexpected_settle_error" },
});
