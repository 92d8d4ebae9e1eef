/** The report: what was measured, on what, and what the figures say beside each other. */
import { readFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { farthingWallets } from "./contenders.ts";
import type { Figures, Trial } from "./measure.ts";
import { canPin } from "./processes.ts";
import type { GasFigures } from "./gas.ts";
import { short, table } from "./report-table.ts";
import { evaluateTargets, type Results } from "./targets.ts";

/** What the reader must know beside the figures. */
export interface Circumstances {
  readonly isQuick: boolean;
  /** Of the chain's binary and the reference's packages. */
  readonly versions: Readonly<Record<string, string>>;
  readonly blockGasLimit: number;
  readonly payers: number;
  readonly seconds: number;
}

/** Writes the report as Markdown. */
export function writeReport(results: Results, circumstances: Circumstances): string {
  return [
    "# Benchmarks",
    "",
    `\`npm run bench${circumstances.isQuick ? " -- --quick" : ""}\` wrote this page. Absolute figures apply to this machine only; compare the ratios.`,
    "",
    ...machineLines(circumstances),
    "",
    "## Targets",
    "",
    table(
      ["", "target", "measured", ""],
      evaluateTargets(results).map(({ what, wanted, measured, isReached }) => [
        what,
        wanted,
        measured === undefined ? "not in this run" : short(measured),
        measured === undefined ? "" : isReached ? "reached" : "**not reached**",
      ]),
    ),
    "",
    ...section(results, "Verify", (figures) => figures.trial.path === "/verify"),
    ...section(results, "Settle, to confirmation", (figures) => figures.trial.path === "/settle"),
    ...gasLines(results),
    readFileSync(new URL("./limiting-factors.md", import.meta.url), "utf8"),
  ].join("\n");
}

function machineLines({ versions, blockGasLimit, payers, seconds }: Circumstances): string[] {
  const [cpu] = cpus();
  const gibibytes = Math.round(totalmem() / 1024 ** 3);
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `- Machine: ${cpus().length} × ${cpu?.model.trim() ?? "unknown"}, ${gibibytes} GiB, ${type()} ${release()}; ${seconds} s in all.`,
    `- Versions: Node.js ${process.versions.node}, ${named.join(", ")}.`,
    `- Chain: anvil, a block a second, ${blockGasLimit.toLocaleString("en")} gas a block, the stand-in USDC, ${payers} payers.`,
    `- Farthing: \`farthing serve --self-built\` with default settings, on a SQLite file with synced writes, ${farthingWallets} relayer wallets; no limits per caller.`,
    "- Reference: `@x402/core` and `@x402/evm` behind Express, one wallet. *example*: as in upstream's example, without its console output. *tuned*: with viem's nonce manager, JSON-RPC batching and 200 ms polling. *tuned-legacy*: tuned, with legacy transactions and fixed gas and gas price.",
    canPin
      ? "- The measured process has one core to itself; chain and load share another."
      : "- Processes shared their cores, so that the measurements disturb each other.",
    "- Load: a closed loop of callers on persistent connections; warm-up time is not counted. A settlement counts when the response reports success, which both sides do after confirmation.",
    "",
    "The stand-in token behaves like Circle's, behind a proxy like Circle's, and costs the same gas. On Circle's contracts (FiatTokenV2_2 behind FiatTokenProxy, on the same local chain) a single transfer takes 86,240 gas; in a batch of 50, a payment to one payee takes 51,620 (0.60) and one to many payees 56,290 (0.65).",
  ];
}

const columns = [
  "callers",
  "",
  "per second",
  "× ",
  "succeeded",
  "p50 ms",
  "p99 ms",
  "CPU µs each",
  "memory MiB",
  "RPC calls each",
];

function section(
  results: Results,
  title: string,
  belongs: (figures: Figures) => boolean,
): string[] {
  const lines = [`## ${title}`, ""];
  const groups = Map.groupBy(results.figures.filter(belongs), ({ trial }) => groundOf(trial));
  for (const [ground, group] of groups) {
    lines.push(`### ${ground}`, "");
    lines.push("`×` is Farthing's rate divided by the rate of that row.", "");
    lines.push(
      table(
        columns,
        group.map((figures) => rowOf(figures, group)),
      ),
      "",
    );
    lines.push(...onChainLines(group));
  }
  return lines;
}

