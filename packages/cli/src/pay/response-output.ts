/** Writes a response. Standard output is the body alone, or with --json exactly one object. */
import { accessSync, constants, createWriteStream, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import type { PaidResponse } from "@farthing/buyer";
import { passHeaders, printableJson, printableText, writeTo } from "@farthing/protocol";
import type { Command } from "commander";
import { messageOf, UsageError } from "../command/command-errors.ts";
import { exitOfResponse, type ExitCode } from "../command/exit-codes.ts";
import { paymentText } from "../output/payment-report.ts";
import { bodyToWrite, readBodyWithin } from "../input/read-body.ts";
import { printableBytes } from "../output/terminal.ts";

export interface ResponseFlags {
  readonly json?: boolean;
  readonly include?: boolean;
  readonly showPass?: boolean;
  readonly output?: string;
  readonly maxTime?: string;
  readonly fail?: boolean;
}

export function addResponseFlags(command: Command): Command {
  return command
    .option("--json", "print one JSON object: status, body, payment, receipt")
    .option("-i, --include", "print the response headers before the body")
    .option("--show-pass", "with --json or -i, print the token of a pass or a balance: a secret")
    .option("-o, --output <file>", "write the body to a file")
    .option("-m, --max-time <seconds>", "give up after this many seconds")
    .option("-f, --fail", "exit with 1 when the response status is 400 or above");
}

/** Throws a UsageError when the body could not be written there, before anything is paid for it. */
export function demandWritable({ output }: ResponseFlags): void {
  if (output === undefined) return;
  try {
    if (!existsSync(output)) accessSync(dirname(output), constants.W_OK);
    else if (statSync(output).isDirectory()) throw new Error("it is a folder");
    else accessSync(output, constants.W_OK);
  } catch (cause) {
    throw new UsageError(`--output ${output} cannot be written: ${messageOf(cause)}.`, { cause });
  }
}

/** Only the buyer may read what they paid for. */
const ownerOnly = { mode: 0o600 };

/** Longest body inside a JSON object, in bytes: far above what a program parses whole. */
const jsonBodyBytesMax = 16 * 1024 * 1024;

/** Writes the body to standard output and the payment to standard error. */
export async function showResponse(
  response: PaidResponse,
  flags: ResponseFlags,
): Promise<ExitCode> {
  const { payment, status } = response;
  const { output } = flags;
  const exitCode = exitOfResponse(status, payment, flags.fail === true);
  if (flags.json !== true) {
    // Written before the body, so that the payment is known when a long body is interrupted.
    writeTo(process.stderr, paymentText(payment, response));
    await writeBody(response, flags);
    return exitCode;
  }
  if (output !== undefined) {
    await pipeline(bodyToWrite(response), createWriteStream(output, ownerOnly));
  }
  const isPaid = payment.state !== "not_required";
  const object = {
    status,
    headers: Object.fromEntries(headersToShow(response, flags)),
    ...(output === undefined ? await readFields(response) : { body: null, output }),
    paymentStatus: payment.state,
    requestId: payment.requestId,
    payment: isPaid ? payment : null,
    receipt: isPaid ? (payment.receipt ?? null) : null,
    exitCode,
  };
  process.stdout.write(`${printableJson(object)}\n`);
  return exitCode;
}

/**
 * The headers without the token of a pass or a balance: anyone who reads it can use it, and output ends up
 * in logs. The ledger keeps it for the next request.
 */
function headersToShow({ headers }: Response, { showPass = false }: ResponseFlags) {
  const secret = passHeaders.token.toLowerCase();
  return [...headers].filter(([name]) => showPass || name !== secret);
}

async function readFields(response: Response): Promise<Record<string, unknown>> {
  const body = await readBodyWithin(response, jsonBodyBytesMax, "save it to a file with -o.");
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { body: decoder.decode(body), bodyEncoding: "text" };
  } catch {
    return { body: Buffer.from(body).toString("base64"), bodyEncoding: "base64" };
  }
}

async function writeBody(response: Response, flags: ResponseFlags): Promise<void> {
  const { stdout } = process;
  const isShown = flags.output === undefined && stdout.isTTY;
  const target = flags.output === undefined ? stdout : createWriteStream(flags.output, ownerOnly);
  if (flags.include === true) {
    const lines = headersToShow(response, flags).map(([name, value]) => `${name}: ${value}`);
    const head = [`HTTP ${response.status} ${response.statusText}`, ...lines, "", ""].join("\r\n");
    target.write(isShown ? printableText(head) : head);
  }
  const body = bodyToWrite(response);
  // Standard output belongs to the process and stays open.
  const options = { end: target !== stdout };
  if (isShown) await pipeline(body, printableBytes(), target, options);
  else await pipeline(body, target, options);
}
