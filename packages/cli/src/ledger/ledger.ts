/** `farthing ledger`: the payments of every run on this machine, and their limits. */
import { openStates } from "@farthing/buyer";
import { writeTo } from "@farthing/protocol";
import type { Command } from "commander";
import { openLedger } from "../input/buyer-settings.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { setLimits, showLimits, type LimitFlags } from "./ledger-limits.ts";
import { readLedgerRefunds, refundCell, refundMembers } from "./ledger-refunds.ts";
import { recordLayout, recordObject, recordRow } from "./ledger-report.ts";
import { collect, joinData, readHeaders, type RequestFlags } from "../pay/pay-request.ts";
import { createResumer } from "../pay/payer.ts";
import type { PaymentProgress } from "../output/payment-report.ts";
import { addPrintFlags, printList, printOne, type PrintFlags } from "../output/print-output.ts";
import {
  addResponseFlags,
  demandWritable,
  showResponse,
  type ResponseFlags,
} from "../pay/response-output.ts";
import { demandNode, rpcOption, type NodeFlags } from "../input/rpc-node.ts";
import { runCommand, runRequest } from "../command/run-command.ts";
import { whileWaiting } from "../output/waiting.ts";

export function register(program: Command): void {
  const ledger = program
    .command("ledger")
    .description(
      "Shows and settles the payments of this machine. They are stored in the file that FARTHING_LEDGER names, or in ~/.config/farthing/ledger.jsonl.",
    );
  addPrintFlags(ledger.command("list"))
    .description("list payments, the oldest first")
    .option("--open", "only payments without an outcome")
    .option("--refunds", "read from the chain how much of each payment was refunded")
    .addOption(rpcOption("node to ask for refunds"))
    .action((flags: ListFlags) => runCommand(() => list(flags)));
  addPrintFlags(ledger.command("show"))
    .description("show one payment")
    .argument("<request-id>")
    .action((id: string, flags: PrintFlags) => runCommand(() => show(id, flags)));
  const resume = ledger
    .command("resume")
    .description(
      "send a payment again, byte for byte, and print the response as `farthing pay` does; needs no wallet",
    )
    .argument("<request-id>")
    .option("-H, --header <line>", "header that the ledger does not keep; may be repeated", collect)
    .option("-d, --data <text>", "the body, when it was longer than the ledger keeps", collect)
    .addOption(rpcOption("node to ask for the outcome of an expired payment"));
  addResponseFlags(resume).action(resumePayment);
  addPrintFlags(ledger.command("reconcile"))
    .description("look up the outcome of open payments, or of one, on the chain")
    .argument("[request-id]")
    .addOption(rpcOption("node to ask"))
    .action((id: string | undefined, flags: PrintFlags & NodeFlags) =>
      runCommand(() => reconcile(id, flags)),
    );
  registerLimits(ledger);
}

function registerLimits(ledger: Command): void {
  const limits = addPrintFlags(ledger.command("limits"))
    .description("show the limits and how much of them is used")
    .action((flags: PrintFlags) => runCommand(() => showLimits(flags)));
  limits
    .command("set")
    .description(
      "change the limits of this machine; FARTHING_LIMIT_*, FARTHING_ALLOW_*, FARTHING_CHANNELS* and FARTHING_DEPOSIT_* take precedence",
    )
    .option("--per-call <USDC>", "maximum of one payment")
    .option("--per-day <USDC>", "maximum in any 24 hours for one wallet and network, or none")
    .option("--open-payments <count>", "maximum of payments without an outcome, at all hosts")
    .option("--open-per-host <count>", "maximum of payments without an outcome at one host")
    .option("--channels <when>", "when a payment opens a channel: auto, always or never")
    .option("--channels-after <count>", "with auto: after so many payments to a seller in an hour")
    .option("--deposit-per-seller <USDC>", "maximum that a seller may hold in a channel")
    .option("--deposit-total <USDC>", "maximum that all sellers may hold in channels")
    .option("--hosts <list>", "pay only these hosts, separated by commas; none for all")
    .option("--payees <list>", "pay only these addresses, separated by commas; none for all")
    .action((flags: LimitFlags) => runCommand(() => setLimits(flags)));
}

