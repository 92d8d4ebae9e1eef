/** `farthing balances`: money that payments have topped up at sellers, for later requests. */
import type { LedgerRecord } from "@farthing/buyer";
import { formatUsdc } from "@farthing/protocol";
import type { Command } from "commander";
import { openLedger } from "../input/buyer-settings.ts";
import { timeOf } from "./ledger-report.ts";
import { addPrintFlags, printList, type PrintFlags } from "../output/print-output.ts";
import { runCommand } from "../command/run-command.ts";

export function register(program: Command): void {
  const balances = program
    .command("balances")
    .description(
      "Shows the balances of this machine's ledger. `farthing pay` spends them by itself, at the address that they were topped up at, and says what is left.",
    );
  addPrintFlags(balances.command("list"))
    .description("list balances with what was paid into them, the oldest first")
    .action((flags: PrintFlags) => runCommand(() => list(flags)));
}

async function list(flags: PrintFlags): Promise<void> {
  const topUps = new Map<string, TopUp[]>();
  for (const topUp of (await openLedger().list()).flatMap(topUpOf)) {
    topUps.set(topUp.id, [...(topUps.get(topUp.id) ?? []), topUp]);
  }
  const balances = [...topUps].map(([id, all]) => {
    const paid = all.reduce((sum, { amountUnits }) => sum + amountUnits, 0n);
    const paidUsdc = formatUsdc(paid);
    const toppedUpAt = timeOf(Math.max(...all.map(({ reservedAt }) => reservedAt)));
    return { id, url: all[0]?.url, topUps: all.length, paidUsdc, toppedUpAt };
  });
  const rows = balances.map(({ id, paidUsdc: usdc, toppedUpAt: last, url }) => {
    return { "paid (USDC)": usdc, lastTopUp: last, url, balance: id };
  });
  printList(balances, rows, "No balances.", flags, { wide: ["balance"] });
}

interface TopUp {
  readonly id: string;
  readonly url: string;
  readonly amountUnits: bigint;
  readonly reservedAt: number;
}

/** Without the token, which anyone could use. */
function topUpOf({ signed, answer, amountUnits, reservedAt }: LedgerRecord): TopUp[] {
  if (!answer?.balance || !signed) return [];
  const [id = ""] = answer.balance.token.split(".");
  return [{ id, url: signed.url, amountUnits, reservedAt }];
}
