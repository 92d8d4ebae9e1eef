/**
 * Refunds that the connected wallet signs. What was signed is sent again, and nothing else is signed,
 * until the service has answered: a second signature could be another refund.
 */
import {
  parseRefundable,
  parseUsdc,
  refundAuthorization,
  refundEnd,
  refundProblem,
  refusal,
  saleProblem,
  statusOf,
  toWireAuthorization,
  walletTypedData,
  type Hex,
  type RefundablePayment,
  type SettleResponse,
  type WireAuthorization,
} from "@farthing/protocol";
import type { SettlementDetail } from "@farthing/facilitator/api";
import { ApiProblem } from "../../api/call.ts";
import { usdcText } from "../../components/format.ts";

export interface RefundOffer {
  readonly payment: RefundablePayment;
  /** USDC base units that are suggested. */
  readonly amount: bigint;
}

/** Returns undefined where the service would refuse every refund. */
export function refundOffer(settlement: SettlementDetail): RefundOffer | undefined {
  const payment = parseRefundable(settlement);
  if (!payment || findProblem(payment, payment.rest)) return undefined;
  const { rest, ordinal } = payment;
  const failed = settlement.refunds.find((refund) => refund.ordinal === ordinal);
  // While its first signature can still be used, a failed refund is signed again with its amount.
  const again = failed === undefined ? rest : BigInt(failed.amount);
  return { payment, amount: again < rest ? again : rest };
}

function findProblem(payment: RefundablePayment, amount: bigint) {
  return saleProblem(payment) ?? refundProblem(payment, amount, payment.payTo);
}

/** Reads an amount in USDC: its base units, or what is wrong with it. */
export function readRefundAmount(
  text: string,
  { rest, minAmount }: RefundablePayment,
): bigint | string {
  const units = parseUsdc(text);
  if (units === undefined) return "An amount with at most six decimals, such as 0.01";
  if (units === 0n) return "More than zero";
  if (units > rest) return `At most ${usdcText(rest)} USDC`;
  if (units >= minAmount || units === rest) return units;
  return `At least ${usdcText(minAmount)} USDC, or all ${usdcText(rest)} USDC`;
}

/** The body of `POST /v1/refunds`. */
interface RefundRequest {
  readonly settlementId: string;
  readonly authorization: WireAuthorization;
  readonly signature: Hex;
}

export interface RefundDeps {
  /** Reads the payment's settlement from the service. */
  readonly read: () => Promise<SettlementDetail>;
  readonly send: (request: RefundRequest) => Promise<SettleResponse>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Has the payee's wallet sign typed data. */
export type SignRefund = (
  payment: RefundablePayment,
  typedData: ReturnType<typeof walletTypedData>,
) => Promise<Hex>;

/** Refunds of one payment. */
export function createRefundFlow({ read, send, now }: RefundDeps) {
  let unanswered: RefundRequest | undefined;

  async function sign(shown: RefundablePayment, amount: bigint, signWith: SignRefund) {
    const settlement = await read();
    const payment = parseRefundable(settlement);
    if (!payment) throw refused(refusal("settlement_not_refundable"));
    if (payment.ordinal !== shown.ordinal || payment.rest !== shown.rest) {
      throw refused({ code: "refund_mismatch", message: changedMessage });
    }
    const problem = findProblem(payment, amount);
    if (problem) throw refused(problem);
    const authorization = refundAuthorization(payment, amount, refundEnd(now()));
    const signature = await signWith(payment, walletTypedData(payment.network, authorization));
    const wire = toWireAuthorization(authorization);
    return { settlementId: settlement.id, authorization: wire, signature };
  }

  return {
    /** Whether a signature was sent and not answered: the next run sends it again. */
    isUnanswered: () => unanswered !== undefined,
    /**
     * Signs a refund and sends it. Throws {@link ApiProblem} when the service refuses it, and what
     * `signWith` throws. `onSigned` is called before it is sent.
     */
    async run(
      shown: RefundablePayment,
      amount: bigint,
      signWith: SignRefund,
      onSigned: () => void,
    ): Promise<"pending" | "confirmed"> {
      const request = unanswered ?? (await sign(shown, amount, signWith));
      unanswered = request;
      onSigned();
      const response = await send(request).catch((error: unknown) => {
        if (isRefusal(error)) unanswered = undefined;
        throw error;
      });
      unanswered = undefined;
      const status = statusOf(response);
      if (status !== "failed") return status;
      const { errorReason = "failed", errorMessage = "The refund failed." } = response;
      throw refused({ code: errorReason, message: errorMessage });
    },
  };
}

const changedMessage =
  "The refunds of this payment have changed since you opened this dialog. Check them, then start again.";

/** The service answered and took nothing. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiProblem && error.details.status >= 400 && error.details.status < 500;
}

function refused({ code, message }: { readonly code: string; readonly message: string }) {
  return new ApiProblem({ status: 200, code, message, requestId: "", retryable: false });
}
