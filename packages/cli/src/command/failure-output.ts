/** Prints why a command failed, and tells the exit code of an error. */
import {
  PaymentError,
  UnansweredPaymentError,
  type PaymentSummary,
  type SentPayment,
} from "@farthing/buyer";
import { LedgerAccessError, LedgerBusyError, LedgerFileError } from "@farthing/buyer/file-ledger";
import { printableJson, writeTo } from "@farthing/protocol";
import {
  CanceledError,
  ConfigurationError,
  InterruptedError,
  TimeoutError,
  UsageError,
} from "./command-errors.ts";
import { exitCodes, exitOfRefusal, type ExitCode } from "./exit-codes.ts";
import { raiseInRun, raiseText, raisingCommand, type RunLimit } from "./limit-table.ts";
import { nextSteps, type PaymentProgress } from "../output/payment-report.ts";
import { isClosedPipe } from "../output/terminal.ts";

interface FailureFlags extends RunLimit {
  readonly json?: boolean;
  /** The message alone. */
  readonly isPlain?: boolean;
}

/** Prints an error: with `json` one object on standard output, otherwise a line on standard error. */
export function showError(
  error: unknown,
  flags: FailureFlags,
  progress: PaymentProgress,
  signal?: AbortSignal,
): ExitCode {
  const exitCode = exitOfError(error, progress, signal);
  if (isClosedPipe(error)) return exitCode;
  const failure = describe(error, flags, progress);
  const { code, message, paymentStatus } = failure;
  if (flags.json === true) {
    process.stdout.write(`${printableJson(failureObject(failure, exitCode))}\n`);
  } else {
    const facts = flags.isPlain === true ? "" : ` (${code}, payment ${paymentStatus})`;
    const steps = isSent(failure.payment) ? nextSteps(failure.payment) : raiseText(failure.raise);
    writeTo(process.stderr, `farthing: ${message}${facts}\n${steps}`);
  }
  return exitCode;
}

function describe(error: unknown, flags: FailureFlags, { payment, isSigned }: PaymentProgress) {
  if (!(error instanceof PaymentError)) {
    return {
      code: codeOf(error),
      message: error instanceof Error ? messageOf(error) : String(error),
      retryable: false,
      paymentStatus: payment?.state ?? (isSigned ? "ambiguous" : "not_sent"),
      requestId: payment?.requestId,
      payment,
      raise: undefined,
    };
  }
  const { code, requestId, problem } = error;
  const { message, retryable } = problem;
  const raise = raiseInRun(problem.raise_limit, flags);
  const sent = error instanceof UnansweredPaymentError ? error.payment : undefined;
  const unsent = problem.payment_state === "unused" ? "not_sent" : "ambiguous";
  const paymentStatus = sent?.state ?? unsent;
  return { code, message, retryable, paymentStatus, requestId, payment: sent, raise };
}

function isSent(payment: PaymentSummary | undefined): payment is SentPayment {
  return payment !== undefined && payment.state !== "not_required";
}

/** The message of fetch is "fetch failed", a TypeError; the reason is in its cause. */
function messageOf(error: Error): string {
  const { message, cause } = error;
  const isOfFetch = error instanceof TypeError && cause instanceof Error && cause.message !== "";
  return isOfFetch ? cause.message : message;
}

function failureObject(failure: ReturnType<typeof describe>, exitCode: ExitCode) {
  const { code, message, retryable, payment, paymentStatus, requestId, raise } = failure;
  return {
    status: null,
    body: null,
    paymentStatus,
    requestId: requestId ?? null,
    payment: payment ?? null,
    receipt: null,
    error: { code, message, retryable, ...(raise && { raiseWith: raisingCommand(raise) }) },
    exitCode,
  };
}

function exitOfError(
  error: unknown,
  { payment, isSigned }: PaymentProgress,
  signal: AbortSignal | undefined,
): ExitCode {
  if (error instanceof UsageError) return exitCodes.usage;
  // A ledger can also fail after the signature; then the state of the payment matters more.
  if (isConfiguration(error) && !isSigned) return exitCodes.configuration;
  if (error instanceof CanceledError) return exitCodes.canceled;
  if (signal?.reason instanceof InterruptedError) return exitCodes.interrupted;
  if (error instanceof PaymentError && error.problem.payment_state === "unused") {
    return exitOfRefusal(error.code);
  }
  // The body broke off after the response had settled the payment.
  if (payment?.state === "settled") return exitCodes.general;
  if (isSigned || error instanceof PaymentError) return exitCodes.paymentOpen;
  if (signal?.aborted === true) return exitCodes.timeout;
  // fetch throws a TypeError for every failure of the network.
  return error instanceof TypeError ? exitCodes.network : exitCodes.general;
}

function isConfiguration(error: unknown): boolean {
  return [ConfigurationError, LedgerAccessError, LedgerBusyError, LedgerFileError].some(
    (kind) => error instanceof kind,
  );
}

function codeOf(error: unknown): string {
  if (error instanceof UsageError) return "usage";
  if (isConfiguration(error)) return "configuration";
  if (error instanceof CanceledError) return "canceled";
  if (error instanceof InterruptedError) return "interrupted";
  if (error instanceof TimeoutError) return "timeout";
  return error instanceof TypeError ? "network" : "error";
}
