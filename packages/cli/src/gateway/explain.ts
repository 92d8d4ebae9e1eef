/** `farthing gateway explain GET /path`: how the gateway would treat a request, and why. */
import {
  explainRequest,
  loadGatewayConfig,
  type AskingCaller,
  type RequestExplanation,
} from "@farthing/gateway";
import { printableText, writeTo } from "@farthing/protocol";
import type { Command } from "commander";
import { messageOf } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { collect } from "../pay/pay-request.ts";
import { configDefault } from "./options.ts";
import { addPrintFlags, printReport, type PrintFlags } from "../output/print-output.ts";

interface Flags extends PrintFlags {
  readonly config: string;
  readonly host?: string;
  readonly address?: string;
  readonly header?: readonly string[];
  readonly agent?: string;
  readonly at?: string;
}

export function registerExplain(gateway: Command): void {
  addPrintFlags(gateway.command("explain"))
    .summary("show which rule, price and upstream apply to a request, and why")
    .description(
      "Shows the canonical path of a request, the rule that matches and why earlier rules do not, the price, the upstream's address, the names of headers that are removed and added, and the decoded challenge. Sends nothing.",
    )
    .argument("<method>", "GET, POST, …")
    .argument("<target>", "path and query as in the request line, quoted: '/v1/reports/7?full=1'")
    .option("-c, --config <file>", "the configuration", configDefault)
    .option("--host <host>", "the Host header (default: that of publicUrl)")
    .option("--address <address>", "the client's address, for prices by network")
    .option(
      "--header <header>",
      "a header of the trusted proxy, 'X-Plan: partner'; may be repeated",
      collect,
    )
    .option("--agent <host>", "an agent with a valid signature, by the host of its keys")
    .option("--at <time>", "when, ISO 8601 (default: now)")
    .action(async (method: string, target: string, flags: Flags) => {
      process.exitCode = await explain(method, target, flags);
    });
}

async function explain(method: string, target: string, flags: Flags): Promise<ExitCode> {
  let config;
  try {
    config = loadGatewayConfig(flags.config, process.env);
  } catch (error) {
    writeTo(process.stderr, `${messageOf(error)}\n`);
    return exitCodes.configuration;
  }
  const caller = callerOf(flags);
  if (typeof caller === "string") {
    writeTo(process.stderr, `${caller}\n`);
    return exitCodes.usage;
  }
  const asked = { method: method.toUpperCase(), target, host: flags.host, caller };
  const explanation = await explainRequest(config, asked);
  printReport(flags, explanation, () => printableText(explanationText(explanation)));
  return exitCodes.success;
}

/** A text says which flag is wrong. */
function callerOf({ address, header = [], agent, at }: Flags): AskingCaller | string {
  const pairs = header.map((line) => /^([^:\s]+):\s*(.*)$/.exec(line));
  if (pairs.includes(null))
    return "--header must be a name, a colon and a value: 'X-Plan: partner'.";
  const headers = pairs.map((pair) => [pair?.[1]?.toLowerCase() ?? "", pair?.[2] ?? ""]);
  const now = at === undefined ? undefined : Date.parse(at);
  if (Number.isNaN(now)) return "--at must be a time such as 2026-11-27T22:00:00Z.";
  return { address, headers: Object.fromEntries(headers), agent, now };
}

function explanationText(explanation: RequestExplanation): string {
  const { request, answer, canonicalPath, rule, parameters, passedOver = [] } = explanation;
  const { caller, price, settle, stream, channel, upstream, challenge } = explanation;
  const rows: (readonly [string, string] | undefined)[] = [
    ["request", request],
    ["answer", answer],
    canonicalPath === undefined ? undefined : ["path", canonicalPath],
    ...passedOver.map((one) => ["not", `${one.rule}: ${one.why}`] as const),
    rule === undefined ? undefined : ["rule", rule],
    ...Object.entries(parameters ?? {}).map(
      ([name, value]) => ["", `:${name} = ${value}`] as const,
    ),
    ...(caller?.passedOver ?? []).map((one) => ["not", `${one.entry}: ${one.why}`] as const),
    caller && ["caller", caller.entry ?? "no entry fits; the route's own price"],
    price && ["price", `${price.usdc} USDC (${price.amount} base units) on ${price.network}`],
    price && ["to", price.payTo],
    settle && ["settle", `${settle}${stream === undefined ? "" : `, streamed (${stream})`}`],
    channel && ["channel", channelText(channel)],
    upstream && ["upstream", `${upstream.name}: ${upstream.url ?? "served by the proxy in front"}`],
    upstream && ["removed", upstream.removed.join(", ")],
    upstream && ["added", upstream.added.join(", ")],
  ];
  const width = "upstream".length;
  const lines = rows.flatMap((row) => (row ? [`${row[0].padEnd(width)}  ${row[1]}`] : []));
  const shown = challenge ? ["", "challenge", JSON.stringify(challenge, undefined, 2)] : [];
  return `${[...lines, ...shown].join("\n")}\n`;
}

function channelText({
  isOnly,
  withdrawDelay,
  authorizer,
}: NonNullable<RequestExplanation["channel"]>): string {
  const how = isOnly ? "only" : "beside single payments";
  return `${how}; withdrawals take ${withdrawDelay}, ${authorizer} signs claims`;
}
