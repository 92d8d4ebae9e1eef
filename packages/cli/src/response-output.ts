/** Writes the answer to a request, or why there is none, and says how the command ends. */
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { PaymentError, type PaidResponse } from "@farthing/buyer";
import { LedgerFileError } from "@farthing/buyer/file-ledger";
import { printableJson, printableText, writeTo } from "@farthing/protocol";
import { CanceledError } from "./prompt.ts";
import { ConfigurationError } from "./command-errors.ts";
import { exitCodes, exitOfAnswer, exitOfRefusal, type ExitCode } from "./exit-codes.ts";
import {
  answerObject,
  failureLine,
  failureObject,
  failureOf,
  paymentLine,
  type Seen,
} from "./payment-report.ts";
import { UsageError } from "./pay-request.ts";
import { bodyToWrite, readBodyWithin } from "./read-body.ts";
import { Interruption, OutOfTime } from "./stop-signals.ts";
import { isReaderGone, printableBytes } from "./terminal.ts";

/** What was paid for is its buyer's alone: others on the machine do not read it. */
const ownerOnly = { mode: 0o600 };

/** How the answer is written. */
export interface AnswerFlags {
  readonly json?: boolean;
  readonly include?: boolean;
  readonly output?: string;
  readonly fail?: boolean;
  /** No payment is spoken of: to a person only the message is said. */
  readonly isPlain?: boolean;
}

/** Writes an answer: the body to standard output, the payment to standard error. */
export async function showAnswer(response: PaidResponse, flags: AnswerFlags): Promise<ExitCode> {
  const { payment } = response;
  const exitCode = exitOfAnswer(response.status, payment, flags.fail === true);
  if (flags.json !== true) {
    // Said before the body: whoever stops a long body knows what was paid.
    writeTo(process.stderr, paymentLine(payment, process.stderr.isTTY));
    await writeBody(response, flags);
    return exitCode;
  }
  const { output } = flags;
  if (output !== undefined)
    await pipeline(bodyToWrite(response), createWriteStream(output, ownerOnly));
  const shown =
    output === undefined
      ? await readBodyWithin(response, shownBytesMax, "take it with -o.")
      : undefined;
  const more = { exitCode, ...(output === undefined ? {} : { output }) };
  process.stdout.write(`${printableJson(answerObject(response, payment, shown, more))}\n`);
  return exitCode;
}

/** Most of a body inside a JSON object, in bytes: far above any answer that a program parses whole. */
const shownBytesMax = 16 * 1024 * 1024;

async function writeBody(response: Response, flags: AnswerFlags): Promise<void> {
  const { stdout } = process;
  const isShown = flags.output === undefined && stdout.isTTY;
  const target = flags.output === undefined ? stdout : createWriteStream(flags.output, ownerOnly);
  if (flags.include === true) {
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    const head = [`HTTP ${response.status} ${response.statusText}`, ...lines, "", ""].join("\r\n");
    target.write(isShown ? printableText(head) : head);
  }
  const body = bodyToWrite(response);
  // Standard output stays open: it is the process's, not the body's.
  const options = { end: target !== stdout };
  if (isShown) await pipeline(body, printableBytes(), target, options);
  else await pipeline(body, target, options);
}

/** Writes why a command failed; with --json on standard output. */
export function showError(
  error: unknown,
  flags: AnswerFlags,
  seen: Seen,
  signal?: AbortSignal,
): ExitCode {
  const exitCode = exitOfError(error, seen, signal);
  if (isReaderGone(error)) return exitCode;
  const failure = failureOf(error, exitCode, codeOf(error), seen);
  if (flags.json === true) process.stdout.write(`${printableJson(failureObject(failure))}\n`);
  else if (flags.isPlain === true && process.stderr.isTTY) {
    writeTo(process.stderr, `farthing: ${failure.message}\n`);
  } else writeTo(process.stderr, failureLine(failure, process.stderr.isTTY));
  return failure.exitCode;
}

function exitOfError(error: unknown, seen: Seen, signal: AbortSignal | undefined): ExitCode {
  if (error instanceof UsageError) return exitCodes.usage;
  // A ledger can also break after the signature; then the payment counts more.
  if (isConfiguration(error) && !seen.isSigned) return exitCodes.configuration;
  if (error instanceof CanceledError) return exitCodes.canceled;
  if (signal?.reason instanceof Interruption) return exitCodes.interrupted;
  if (error instanceof PaymentError && error.problem.payment_state === "unused") {
    return exitOfRefusal(error.code);
  }
  // The answer was there and its body broke off: the payment is as it was before.
  if (seen.payment?.state === "settled") return exitCodes.general;
  if (seen.isSigned || error instanceof PaymentError) return exitCodes.paymentOpen;
  if (signal?.aborted === true) return exitCodes.timeout;
  // fetch throws a TypeError for whatever the network did.
  return error instanceof TypeError ? exitCodes.network : exitCodes.general;
}

function isConfiguration(error: unknown): boolean {
  return error instanceof ConfigurationError || error instanceof LedgerFileError;
}

function codeOf(error: unknown): string {
  if (error instanceof UsageError) return "usage";
  if (isConfiguration(error)) return "configuration";
  if (error instanceof CanceledError) return "canceled";
  if (error instanceof Interruption) return "interrupted";
  if (error instanceof OutOfTime) return "timeout";
  return error instanceof TypeError ? "network" : "error";
}
