/** `farthing receipts`: the settled payments of this machine, for accounting and for proof. */
import { readFileSync } from "node:fs";
import { nodesOf, readOutcomeOf, type ChainOutcome } from "@farthing/buyer";
import { printableJson, writeTo } from "@farthing/protocol";
import { Option, type Command } from "commander";
import { openLedger } from "./buyer-settings.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { recordRow } from "./ledger-report.ts";
import { addPrintFlags, printList, printOne, type PrintFlags } from "./print-output.ts";
import { readClaim, receiptOf, receiptsCsv, type ReceiptClaim } from "./receipt.ts";
import { demandNode, rpcOption, type NodeFlags } from "./rpc-node.ts";
import { runCommand } from "./run-command.ts";

export function register(program: Command): void {
  const receipts = program
    .command("receipts")
    .description(
      "Prints and verifies one receipt for each settled payment of this machine's ledger; the newest ten thousand are kept.",
    );
  addPrintFlags(receipts.command("list"))
    .description("list receipts, the oldest first")
    .action((flags: PrintFlags) => runCommand(() => list(flags)));
  addPrintFlags(receipts.command("show"))
    .description("show one receipt")
    .argument("<request-id>")
    .action((id: string, flags: PrintFlags) => runCommand(() => show(id, flags)));
  receipts
    .command("export")
    .description("print every receipt")
    .addOption(
      new Option("--format <format>", "output format").choices(["csv", "json"]).default("csv"),
    )
    .action(({ format }: { format: "csv" | "json" }) => runCommand(() => exportAll(format)));
  addPrintFlags(receipts.command("verify"))
    .description(
      "compare a receipt with the chain: valid, not_final, mismatch, or unknown when no node can tell",
    )
    .argument("<request-id or file>", "a receipt of the ledger, or a file with one as JSON")
    .addOption(rpcOption("node to ask"))
    .action((name: string, flags: PrintFlags & NodeFlags) => runCommand(() => verify(name, flags)));
}

function settledRecords() {
  return openLedger().list(["settled"]);
}

async function list(flags: PrintFlags): Promise<void> {
  const records = await settledRecords();
  const rows = records.map((record) => ({ ...recordRow(record), transaction: record.transaction }));
  printList(records.map(receiptOf), rows, "No receipts.", flags);
}

async function show(id: string, flags: PrintFlags): Promise<ExitCode> {
  const record = await openLedger().find(id);
  if (record?.state !== "settled") {
    console.error(`There is no receipt ${id}. List receipts with: farthing receipts list`);
    return exitCodes.notFound;
  }
  printOne(receiptOf(record), flags);
  return exitCodes.success;
}

async function exportAll(format: "csv" | "json"): Promise<void> {
  const receipts = (await settledRecords()).map(receiptOf);
  const text = format === "csv" ? receiptsCsv(receipts) : `${printableJson(receipts, 2)}\n`;
  writeTo(process.stdout, text);
}

async function verify(name: string, flags: PrintFlags & NodeFlags): Promise<ExitCode> {
  const nodes = nodesOf(demandNode(flags));
  const claim = await findClaim(name);
  if (!claim) {
    console.error(`${name} is neither a receipt of the ledger nor a file that holds one.`);
    return exitCodes.notFound;
  }
  const outcome = await readOutcomeOf(fetch, nodes(claim.network), claim);
  const { verdict, reason } = compare(claim, outcome);
  printOne({ receipt: name, verdict, reason, transaction: claim.transaction }, flags);
  return exitOfVerdict[verdict];
}

async function findClaim(name: string): Promise<ReceiptClaim | undefined> {
  const record = await openLedger().find(name);
  if (record) return readClaim(receiptOf(record));
  try {
    return readClaim(JSON.parse(readFileSync(name, "utf8")));
  } catch {
    return undefined;
  }
}

type Verdict = "valid" | "not_final" | "mismatch" | "unknown";

const exitOfVerdict: Readonly<Record<Verdict, ExitCode>> = {
  valid: exitCodes.success,
  not_final: exitCodes.paymentOpen,
  mismatch: exitCodes.general,
  unknown: exitCodes.network,
};

function compare(
  claim: ReceiptClaim,
  outcome: ChainOutcome,
): { readonly verdict: Verdict; readonly reason: string } {
  if (outcome.state === "unknown") {
    const verdict = outcome.isContradicted === true ? "mismatch" : "unknown";
    return { verdict, reason: outcome.reason };
  }
  if (outcome.state === "unused") return { verdict: "mismatch", reason: outcome.reason };
  const { transaction, blockNumber, isFinal } = outcome;
  if (transaction !== claim.transaction) {
    return { verdict: "mismatch", reason: `paid by another transaction, ${transaction}` };
  }
  return isFinal
    ? { verdict: "valid", reason: `paid in block ${blockNumber}, which is final` }
    : { verdict: "not_final", reason: `paid in block ${blockNumber}, which is not final yet` };
}
