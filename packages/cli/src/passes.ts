/** `farthing passes`: what sellers gave with a payment, for later requests. */
import type { LedgerRecord } from "@farthing/buyer";
import { formatUsdc } from "@farthing/protocol";
import type { Command } from "commander";
import { openLedger } from "./buyer-settings.ts";
import { timeOf } from "./ledger-report.ts";
import { addPrintFlags, printList, type PrintFlags } from "./print-output.ts";
import { runCommand } from "./run-command.ts";

export function register(program: Command): void {
  const passes = program
    .command("passes")
    .description(
      "Shows the passes of this machine's ledger. `farthing pay` uses them by itself, at the address that sold them.",
    );
  addPrintFlags(passes.command("list"))
    .description("list passes that have not expired, the oldest first")
    .action((flags: PrintFlags) => runCommand(() => list(flags)));
}

async function list(flags: PrintFlags): Promise<void> {
  const records = await openLedger().list();
  const passes = records
    .flatMap(passOf)
    .filter(({ expiresAt }) => Date.parse(expiresAt) > Date.now());
  const rows = passes.map(({ requestId: request, url, amountUsdc: usdc, expiresAt: expires }) => {
    return { request, usdc, expires, url };
  });
  printList(passes, rows, "No passes.", flags);
}

/** Without the token, which anyone could use. */
function passOf({ requestId, signed, answer, amountUnits, reservedAt }: LedgerRecord) {
  if (!answer?.pass || !signed) return [];
  const { url } = signed;
  const [id] = answer.pass.token.split(".");
  const expiresAt = timeOf(answer.pass.expiresAtMs);
  const amountUsdc = formatUsdc(amountUnits);
  return [{ id, requestId, url, amountUsdc, boughtAt: timeOf(reservedAt), expiresAt }];
}
