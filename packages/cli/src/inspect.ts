/** `farthing inspect <url>`: what a request would cost, with every check; nothing is signed. */
import type { Command } from "commander";
import { addRequestFlags, buildRequest, type RequestFlags } from "./pay-request.ts";
import { showQuote } from "./pay.ts";
import { addTermsFlags, createPayer, type PayerFlags } from "./payer.ts";
import { addPrintFlags, isJsonWanted, type PrintFlags } from "./print-output.ts";
import { runRequest } from "./run-command.ts";

interface Flags extends RequestFlags, PayerFlags, PrintFlags {
  readonly maxTime?: string;
}

export function register(program: Command): void {
  const command = program
    .command("inspect")
    .description(
      "Requests a URL without paying and shows every offer of its 402, the result of each check, and the offer that would be paid. Signs nothing and needs no wallet; with one, its limits, pinned payees and balance are checked too.",
    );
  addTermsFlags(addRequestFlags(command)).option(
    "-m, --max-time <seconds>",
    "give up after this many seconds",
  );
  addPrintFlags(command).action((url: string, flags: Flags) => {
    const json = isJsonWanted(flags);
    const prepare = () => buildRequest(url, flags);
    return runRequest({ ...flags, json }, { isSigned: false }, prepare, async (request, signal) =>
      showQuote(await createPayer(flags, true), request, signal, json),
    );
  });
}
