/** What the honest facilitator answers about a payment. */
import type { JsonObject } from "@farthing/protocol";
import type { Checked } from "./check-payment.testing.ts";

/** A payment that was checked without the chain. */
export type Request = NonNullable<Checked["request"]>;

/** The members that all answers have. */
export function answerOf({ payment }: Request): JsonObject {
  return { network: payment.networkName, payer: payment.authorization.from };
}

/** Nothing was sent, and nothing will be. */
export function refused(request: Request, errorReason: string): JsonObject {
  return { ...answerOf(request), success: false, errorReason, transaction: "" };
}
