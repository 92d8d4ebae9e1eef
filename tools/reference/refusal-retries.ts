import { refusalCodes, type RefusalCode } from "@farthing/protocol";

/** Refusals that end by themselves, or by what payer, seller or issuer do, without a new signature. */
const passing: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  "wallet_not_deployed",
  "authorization_not_yet_valid",
  "insufficient_funds",
  "token_paused",
  "payer_spend_cap_reached",
  "payer_count_reached",
  "payer_paused",
  "settlement_pending",
  "settlement_not_refundable",
]);

/** Whether the same signed payment, or refund, can succeed later while it is valid. */
export const samePaymentCanSucceed: Readonly<Partial<Record<RefusalCode, boolean>>> =
  Object.fromEntries(refusalCodes.map((code) => [code, passing.has(code)]));