function groundOf({ rpcDelayMs, isAutomined }: Trial): string {
  if (isAutomined) return "A block for every transaction, at once";
  if (rpcDelayMs === undefined) return "Node on the same machine";
  return rpcDelayMs === 0
    ? "The same through a tap that counts JSON-RPC calls"
    : `Node ${rpcDelayMs} ms away`;
}

function rowOf(figures: Figures, group: readonly Figures[]): string[] {
  const { contender, trial, perSecond } = figures;
  const ours = group.find(
    (other) => other.contender === "farthing" && other.trial.callers === trial.callers,
  );
  const isOurs = contender === "farthing";
  return [
    trial.callers.toLocaleString("en"),
    isOurs ? "**farthing**" : contender,
    short(perSecond),
    isOurs || !ours ? "" : short(ours.perSecond / perSecond),
    `${short((figures.goodInAll / figures.askedInAll) * 100)} %`,
    short(figures.p50Ms),
    short(figures.p99Ms),
    short(figures.cpuMicros),
    figures.memoryMiB === undefined ? "" : figures.memoryMiB.toFixed(0),
    figures.rpcCalls === undefined ? "" : short(figures.rpcCalls),
  ];
}

/** What the chain itself says about the settlements that were reported. */
function onChainLines(group: readonly Figures[]): string[] {
  const settled = group.filter(({ onChain }) => onChain !== undefined);
  if (settled.length === 0) return [];
  const rows = settled.map(({ contender, trial, goodInAll, askedInAll, onChain }) => [
    trial.callers.toLocaleString("en"),
    contender,
    `${askedInAll}`,
    `${goodInAll}`,
    `${onChain?.payments ?? ""}`,
    `${onChain?.transactions ?? ""}`,
  ]);
  const head = ["callers", "", "requests", "reported as settled", "on chain", "transactions"];
  return ["Settlements on chain:", "", table(head, rows), ""];
}

function gasLines({ gasToOne, gasToMany }: Results): string[] {
  const rows = Object.entries({ "one payee": gasToOne, "many payees": gasToMany }).map(
    ([to, { alone, batched, batches, batchSize }]) => [
      to,
      alone.toFixed(0),
      batched.toFixed(0),
      short(batched / alone),
      `${batches} batches of ${batchSize}`,
    ],
  );
  const head = ["to", "alone", "in a batch", "ratio", "measured on"];
  return [
    "## Gas per payment",
    "",
    "All payees hold USDC already.",
    "",
    table(head, rows),
    "",
    "The gas of a payment in a batch to one payee, from the trace of one batch:",
    "",
    table(["", "gas each"], profileRows(gasToOne)),
    "",
    "Each payment pays for the storage that it is the first to write or read, also in a batch: the slot of its nonce, the payer's balance and the payer's entry in the token's blacklist. Only the rest is shared.",
    "",
  ];
}

/** Operations shown by name; the others are a few gas each. */
const profileRowsMax = 8;

function profileRows({ profile, batched }: GasFigures): string[][] {
  const entries = [...profile].toSorted(([, one], [, other]) => other - one);
  const shown = entries.slice(0, profileRowsMax);
  const rest = batched - shown.reduce((sum, [, gas]) => sum + gas, 0);
  return [...shown, ["everything else", rest] as const].map(([name, gas]) => [
    name,
    gas.toFixed(0),
  ]);
}

/** One line for the terminal while the run goes on. */
export function progressLine(figures: Figures): string {
  const { trial, contender, perSecond, p50Ms, p99Ms, goodInAll, askedInAll } = figures;
  const far = trial.rpcDelayMs === undefined ? "" : `, node +${trial.rpcDelayMs} ms`;
  const node = trial.isAutomined ? ", automine" : far;
  const what = `${trial.path.slice(1)} × ${trial.callers}${node}`;
  const success = goodInAll === askedInAll ? "" : `, ${goodInAll} of ${askedInAll} succeeded`;
  return `${what.padEnd(24)} ${contender.padEnd(13)} ${short(perSecond)}/s, p50 ${short(p50Ms)} ms, p99 ${short(p99Ms)} ms${success}`;
}