interface ListFlags extends PrintFlags, NodeFlags {
  readonly open?: boolean;
  readonly refunds?: boolean;
}

async function list(flags: ListFlags): Promise<ExitCode> {
  const isAsked = flags.refunds === true;
  const rpcUrl = isAsked ? demandNode(flags) : undefined;
  const records = await openLedger().list(flags.open === true ? openStates : undefined);
  const found = isAsked
    ? await whileWaiting("Asking the chain for refunds", () => readLedgerRefunds(records, rpcUrl))
    : undefined;
  const objects = records.map((record) => {
    return { ...recordObject(record), ...refundMembers(found?.get(record.requestId)) };
  });
  const rows = records.map((record) => {
    const refunded = found && { refunded: refundCell(found.get(record.requestId)) };
    return { ...recordRow(record), ...refunded };
  });
  printList(objects, rows, "No payments.", flags, recordLayout);
  const reasons = [...(found?.values() ?? [])].flatMap((outcome) =>
    outcome.state === "unknown" ? [outcome.reason] : [],
  );
  for (const reason of new Set(reasons)) console.error(`refunds unknown: ${reason}`);
  return reasons.length === 0 ? exitCodes.success : exitCodes.network;
}

async function show(id: string, flags: PrintFlags): Promise<ExitCode> {
  const record = await openLedger().find(id);
  if (!record) return noSuchPayment(id);
  printOne(recordObject(record), flags);
  return exitCodes.success;
}

function noSuchPayment(id: string): ExitCode {
  console.error(`There is no payment ${id}. List payments with: farthing ledger list`);
  return exitCodes.notFound;
}

type ResumeFlags = ResponseFlags & NodeFlags & Pick<RequestFlags, "header" | "data">;

function resumePayment(id: string, flags: ResumeFlags): Promise<void> {
  const progress: PaymentProgress = { isSigned: false };
  const prepare = () => {
    demandWritable(flags);
    return readHeaders(flags.header ?? []);
  };
  return runRequest(flags, progress, prepare, async (headers, signal) => {
    const record = await openLedger().find(id);
    progress.isSigned = record?.signed !== undefined;
    const missing = (record?.request?.headersLeftOut ?? []).filter((name) => !headers.has(name));
    if (missing.length > 0) {
      writeTo(process.stderr, `not kept, pass with -H if needed: ${missing.join(", ")}\n`);
    }
    const body = flags.data === undefined ? {} : { body: joinData(flags.data) };
    const resumer = createResumer(flags);
    const response = await whileWaiting(`Sending the payment ${id} again`, () =>
      resumer.resume(id, { headers, signal, ...body }),
    );
    progress.payment = response.payment;
    return showResponse(response, flags);
  });
}

async function reconcile(id: string | undefined, flags: PrintFlags & NodeFlags): Promise<ExitCode> {
  demandNode(flags);
  const outcomes = await whileWaiting("Asking the chain for open payments", () =>
    createResumer(flags).reconcile(id),
  );
  if (id !== undefined && outcomes.length === 0) return noSuchPayment(id);
  const objects = outcomes.map(({ record, ...rest }) => ({ ...rest, ...recordObject(record) }));
  const rows = outcomes.map(({ record: { requestId, transaction }, outcome, reason }) => {
    return { request: requestId, outcome, reason, transaction };
  });
  printList(objects, rows, "No payment is open.", flags, {
    wide: ["transaction"],
    whole: ["request"],
  });
  const isOpen = outcomes.some(({ outcome }) => outcome === "open");
  return isOpen ? exitCodes.paymentOpen : exitCodes.success;
}
