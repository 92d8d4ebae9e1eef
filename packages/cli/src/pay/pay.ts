/** `farthing pay <url>`: one request like curl's, whose 402 is paid within the limits. */
import { randomBytes } from "node:crypto";
import type { PayingFetch } from "@farthing/buyer";
import { printableJson, writeTo } from "@farthing/protocol";
import type { Command } from "commander";
import { dryRunObject, dryRunText, quoteText } from "./dry-run-report.ts";
import { exitCodes, exitOfRefusal, payExitCodes, type ExitCode } from "../command/exit-codes.ts";
import {
  addRequestFlags,
  buildRequest,
  type BuiltRequest,
  type RequestFlags,
} from "./pay-request.ts";
import { addTermsFlags, channelsOption, createPayer, type PayerFlags } from "./payer.ts";
import { raiseInRun, raiseLine, type RunLimit } from "../command/limit-table.ts";
import type { PaymentProgress } from "../output/payment-report.ts";
import { isJsonWanted, type PrintFlags } from "../output/print-output.ts";
import {
  addResponseFlags,
  demandWritable,
  showResponse,
  type ResponseFlags,
} from "./response-output.ts";
import { runRequest } from "../command/run-command.ts";
import { startWaiting, whileWaiting } from "../output/waiting.ts";

interface Flags extends RequestFlags, PayerFlags, ResponseFlags {
  readonly requestId?: string;
  readonly dryRun?: boolean;
}

export function register(program: Command): void {
  const command = program
    .command("pay")
    .description(
      "Requests a URL and, when it answers 402, pays in USDC on XDC and requests it again. Nothing is signed above the limits; one run never signs twice.",
    );
  addTermsFlags(addRequestFlags(command))
    .option("--password-stdin", "read the keystore's password from standard input")
    .option("--request-id <id>", "id of this request; a repeat with it cannot charge twice")
    .option("--accept-payee <address>", "pay this payee although the host was paid at another one")
    .option("--confirm", "ask on the terminal before paying")
    .addOption(channelsOption())
    .option("--dry-run", "print every check with its result and sign nothing");
  addResponseFlags(command).addHelpText("after", helpText()).action(pay);
}

function helpText(): string {
  const codes = payExitCodes.map(([code, text]) => `  ${String(code).padStart(3)}  ${text}`);
  return `
The wallet is a keystore (--wallet, FARTHING_WALLET, or the one of
\`farthing wallet use\`), or a private key in FARTHING_WALLET_KEY or in the file
that FARTHING_WALLET_KEY_FILE names. Neither a key nor a password is ever an
argument. --dry-run needs no wallet.

Standard output is the response body and nothing else (with --json one object,
with --dry-run the report). The state of the payment is printed on standard
error.

Every payment is recorded in a ledger that all runs share: it enforces the
limits per call and in 24 hours, the number of payments without an outcome, and
the payee of each host; see \`farthing ledger limits\`. With the same
--request-id, method, URL and body a second run sends the existing payment
instead of signing another.

Exit codes:
${codes.join("\n")}`;
}

function pay(url: string, flags: Flags): Promise<void> {
  const progress: PaymentProgress = { isSigned: false };
  const isDryRun = flags.dryRun === true;
  const prepare = () => {
    demandWritable(flags);
    return buildRequest(url, flags);
  };
  return runRequest(flags, progress, prepare, async (request, signal) => {
    const payingFetch = await createPayer(flags, isDryRun, progress);
    if (isDryRun) return showQuote(payingFetch, request, signal, { ...flags, all: true });
    progress.waiting = startWaiting(
      `Waiting for ${new URL(request.url).host}`,
      !isJsonWanted(flags),
    );
    try {
      const response = await payingFetch(request.url, {
        ...requestInit(request, signal),
        // Always set, so that the payment can be resumed by the id that this run prints.
        payment: { requestId: flags.requestId ?? `req_${randomBytes(16).toString("hex")}` },
      });
      progress.payment = response.payment;
      progress.waiting.end();
      return await showResponse(response, flags);
    } finally {
      progress.waiting.end();
    }
  });
}

function requestInit({ method, headers, body }: BuiltRequest, signal: AbortSignal): RequestInit {
  return { method, headers, signal, ...(body === undefined ? {} : { body }) };
}

export interface QuoteFlags extends PrintFlags, RunLimit {
  /** Every offer with every check. */
  readonly all?: boolean;
}

/** Prints what a request would cost; signs nothing. */
export async function showQuote(
  payingFetch: PayingFetch,
  request: BuiltRequest,
  signal: AbortSignal,
  flags: QuoteFlags,
): Promise<ExitCode> {
  const answer = await whileWaiting(`Waiting for ${new URL(request.url).host}`, () =>
    payingFetch.quote(request.url, requestInit(request, signal)),
  );
  if (!answer.isRequired) {
    const { status } = answer.response;
    await answer.response.body?.cancel();
    const exitCode = exitCodes.success;
    const object = { dryRun: true, status, paymentStatus: "not_required", exitCode };
    const text = `${status} from ${request.url}: no payment required.\n`;
    writeTo(process.stdout, isJsonWanted(flags) ? `${printableJson(object)}\n` : text);
    return exitCode;
  }
  const { quotation } = answer;
  const exitCode = quotation.refusal ? exitOfRefusal(quotation.refusal.code) : exitCodes.success;
  const describe = flags.all === true ? dryRunText : quoteText;
  const raise = raiseInRun(quotation.refusal?.raise, flags);
  const text = isJsonWanted(flags)
    ? `${printableJson(dryRunObject(quotation, exitCode, raise))}\n`
    : `${describe(quotation, request.url)}${raiseLine(raise)}`;
  writeTo(process.stdout, text);
  return exitCode;
}
