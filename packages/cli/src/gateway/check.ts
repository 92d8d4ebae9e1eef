/** `farthing gateway check`: validates a configuration before anything runs on it. */
import {
  checkOnline,
  findWarnings,
  GatewayConfigError,
  listRules,
  loadGatewayConfig,
  publishedSchema,
  type ConfigProblem,
  type Finding,
  type GatewayConfig,
  type RuleLine,
} from "@farthing/gateway";
import type { Command } from "commander";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { countFindings, findingText, summaryText } from "../output/finding-rows.ts";
import { configDefault } from "./options.ts";
import {
  addPrintFlags,
  printReport,
  terminalWidth,
  type PrintFlags,
} from "../output/print-output.ts";
import { tableText } from "../output/table.ts";
import { whileWaiting } from "../output/waiting.ts";

interface Flags extends PrintFlags {
  readonly online?: boolean;
  readonly schema?: boolean;
}

export function registerCheck(gateway: Command): void {
  addPrintFlags(gateway.command("check"))
    .summary("check a configuration and show its rules in order")
    .description(
      "Reads a configuration as the gateway does, secrets included, and shows the rules in the order of evaluation, with prices in USDC and base units and the time budget. Exit code 0: nothing must be fixed; 3: something in the file must; 4: with --online, a service does not respond as expected.",
    )
    .argument("[file]", "the configuration", configDefault)
    .option("--online", "also check the facilitator, every upstream, and the running gateway")
    .option("--schema", "print the JSON Schema of the file, for editors, without a check")
    .action(async (file: string, flags: Flags) => {
      process.exitCode = await check(file, flags);
    });
}

async function check(file: string, flags: Flags): Promise<ExitCode> {
  if (flags.schema === true) {
    process.stdout.write(publishedSchema());
    return exitCodes.success;
  }
  const config = read(file);
  if (Array.isArray(config)) {
    const problems: readonly ConfigProblem[] = config;
    printReport(flags, { ok: false, file, problems, rules: [], findings: [] }, () =>
      problemText(file, problems),
    );
    return exitCodes.configuration;
  }
  const warnings = findWarnings(config);
  const ask = () => checkOnline(config);
  const online =
    flags.online === true ? await whileWaiting("Asking facilitator and upstreams", ask) : [];
  const findings = [...warnings, ...online];
  const counts = countFindings(findings);
  const rules = listRules(config);
  const report = { ok: counts.fail === 0, file, problems: [], rules, findings };
  printReport(flags, report, () => {
    const parts = [
      ruleText(rules),
      ...(warnings.length > 0 ? [findingText("to review", warnings)] : []),
      ...(online.length > 0 ? [findingText("online", online)] : []),
    ];
    return `${parts.join("")}\n${summaryText(counts)}\n`;
  });
  return counts.fail === 0 ? exitCodes.success : exitCodes.network;
}

function read(file: string): GatewayConfig | ConfigProblem[] {
  try {
    return loadGatewayConfig(file, process.env);
  } catch (error) {
    if (error instanceof GatewayConfigError) return [...error.problems];
    throw error;
  }
}

function problemText(file: string, problems: readonly ConfigProblem[]): string {
  const rows = problems.map(({ path, line, message }): Finding => {
    const name = line === undefined ? "" : `line ${line}`;
    return { name, status: "fail", text: `${path} ${message}`.trim(), fix: "" };
  });
  return `${findingText(file, rows)}\n${summaryText(countFindings(rows))}\n`;
}

/** The rules as a table; a column for hosts only when a rule names one. */
function ruleText(rules: readonly RuleLine[]): string {
  const hasHosts = rules.some(({ host }) => host !== undefined);
  const hasChannels = rules.some(({ channel }) => channel !== undefined);
  const rows = rules.map((rule) => ({
    "#": rule.place,
    method: rule.method,
    ...(hasHosts ? { host: rule.host ?? "*" } : {}),
    path: rule.path,
    price: rule.price,
    upstream: rule.upstream ?? "-",
    settle: rule.settle,
    ...(hasChannels ? { channel: rule.channel } : {}),
    budget: rule.budget,
    baseUnits: rule.amount,
  }));
  const wide = ["upstream", "settle", "channel", "budget", "baseUnits"];
  const table = tableText(rows, { wide, whole: ["path", "price"] }, terminalWidth());
  return `${[table, ...rules.flatMap(callerLines)].join("\n")}\n`;
}

function callerLines({ place, callers = [] }: RuleLine): readonly string[] {
  return callers.map(({ entry, price }) => `${place}  for ${entry}: ${price}`);
}
