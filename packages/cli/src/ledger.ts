/** `farthing ledger`: what was promised and spent, by every run on this machine. */
import { openStates, type Reconciliation } from "@farthing/buyer";
import { fileLedger } from "@farthing/buyer/file-ledger";
import type { Command } from "commander";
import { ledgerPath } from "./buyer-settings.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { setLimits, showLimits, type LimitFlags } from "./ledger-limits.ts";
import { recordObject, recordRow } from "./ledger-report.ts";
import { resumePayment, type ResumeFlags } from "./ledger-resume.ts";
import { collect } from "./pay-request.ts";
import { createResumer } from "./payer.ts";
import { addPrintFlags, printList, printOne, type PrintFlags } from "./print-output.ts";
import { demandNode, rpcOption, type NodeFlags } from "./rpc-node.ts";
import { runCommand } from "./run-command.ts";

export function register(program: Command): void {
  const ledger = program
    .command("ledger")
    .description(
      "Shows and settles the payments of this machine, which stand in the file that FARTHING_LEDGER names, or in ~/.config/farthing/ledger.jsonl.",
    );
  registerReading(ledger);
  registerSettling(ledger);
  registerLimits(ledger);
}

function registerReading(ledger: Command): void {
  addPrintFlags(
    ledger
      .command("list")
      .description("list payments, the oldest first")
      .option("--open", "only those without an outcome"),
  ).action((flags: PrintFlags & { open?: boolean }) => runCommand(() => list(flags)));
  addPrintFlags(
    ledger
      .command("show")
      .description("show everything about one payment")
      .argument("<request-id>"),
  ).action((id: string, flags: PrintFlags) => runCommand(() => show(id, flags)));
}

function registerSettling(ledger: Command): void {
  ledger
    .command("resume")
    .description(
      "send a payment again, byte for byte, and print the answer as `farthing pay` does; needs no wallet",
    )
    .argument("<request-id>")
    .option("-H, --header <line>", "header that the ledger does not keep; may be repeated", collect)
    .option("-d, --data <text>", "the body, when it was longer than the ledger keeps", collect)
    .addOption(rpcOption("node to ask for the outcome of an expired payment"))
    .option("--json", "print one JSON object: status, body, payment, receipt")
    .option("-i, --include", "print the response headers before the body")
    .option("-o, --output <file>", "write the body to a file")
    .option("-m, --max-time <seconds>", "give up after so many seconds")
    .option("-f, --fail", "exit with 1 when the answer is 400 or above")
    .action(async (id: string, flags: ResumeFlags) => {
      process.exitCode = await resumePayment(id, flags);
    });
  addPrintFlags(
    ledger
      .command("reconcile")
      .description("ask the chain what became of open payments, or of one")
      .argument("[request-id]")
      .addOption(rpcOption("node to ask")),
  ).action((id: string | undefined, flags: PrintFlags & NodeFlags) =>
    runCommand(() => reconcile(id, flags)),
  );
}

function registerLimits(ledger: Command): void {
  const limits = addPrintFlags(
    ledger.command("limits").description("show the limits, and what of them is used"),
  ).action((flags: PrintFlags) => runCommand(() => showLimits(flags)));
  limits
    .command("set")
    .description(
      "change the limits of this machine; FARTHING_LIMIT_* and FARTHING_ALLOW_* go before",
    )
    .option("--per-call <USDC>", "most that one payment may cost")
    .option("--per-day <USDC>", "most in any 24 hours for one wallet and network, or none")
    .option("--open-payments <count>", "most payments without an outcome, at all hosts together")
    .option("--open-per-host <count>", "most payments without an outcome at one host")
    .option("--hosts <list>", "pay at these hosts only, separated by commas; none for all")
    .option("--payees <list>", "pay these addresses only, separated by commas; none for all")
    .action((flags: LimitFlags) => runCommand(() => setLimits(flags)));
}

async function list(flags: PrintFlags & { open?: boolean }): Promise<ExitCode> {
  const states = flags.open === true ? openStates : undefined;
  const records = await fileLedger(ledgerPath(process.env)).list(states);
  printList(records.map(recordObject), records.map(recordRow), "There are no payments.", flags);
  return exitCodes.success;
}

async function show(id: string, flags: PrintFlags): Promise<ExitCode> {
  const record = await fileLedger(ledgerPath(process.env)).find(id);
  if (!record) return noSuchPayment(id);
  printOne(recordObject(record), flags);
  return exitCodes.success;
}

function noSuchPayment(id: string): ExitCode {
  console.error(`There is no payment ${id}; see: farthing ledger list`);
  return exitCodes.notFound;
}

async function reconcile(id: string | undefined, flags: PrintFlags & NodeFlags): Promise<ExitCode> {
  demandNode(flags);
  const outcomes = await createResumer(flags).reconcile(id);
  if (id !== undefined && outcomes.length === 0) return noSuchPayment(id);
  const objects = outcomes.map(({ record, ...rest }) => ({ ...rest, ...recordObject(record) }));
  printList(objects, outcomes.map(outcomeRow), "No payment is open.", flags);
  const isOpen = outcomes.some(({ outcome }) => outcome === "open");
  return isOpen ? exitCodes.paymentOpen : exitCodes.success;
}

function outcomeRow({ record, outcome, reason }: Reconciliation) {
  const { requestId, transaction } = record;
  return { request: requestId, outcome, reason, transaction };
}
