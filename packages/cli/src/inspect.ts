/** `farthing inspect <url>`: what a request would cost and every check of it; nothing is signed. */
import type { Command } from "commander";
import type { ExitCode } from "./exit-codes.ts";
import { addRequestFlags, buildRequest, type RequestFlags } from "./pay-request.ts";
import { showQuote } from "./pay.ts";
import { addTermsFlags, createPayer, type PayerFlags } from "./payer.ts";
import { addPrintFlags, isJsonWanted, type PrintFlags } from "./print-output.ts";
import { showError } from "./response-output.ts";
import { readSeconds, stopSignals } from "./stop-signals.ts";

interface Flags extends RequestFlags, PayerFlags, PrintFlags {
  readonly maxTime?: string;
}

export function register(program: Command): void {
  const command = program
    .command("inspect")
    .description(
      "Requests a URL without paying and shows every offer of its 402, the verdict of each check, and the one that would be paid. Signs nothing and needs no wallet; with one, its limits, pins and balance are looked at too.",
    );
  addTermsFlags(addRequestFlags(command)).option(
    "-m, --max-time <seconds>",
    "give up after so many seconds",
  );
  addPrintFlags(command).action(async (url: string, flags: Flags) => {
    process.exitCode = await inspect(url, flags);
  });
}

async function inspect(url: string, flags: Flags): Promise<ExitCode> {
  const isJson = isJsonWanted(flags);
  const stop = stopSignals();
  try {
    const request = buildRequest(url, flags);
    stop.after(readSeconds(flags.maxTime));
    return await showQuote(await createPayer(flags, true), request, stop.signal, isJson);
  } catch (error) {
    return showError(error, { json: isJson }, { isSigned: false }, stop.signal);
  } finally {
    stop.end();
  }
}
