/** `farthing conform`: tests an x402 facilitator, seller or buyer from outside, on a local chain. */
import type { Profile } from "@farthing/conform";
import { printableJson } from "@farthing/protocol";
import { InvalidArgumentError, Option, type Command } from "commander";
import { UsageError } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { runCommand } from "../command/run-command.ts";
import { addPrintFlags } from "../output/print-output.ts";
import { print, reportRun, type ReportFlags } from "./report-run.ts";

interface Flags extends ReportFlags {
  readonly only?: readonly string[];
  readonly list?: boolean;
}

interface FacilitatorFlags extends Flags {
  readonly start?: string;
  readonly base: string;
  readonly header?: Readonly<Record<string, string>>;
}

interface SellerFlags extends Flags {
  readonly start?: string;
  readonly paid: string;
}

interface BuyerFlags extends Flags {
  readonly run?: string;
}

export function register(program: Command): void {
  const conform = program
    .command("conform")
    .summary("test an x402 facilitator, seller or buyer")
    .description(
      "Tests software of any make from outside: it runs on a local chain with test money, behind a node and a wire that fail on purpose. Exit code 0: no case failed; 1: one did; 2: the command line is wrong; 3: the software could not be tested.",
    );
  addOptions(conform.command("facilitator"))
    .summary("test a facilitator")
    .description(
      "Starts a facilitator with the settings CONFORM_* in its environment, and sends it payments as sellers do.",
    )
    .option("--start <command>", "the command line that starts it, run by sh")
    .option("--base <path>", "what stands before /verify in its addresses", "")
    .option(
      "--header <line>",
      "sent with each call, such as 'Authorization: Bearer …'; may be given several times",
      readHeader,
    )
    .action((flags: FacilitatorFlags) => runCommand(() => testFacilitator(flags)));
  addOptions(conform.command("seller"))
    .summary("test a seller")
    .description(
      "Starts a seller with the settings CONFORM_* in its environment, among them the address of a facilitator, and buys from it.",
    )
    .option("--start <command>", "the command line that starts it, run by sh")
    .option("--paid <route>", "the method and path that it charges for", readRoute, "GET:/report")
    .action((flags: SellerFlags) => runCommand(() => testSeller(flags)));
  addOptions(conform.command("buyer"))
    .summary("test a client that pays")
    .description(
      "Runs a client against sellers that lose answers and change their terms. Its wallet's key and the address are in CONFORM_* of its environment.",
    )
    .option("--run <command>", "its command line, run by sh; {url} stands for the address")
    .action((flags: BuyerFlags) => runCommand(() => testBuyer(flags)));
}

function addOptions(command: Command): Command {
  return addPrintFlags(command)
    .addOption(
      new Option("--profile <name>", "the rules to test: messages, or money in faults")
        .choices(["spec", "money", "all"])
        .default("all"),
    )
    .option("--only <case>", "this case alone; may be given several times", readCase)
    .option("--list", "list the cases with their rules, without a run")
    .option("--junit <file>", "write the results as JUnit XML")
    .option("--badge <file>", "write a badge as SVG")
    .option("--log <file>", "write what the software prints, with the end of each case")
    .option("--yes", "install the local chain's program without asking, if it is missing");
}

async function testFacilitator(flags: FacilitatorFlags): Promise<ExitCode> {
  const { facilitatorCases, runFacilitator } = await import("@farthing/conform");
  const cases = choose(facilitatorCases, flags);
  if (flags.list === true) return list(cases, flags);
  const start = required(flags.start, "--start <command>");
  const { base: basePath, header: headers = {} } = flags;
  const tested = { role: "facilitator", subject: start, cases: cases.length } as const;
  return reportRun(tested, flags, (anvilFolder, watch) =>
    runFacilitator({ start, cases, basePath, headers, anvilFolder, ...watch }),
  );
}

async function testSeller(flags: SellerFlags): Promise<ExitCode> {
  const { runSeller, sellerCases } = await import("@farthing/conform");
  const cases = choose(sellerCases, flags);
  if (flags.list === true) return list(cases, flags);
  const start = required(flags.start, "--start <command>");
  const tested = { role: "seller", subject: start, cases: cases.length } as const;
  return reportRun(tested, flags, (anvilFolder, watch) =>
    runSeller({ start, paid: flags.paid, cases, anvilFolder, ...watch }),
  );
}

async function testBuyer(flags: BuyerFlags): Promise<ExitCode> {
  const { buyerCases, runBuyer } = await import("@farthing/conform");
  const cases = choose(buyerCases, flags);
  if (flags.list === true) return list(cases, flags);
  const run = required(flags.run, "--run <command>");
  const tested = { role: "buyer", subject: run, cases: cases.length } as const;
  return reportRun(tested, flags, (anvilFolder, watch) =>
    runBuyer({ run, cases, anvilFolder, ...watch }),
  );
}

interface Named {
  readonly name: string;
  readonly profile: Profile;
  readonly rule: string;
  readonly source: string;
  readonly standsOn?: readonly string[];
}

function choose<T extends Named>(cases: readonly T[], { profile, only }: Flags): readonly T[] {
  const unknown = only?.find((name) => !cases.some((one) => one.name === name));
  if (unknown !== undefined) {
    throw new UsageError(`There is no case ${unknown}; --list shows all of them.`);
  }
  const chosen = cases.filter(
    (one) =>
      (profile === "all" || one.profile === profile) &&
      (only === undefined || only.includes(one.name)),
  );
  // A run without a case would pass.
  if (chosen.length === 0) {
    throw new UsageError(
      `${only?.join(", ")} is not of the profile ${profile}; leave --profile out, or name another case.`,
    );
  }
  return chosen;
}

/** Lists the cases; nothing has to be there to be tested. */
function list(cases: readonly Named[], { json }: Flags): ExitCode {
  const listed = cases.map(({ name, profile, rule, source, standsOn = [] }) => {
    return { name, profile, rule, source, standsOn };
  });
  print(
    json === true
      ? `${printableJson(listed)}\n`
      : listed.map(({ name, profile, rule }) => `${profile}  ${name}: ${rule}\n`).join(""),
  );
  return exitCodes.success;
}

function required(value: string | undefined, flag: string): string {
  if (value === undefined) {
    throw new UsageError(
      `Say how the software is run: ${flag}. --list shows the cases without it.`,
    );
  }
  return value;
}

function readCase(name: string, before: readonly string[] = []): readonly string[] {
  return [...before, name];
}

function readHeader(line: string, before: Readonly<Record<string, string>> = {}) {
  const [, name, value] = /^([A-Za-z0-9-]+):\s*(.+)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError("Use a name and a value, such as 'Authorization: Bearer …'.");
  }
  return { ...before, [name]: value };
}

function readRoute(text: string): string {
  if (/^[A-Z]+:\/\S*$/.test(text)) return text;
  throw new InvalidArgumentError("Use a method and a path, such as GET:/report.");
}
