/** `farthing pay <url>`: one request like curl's, and the 402 paid within the limit. */
import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  parseLimits,
  PaymentError,
  perCallDefault,
  wrapFetch,
  type PaidResponse,
  type PayingFetch,
} from "@farthing/buyer";
import { findNetwork } from "@farthing/protocol";
import { Option, type Command } from "commander";
import { dryRunObject, dryRunText } from "./dry-run-report.ts";
import {
  exitCodes,
  exitOfAnswer,
  exitOfRefusal,
  payExitCodes,
  type ExitCode,
} from "./exit-codes.ts";
import {
  answerObject,
  failureLine,
  failureObject,
  failureOf,
  paymentLine,
  type Failure,
  type Seen,
} from "./pay-report.ts";
import { buildRequest, UsageError, type BuiltRequest } from "./pay-request.ts";
import { ConfigurationError, readWallet } from "./wallet.ts";

interface Flags {
  readonly request?: string;
  readonly header?: readonly string[];
  readonly data?: readonly string[];
  readonly maxAmount?: string;
  readonly network?: string;
  readonly requestId?: string;
  readonly walletContract?: string;
  readonly rpcUrl?: string;
  readonly prefer?: "v1" | "v2";
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly include?: boolean;
  readonly output?: string;
  readonly maxTime?: string;
  readonly fail?: boolean;
}

/** Adds the subcommand. */
export function register(program: Command): void {
  program
    .command("pay")
    .summary("request a URL and pay the 402 within limits")
    .description(
      "Requests a URL and, when it answers 402, pays in USDC on XDC and requests it again. Nothing is signed above the limit; one run never signs twice.",
    )
    .argument("<url>", "https address; plain http is paid on this machine only")
    .option("-X, --request <method>", "method; GET, or POST with -d")
    .option("-H, --header <line>", 'header such as "Accept: text/csv"; may be repeated', collect)
    .option("-d, --data <text>", "body; @file reads a file, @- standard input", collect)
    .option("--max-amount <USDC>", `most that may be paid (default ${perCallDefault})`)
    .option("--network <name>", "pay on this network only: xdc, xdc-apothem or eip155:50")
    .option("--request-id <id>", "name of this request; with it, a repeat cannot charge twice")
    .option("--wallet-contract <address>", "pay from this ERC-1271 wallet; the key is its owner's")
    .addOption(
      new Option("--rpc-url <url>", "node to ask for the balance first").env("FARTHING_RPC_URL"),
    )
    .addOption(new Option("--prefer <version>", "version to pay").choices(["v2", "v1"]))
    .option("--dry-run", "print every check with its verdict and sign nothing")
    .option("--json", "print one JSON object: status, body, payment, receipt")
    .option("-i, --include", "print the response headers before the body")
    .option("-o, --output <file>", "write the body to a file")
    .option("-m, --max-time <seconds>", "give up after so many seconds")
    .option("-f, --fail", "exit with 1 when the answer is 400 or above")
    .addHelpText("after", helpText())
    .action(async (url: string, flags: Flags) => {
      process.exitCode = await pay(url, flags);
    });
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

function helpText(): string {
  const codes = payExitCodes.map(([code, text]) => `  ${String(code).padStart(3)}  ${text}`);
  return `
The wallet's private key is read from FARTHING_WALLET_KEY, or from the file that
FARTHING_WALLET_KEY_FILE names; never from an argument. --dry-run needs none.

Standard output is the response body and nothing else (with --json one object, with
--dry-run the report); what happens to the payment is on standard error.

--max-amount is the limit of this one run. Runs do not know of each other: there is no
limit per day, and a seller's payee is not remembered. With the same --request-id, method,
URL, body and price a second run signs the same nonce, and the token takes it only once.

Exit codes:
${codes.join("\n")}
`;
}

async function pay(url: string, flags: Flags): Promise<ExitCode> {
  const stop = stopSignals();
  // What the money does, as far as this run has seen.
  const seen: Seen = { isSigned: false };
  try {
    const request = buildRequest(url, flags);
    stop.after(readSeconds(flags.maxTime));
    const wrapped = await createPayer(flags, seen);
    if (flags.dryRun === true) return await dryRun(wrapped, request, flags, stop.signal);
    const response = await wrapped(request.url, {
      ...requestInit(request, stop.signal),
      // Always named: the nonce follows from the name, so that the name this run prints cannot be
      // charged a second time by another run.
      payment: { requestId: flags.requestId ?? newRequestId() },
    });
    seen.payment = response.payment;
    return await showAnswer(response, flags);
  } catch (error) {
    const exitCode = exitOfError(error, seen, stop.signal);
    return showFailure(failureOf(error, exitCode, codeOf(error), seen), flags);
  } finally {
    stop.end();
  }
}

async function createPayer(flags: Flags, seen: Seen): Promise<PayingFetch> {
  const { maxAmount = perCallDefault, network, rpcUrl, prefer } = flags;
  if (network !== undefined && !findNetwork(network)) {
    throw new UsageError("--network is xdc, xdc-apothem, eip155:50 or eip155:51.");
  }
  // No limit per day: it would be forgotten with this process, and promise what it cannot keep.
  const limits = { perCall: maxAmount, perDay: false } as const;
  try {
    parseLimits(limits);
  } catch {
    throw new UsageError("--max-amount is an amount in USDC, such as 0.05.");
  }
  const isReadOnly = flags.dryRun === true;
  const { signer, nonceSecret } = await readWallet(process.env, flags.walletContract, isReadOnly);
  const hasPayer = nonceSecret !== undefined || flags.walletContract !== undefined;
  return wrapFetch(fetch, {
    signer,
    limits,
    onEvent: ({ type }) => {
      if (type === "signed") seen.isSigned = true;
    },
    ...(nonceSecret === undefined ? {} : { nonceSecret }),
    ...(network === undefined ? {} : { allow: { networks: [network] } }),
    ...(rpcUrl === undefined || !hasPayer ? {} : { rpcUrl }),
    ...(prefer === undefined ? {} : { prefer }),
  });
}

function requestInit({ method, headers, body }: BuiltRequest, signal: AbortSignal): RequestInit {
  return { method, headers, signal, ...(body === undefined ? {} : { body }) };
}

async function dryRun(
  wrapped: PayingFetch,
  request: BuiltRequest,
  flags: Flags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const answer = await wrapped.quote(request.url, requestInit(request, signal));
  if (!answer.isRequired) {
    const { status } = answer.response;
    await answer.response.body?.cancel();
    const exitCode = exitCodes.success;
    const object = { dryRun: true, status, paymentStatus: "not_required", exitCode };
    const text = `${status} from ${request.url}: no payment is asked for.\n`;
    process.stdout.write(flags.json === true ? `${JSON.stringify(object)}\n` : text);
    return exitCode;
  }
  const { quotation } = answer;
  const exitCode = quotation.refusal ? exitOfRefusal(quotation.refusal.code) : exitCodes.success;
  const object = () => `${JSON.stringify(dryRunObject(quotation, exitCode))}\n`;
  process.stdout.write(flags.json === true ? object() : dryRunText(quotation, request.url));
  return exitCode;
}

async function showAnswer(response: PaidResponse, flags: Flags): Promise<ExitCode> {
  const { payment } = response;
  const exitCode = exitOfAnswer(response.status, payment, flags.fail === true);
  if (flags.json !== true) {
    // Said before the body: whoever stops a long body knows what was paid.
    process.stderr.write(paymentLine(payment, process.stderr.isTTY));
    await writeBody(response, flags);
    return exitCode;
  }
  const body = new Uint8Array(await response.arrayBuffer());
  const { output } = flags;
  if (output !== undefined) await pipeline(Readable.from([body]), createWriteStream(output));
  const shown = output === undefined ? body : undefined;
  const more = { exitCode, ...(output === undefined ? {} : { output }) };
  process.stdout.write(`${JSON.stringify(answerObject(response, payment, shown, more))}\n`);
  return exitCode;
}

async function writeBody(response: Response, flags: Flags): Promise<void> {
  const target = flags.output === undefined ? process.stdout : createWriteStream(flags.output);
  if (flags.include === true) {
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    target.write([`HTTP ${response.status} ${response.statusText}`, ...lines, "", ""].join("\r\n"));
  }
  const chunks: AsyncIterable<Uint8Array> | Uint8Array[] = response.body ?? [];
  // Standard output stays open: it is the process's, not the body's.
  await pipeline(Readable.from(chunks), target, { end: target !== process.stdout });
}

function showFailure(failure: Failure, flags: Flags): ExitCode {
  if (flags.json === true) process.stdout.write(`${JSON.stringify(failureObject(failure))}\n`);
  else process.stderr.write(failureLine(failure, process.stderr.isTTY));
  return failure.exitCode;
}

function exitOfError(error: unknown, seen: Seen, signal: AbortSignal): ExitCode {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof ConfigurationError) return exitCodes.configuration;
  if (signal.reason instanceof Interruption) return exitCodes.interrupted;
  if (error instanceof PaymentError && error.problem.payment_state === "unused") {
    return exitOfRefusal(error.code);
  }
  // The answer was there and its body broke off: the payment is as it was before.
  if (seen.payment?.state === "settled") return exitCodes.general;
  if (seen.isSigned || error instanceof PaymentError) return exitCodes.paymentOpen;
  if (signal.aborted) return exitCodes.timeout;
  // fetch throws a TypeError for whatever the network did.
  return error instanceof TypeError ? exitCodes.network : exitCodes.general;
}

