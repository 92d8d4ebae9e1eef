/** `farthing ledger resume`: sends a payment that exists again, and shows the answer. */
import { fileLedger } from "@farthing/buyer/file-ledger";
import { writeTo } from "@farthing/protocol";
import { ledgerPath } from "./buyer-settings.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Seen } from "./payment-report.ts";
import { joinData, readHeaders } from "./pay-request.ts";
import { createResumer } from "./payer.ts";
import { showAnswer, showError, type AnswerFlags } from "./response-output.ts";
import { readSeconds, stopSignals } from "./stop-signals.ts";

export interface ResumeFlags extends AnswerFlags {
  readonly header?: readonly string[];
  readonly data?: readonly string[];
  readonly rpcUrl?: string;
  readonly maxTime?: string;
}

/** Resumes payments, prints the outcome and returns the exit code. */
export async function resumePayment(id: string, flags: ResumeFlags): Promise<ExitCode> {
  const stop = stopSignals();
  const seen: Seen = { isSigned: false };
  try {
    stop.after(readSeconds(flags.maxTime));
    const headers = readHeaders(flags.header ?? []);
    const record = await fileLedger(ledgerPath(process.env)).find(id);
    seen.isSigned = record?.signed !== undefined;
    const missing = (record?.request?.headersLeftOut ?? []).filter((name) => !headers.has(name));
    if (missing.length > 0) {
      writeTo(process.stderr, `not kept, give with -H if needed: ${missing.join(", ")}\n`);
    }
    const response = await createResumer(flags).resume(id, {
      headers,
      signal: stop.signal,
      ...(flags.data === undefined ? {} : { body: joinData(flags.data) }),
    });
    seen.payment = response.payment;
    return await showAnswer(response, flags);
  } catch (error) {
    return showError(error, flags, seen, stop.signal);
  } finally {
    stop.end();
  }
}
