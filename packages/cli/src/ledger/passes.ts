/** `farthing passes`: what sellers gave with a payment, for later requests. */
import type { HeardToken, LedgerRecord } from "@farthing/buyer";
import { defined, formatUsdc } from "@farthing/protocol";
import type { Command } from "commander";
import { openLedger } from "../input/buyer-settings.ts";
import { timeOf } from "./ledger-report.ts";
import { addPrintFlags, printList, type PrintFlags } from "../output/print-output.ts";
import { runCommand } from "../command/run-command.ts";

export function register(program: Command): void {
  const passes = program
    .command("passes")
    .description(
      "Shows the passes of this machine's ledger. `farthing pay` uses them by itself, at the address that sold them.",
    );
  addPrintFlags(passes.command("list"))
    .description("list passes that have not expired with what is left of them, the oldest first")
    .action((flags: PrintFlags) => runCommand(() => list(flags)));
}

async function list(flags: PrintFlags): Promise<void> {
  const ledger = openLedger();
  const heard = (await ledger.listHeard?.()) ?? [];
  const bought = (await ledger.list()).flatMap(passOf);
  const passes = withSignedIn(bought, heard).filter(
    ({ expiresAt }) => Date.parse(expiresAt) > Date.now(),
  );
  const rows = passes.map(
    ({ requestId: request, url, amountUsdc: usdc, remaining: usesLeft, ...pass }) => {
      return { usesLeft, expires: pass.expiresAt, usdc, url, request };
    },
  );
  printList(passes, rows, "No passes.", flags, { wide: ["request"], whole: ["usdc"] });
}

interface ListedPass {
  readonly id: string;
  /** The request that bought it; absent where the wallet has signed in for one bought elsewhere. */
  readonly requestId?: string;
  readonly url: string;
  readonly amountUsdc?: string;
  readonly boughtAt?: string;
  /** Uses left when the seller last spoke of it; absent where they never said. */
  readonly remaining?: number;
  readonly expiresAt: string;
}

/** Without the token, which anyone could use. */
function passOf({
  requestId,
  signed,
  answer,
  amountUnits,
  reservedAt,
}: LedgerRecord): ListedPass[] {
  if (!answer?.pass || !signed) return [];
  const { token, expiresAtMs, remaining } = answer.pass;
  const amountUsdc = formatUsdc(amountUnits);
  const sale = { requestId, url: signed.url, amountUsdc, boughtAt: timeOf(reservedAt) };
  return [{ id: idOf(token), ...sale, ...defined({ remaining }), expiresAt: timeOf(expiresAtMs) }];
}

/** The passes with what their sellers said since, and those that only a sign-in has opened. */
function withSignedIn(bought: readonly ListedPass[], heard: readonly HeardToken[]): ListedPass[] {
  const passes = new Map(bought.map((pass) => [pass.id, pass]));
  for (const { token, url, expiresAtMs, remaining } of heard) {
    if (expiresAtMs === undefined) continue;
    const id = idOf(token);
    const known = passes.get(id) ?? { id, url, expiresAt: timeOf(expiresAtMs) };
    passes.set(id, { ...known, ...defined({ remaining }) });
  }
  return [...passes.values()];
}

/** A pass keeps its id whatever token is shown for it. */
function idOf(token: string): string {
  return token.split(".")[0] ?? token;
}