function codeOf(error: unknown): string {
  if (error instanceof UsageError) return "usage";
  if (error instanceof ConfigurationError) return "configuration";
  if (error instanceof Interruption) return "interrupted";
  if (error instanceof OutOfTime) return "timeout";
  return error instanceof TypeError ? "network" : "error";
}

class Interruption extends Error {
  override readonly name = "Interruption";
}

class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds > 0) return seconds;
  throw new UsageError("--max-time is a number of seconds above 0.");
}

/** One signal for Ctrl+C and for --max-time; a second Ctrl+C ends the process at once. */
function stopSignals() {
  const controller = new AbortController();
  const onInterrupt = () => controller.abort(new Interruption("Interrupted."));
  let timer: NodeJS.Timeout | undefined;
  process.once("SIGINT", onInterrupt);
  return {
    signal: controller.signal,
    after(seconds: number | undefined) {
      if (seconds === undefined) return;
      const expire = () => controller.abort(new OutOfTime(`No answer within ${seconds} s.`));
      timer = setTimeout(expire, seconds * 1000);
    },
    end() {
      clearTimeout(timer);
      process.off("SIGINT", onInterrupt);
    },
  };
}

/** Random bytes of a request id: two runs never name the same by chance. */
const requestIdBytes = 16;

function newRequestId(): string {
  return `req_${randomBytes(requestIdBytes).toString("hex")}`;
}
