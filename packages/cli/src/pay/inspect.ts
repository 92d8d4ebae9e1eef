/** `farthing inspect <url>`: what a request would cost, with every check; nothing is signed. */
import type { Command } from "commander";
import { addRequestFlags, buildRequest, type RequestFlags } from "./pay-request.ts";
import { showQuote, type QuoteFlags } from "./pay.ts";
import { addTermsFlags, createPayer, type PayerFlags } from "./payer.ts";
import { addPrintFlags } from "../output/print-output.ts";
import { runRequest } from "../command/run-command.ts";

interface Flags extends RequestFlags, PayerFlags, QuoteFlags {
  readonly maxTime?: string;
}

export function register(program: Command): void {
  const command = program
    .command("inspect")
    .description(
      "Requests a URL without paying and shows what it costs, and whether `farthing pay` would pay it. Signs nothing and needs no wallet; with one, its limits, pinned payees and balance are checked too.",
    );
  addTermsFlags(addRequestFlags(command))
    .option("-m, --max-time <seconds>", "give up after this many seconds")
    .option("--all", "show every offer of the 402 and the result of each check");
  addPrintFlags(command).action((url: string, flags: Flags) => {
    const prepare = () => buildRequest(url, flags);
    return runRequest(flags, { isSigned: false }, prepare, async (request, signal) =>
      showQuote(await createPayer(flags, true), request, signal, flags),
    );
  });
}
