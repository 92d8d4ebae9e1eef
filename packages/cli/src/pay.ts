/** `farthing pay <url>`: one request like curl's, and the 402 paid within the limits. */
import { randomBytes } from "node:crypto";
import type { PayingFetch } from "@farthing/buyer";
import { printableJson, writeTo } from "@farthing/protocol";
import type { Command } from "commander";
import { dryRunObject, dryRunText } from "./dry-run-report.ts";
import { exitCodes, exitOfRefusal, payExitCodes, type ExitCode } from "./exit-codes.ts";
import type { Seen } from "./payment-report.ts";
import {
  addRequestFlags,
  buildRequest,
  type BuiltRequest,
  type RequestFlags,
} from "./pay-request.ts";
import { addTermsFlags, createPayer, type PayerFlags } from "./payer.ts";
import { showAnswer, showError, type AnswerFlags } from "./response-output.ts";
import { readSeconds, stopSignals } from "./stop-signals.ts";

interface Flags extends RequestFlags, PayerFlags, AnswerFlags {
  readonly requestId?: string;
  readonly dryRun?: boolean;
  readonly maxTime?: string;
}

export function register(program: Command): void {
  const command = program
    .command("pay")
    .description(
      "Requests a URL and, when it answers 402, pays in USDC on XDC and requests it again. Nothing is signed above the limits; one run never signs twice.",
    );
  addTermsFlags(addRequestFlags(command))
    .option("--password-stdin", "read the keystore's password from standard input")
    .option("--request-id <id>", "name of this request; with it, a repeat cannot charge twice")
    .option(
      "--accept-payee <address>",
      "pay this payee although the host was paid at another before",
    )
    .option("--confirm", "ask on the terminal before paying")
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

function helpText(): string {
  const codes = payExitCodes.map(([code, text]) => `  ${String(code).padStart(3)}  ${text}`);
  return `
The wallet is a keystore (--wallet, FARTHING_WALLET, or the one of \`farthing wallet use\`), or a
private key in FARTHING_WALLET_KEY or in the file that FARTHING_WALLET_KEY_FILE names; neither a
key nor a password is ever an argument. --dry-run needs none.

Standard output is the response body and nothing else (with --json one object, with
--dry-run the report); what happens to the payment is on standard error.

Every payment is recorded in a ledger, shared by all runs: the limits per call and in 24 hours,
the number of payments without an outcome, and the payee of a host hold across them; see
\`farthing ledger limits\`. With the same --request-id, method, URL and body a second run sends
the payment that exists instead of signing another.

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
    const wrapped = await createPayer(flags, flags.dryRun === true, seen);
    if (flags.dryRun === true) {
      return await showQuote(wrapped, request, stop.signal, flags.json === true);
    }
    const response = await wrapped(request.url, {
      ...requestInit(request, stop.signal),
      // Always named, so that the name this run prints is one that it can be resumed by.
      payment: { requestId: flags.requestId ?? newRequestId() },
    });
    seen.payment = response.payment;
    return await showAnswer(response, flags);
  } catch (error) {
    return showError(error, flags, seen, stop.signal);
  } finally {
    stop.end();
  }
}

function requestInit({ method, headers, body }: BuiltRequest, signal: AbortSignal): RequestInit {
  return { method, headers, signal, ...(body === undefined ? {} : { body }) };
}

/** Prints what a request would cost, with every check; signs nothing. */
export async function showQuote(
  wrapped: PayingFetch,
  request: BuiltRequest,
  signal: AbortSignal,
  isJson: boolean,
): Promise<ExitCode> {
  const answer = await wrapped.quote(request.url, requestInit(request, signal));
  if (!answer.isRequired) {
    const { status } = answer.response;
    await answer.response.body?.cancel();
    const exitCode = exitCodes.success;
    const object = { dryRun: true, status, paymentStatus: "not_required", exitCode };
    const text = `${status} from ${request.url}: no payment is asked for.\n`;
    writeTo(process.stdout, isJson ? `${printableJson(object)}\n` : text);
    return exitCode;
  }
  const { quotation } = answer;
  const exitCode = quotation.refusal ? exitOfRefusal(quotation.refusal.code) : exitCodes.success;
  const object = () => `${printableJson(dryRunObject(quotation, exitCode))}\n`;
  writeTo(process.stdout, isJson ? object() : dryRunText(quotation, request.url));
  return exitCode;
}

/** Random bytes of a request id: two runs never name the same by chance. */
const requestIdBytes = 16;

function newRequestId(): string {
  return `req_${randomBytes(requestIdBytes).toString("hex")}`;
}
