/** Writes the answer to a request, or why there is none, and says how the command ends. */
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { PaymentError, type PaidResponse } from "@farthing/buyer";
import { LedgerFileError } from "@farthing/buyer/file-ledger";
import { CanceledError } from "./ask-secret.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { exitCodes, exitOfAnswer, exitOfRefusal, type ExitCode } from "./exit-codes.ts";
import {
  answerObject,
  failureLine,
  failureObject,
  failureOf,
  paymentLine,
  type Seen,
} from "./pay-report.ts";
import { UsageError } from "./pay-request.ts";
import { Interruption, OutOfTime } from "./stop-signals.ts";

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
    process.stderr.write(paymentLine(payment, process.stderr.isTTY));
    await writeBody(response, flags);
    return exitCode;
  }
  const { output } = flags;
  if (output !== undefined) await pipeline(bodyOf(response), createWriteStream(output));
  const shown = output === undefined ? await readShown(response) : undefined;
  const more = { exitCode, ...(output === undefined ? {} : { output }) };
  process.stdout.write(`${JSON.stringify(answerObject(response, payment, shown, more))}\n`);
  return exitCode;
}

/** Most of a body inside a JSON object, in bytes: far above any answer that a program parses whole. */
const shownBytesMax = 16 * 1024 * 1024;

async function readShown(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bodyOf(response)) {
    length += chunk.byteLength;
    if (length > shownBytesMax) {
      throw new Error(`The body is longer than ${shownBytesMax} bytes; take it with -o.`);
    }
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

async function* bodyOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body) yield* body;
}

async function writeBody(response: Response, flags: AnswerFlags): Promise<void> {
  const target = flags.output === undefined ? process.stdout : createWriteStream(flags.output);
  if (flags.include === true) {
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    target.write([`HTTP ${response.status} ${response.statusText}`, ...lines, "", ""].join("\r\n"));
  }
  // Standard output stays open: it is the process's, not the body's.
  await pipeline(bodyOf(response), target, { end: target !== process.stdout });
}

/** Writes why a command failed; with --json on standard output. */
export function showError(
  error: unknown,
  flags: AnswerFlags,
  seen: Seen,
  signal?: AbortSignal,
): ExitCode {
  const exitCode = exitOfError(error, seen, signal);
  const failure = failureOf(error, exitCode, codeOf(error), seen);
  if (flags.json === true) process.stdout.write(`${JSON.stringify(failureObject(failure))}\n`);
  else if (flags.isPlain === true && process.stderr.isTTY) {
    process.stderr.write(`farthing: ${failure.message}\n`);
  } else process.stderr.write(failureLine(failure, process.stderr.isTTY));
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
