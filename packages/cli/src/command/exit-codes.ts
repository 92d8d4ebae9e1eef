/** Exit codes of the farthing command. Scripts rely on them: a code never changes its meaning. */
import type { PaymentErrorCode, PaymentSummary } from "@farthing/buyer";

export const exitCodes = {
  success: 0,
  general: 1,
  usage: 2,
  configuration: 3,
  network: 4,
  refusedBySeller: 5,
  insufficientFunds: 6,
  canceled: 7,
  signing: 8,
  notFound: 9,
  timeout: 10,
  paymentOpen: 11,
  stoppedByPolicy: 12,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The table that `farthing pay --help` prints and the README repeats. */
export const payExitCodes: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.success, "success; with --dry-run: it would be paid, or costs nothing"],
  [exitCodes.general, "general error; with --fail: a response status of 400 or above"],
  [exitCodes.usage, "usage: an unknown option or an invalid value"],
  [
    exitCodes.configuration,
    "configuration: no wallet, or an invalid key, password, setting or ledger",
  ],
  [exitCodes.network, "network error, nothing signed"],
  [exitCodes.refusedBySeller, "refused by the seller; do not pay again until proven unused"],
  [exitCodes.insufficientFunds, "insufficient funds, nothing signed"],
  [exitCodes.canceled, "canceled at the prompt; nothing signed"],
  [exitCodes.signing, "signing error, nothing paid"],
  [exitCodes.notFound, "not found: the ledger has no such payment to resume or show"],
  [exitCodes.timeout, "time-out, nothing signed"],
  [
    exitCodes.paymentOpen,
    "payment pending or ambiguous: farthing ledger resume <id>, no new payment",
  ],
  [exitCodes.stoppedByPolicy, "stopped by a limit or policy before signing"],
  [exitCodes.interrupted, "interrupted (Ctrl+C); see paymentStatus"],
];

/** The code for a call that was refused before any signature. */
export function exitOfRefusal(code: PaymentErrorCode): ExitCode {
  if (code === "request_unknown" || code === "payment_released") return exitCodes.notFound;
  if (code === "insufficient_balance") return exitCodes.insufficientFunds;
  return code === "signing_failed" ? exitCodes.signing : exitCodes.stoppedByPolicy;
}

/** The code for a response and the state of its payment. */
export function exitOfResponse(status: number, payment: PaymentSummary, isFail: boolean): ExitCode {
  const { state } = payment;
  if (state === "settled" || state === "charged" || state === "not_required") {
    return isFail && status >= 400 ? exitCodes.general : exitCodes.success;
  }
  const code = payment.problem?.error;
  const isRefused = code === "payment_refused" || code === "request_conflict";
  return isRefused ? exitCodes.refusedBySeller : exitCodes.paymentOpen;
}
