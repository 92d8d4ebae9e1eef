/** `farthing receipts`: the settled payments of this machine, for accounting and for proof. */
import type { LedgerRecord } from "@farthing/buyer";
import { formatUsdc, printableJson, writeTo } from "@farthing/protocol";
import { Option, type Command } from "commander";
import { openLedger } from "../input/buyer-settings.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { recordLayout, timeOf } from "../ledger/ledger-report.ts";
import type { Row } from "../output/table.ts";
import { addPrintFlags, printList, printOne, type PrintFlags } from "../output/print-output.ts";
import { receiptOf, receiptsCsv } from "./receipt.ts";
import { rpcOption } from "../input/rpc-node.ts";
import { runCommand } from "../command/run-command.ts";
import { verifyReceipt, type VerifyFlags } from "./verify-receipt.ts";

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
    .summary("compare a receipt with the chain and with its signatures")
    .description(
      "Compares a receipt with the chain, its attestation with a facilitator's keys, and the seller's signatures with the seller. The verdict is valid, attested, signed, not_final, mismatch, or unknown when no node can tell.",
    )
    .argument(
      "<receipt>",
      "id of a request, or a file with a receipt as JSON or with an attestation",
    )
    .option(
      "--jwks <keys>",
      "keys of the facilitator that you trust: a file, or https://facilitator.example",
    )
    .option(
      "--seller <seller>",
      "the seller that you trust, for signed offers and receipts: an address, or a URL or file with keys (default: the payee)",
    )
    .addOption(rpcOption("node to ask"))
    .action((name: string, flags: VerifyFlags) => runCommand(() => verifyReceipt(name, flags)));
}

function settledRecords() {
  return openLedger().list(["settled"]);
}

async function list(flags: PrintFlags): Promise<void> {
  const records = await settledRecords();
  const rows = records.map(receiptRow);
  printList(records.map(receiptOf), rows, "No receipts.", flags, recordLayout);
}

/** What was bought and which transfer paid for it; the ledger's list says how far payments are. */
function receiptRow(record: LedgerRecord): Row {
  const { requestId: request, amountUnits, signed, transaction } = record;
  const url = record.request?.url ?? signed?.url;
  const bought = url === undefined ? record.host : url.replace(/^https?:\/\//, "");
  const at = record.settledAt ?? record.reservedAt;
  return { settled: timeOf(at), usdc: formatUsdc(amountUnits), bought, request, transaction };
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
