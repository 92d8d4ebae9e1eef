/**
 * `npm run bench [-- --quick]`: Farthing beside the reference facilitator, in one run on one machine
 * and one chain. Writes docs/benchmarks.md; with --quick it only prints the main ratios.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startDevnet } from "@farthing/devnet";
import { isObject } from "@farthing/protocol";
import { walletsInAll } from "./contenders.ts";
import { besidePlan, besideTable, measureBeside } from "./beside.ts";
import { contractPayerPlan, measureContractPayers } from "./contract-payers.ts";
import { contractPayerSection, contractPayersHeading } from "./contract-payers-report.ts";
import { databasePlan, measureDatabases } from "./databases.ts";
import { databaseSection, databasesHeading } from "./databases-report.ts";
import { measureGas } from "./gas.ts";
import { gasPricePlan, gasPriceSection, gasPricesHeading, measureGasPrices } from "./gas-prices.ts";
import { measureHistory } from "./history.ts";
import { historySection, sectionOf, withHistory, withWholeHistory } from "./history-report.ts";
import type { HistoryEngine } from "./history-database.ts";
import { measure, type Figures, type Stand } from "./measure.ts";
import { openMint } from "./payments.ts";
import { measureNodes, nodePlan, nodeRows } from "./nodes.ts";
import { nodesHeading, nodesSection } from "./nodes-report.ts";
import { measurePasses, passesHeading, passPlan, passSection } from "./passes.ts";
import { quickPlan, wholePlan } from "./plan.ts";
import { cores, pin } from "./processes.ts";
import { progressLine, writeReport } from "./report.ts";
import { partOf, withPart } from "./report-table.ts";
import { measureRpcCosts } from "./rpc-cost.ts";
import { rpcCostSection, withRpcCosts } from "./rpc-cost-report.ts";
import { evaluateTargets, type Results } from "./targets.ts";
import { buyerHeading, buyerPlan, buyerSection, measureBuyer } from "./requests/buyer.ts";
import {
  channelsHeading,
  channelsPlan,
  channelsSection,
  measureChannels,
} from "./requests/channels.ts";
import { gatewayHeading, gatewayPlan, gatewaySection, measureGateway } from "./requests/gateway.ts";
import { measureRevenue, revenueHeading, revenuePlan, revenueSection } from "./revenue.ts";
import { measureSeller, sellerHeading, sellerPlan, sellerSection } from "./requests/seller.ts";
import { measureVerify, verifyPeerHeading, verifyPeerSection, verifyPlan } from "./verify-peer.ts";
import { measureUpgrade } from "./upgrade.ts";
import { upgradeSection } from "./upgrade-report.ts";
import { measureWorkers, workersHeading, workersPlan, workersSection } from "./workers.ts";

const usage = `Measures Farthing beside the reference facilitator on a local chain.

  --rpc          only what a node is asked, some five minutes; replaces that part of the report
  --contracts    only Safes as payers beside plain ones, some eight minutes; replaces that part of
                 the report
  --databases    only the CPU of a settlement on SQLite and PostgreSQL, some eight minutes; replaces
                 that part of the report
  --passes       only requests with passes beside payments, two minutes; replaces that part of the
                 report
  --gateway      only requests through the gateway beside a plain proxy and a stock seller, some nine
                 minutes; replaces that part of the report. With --beside, the gateway of that
                 checkout as well, printed
  --seller       only requests to the seller's middleware beside a stock seller, some six minutes;
                 replaces that part of the report
  --channels[=<n>] only calls over channels beside passes, balances and a stock seller, and their gas,
                 some eight minutes; replaces that part of the report. With a number, that many
                 rounds, printed
  --verify <p>   only /verify beside the Rust facilitator, whose program is p, two minutes; replaces
                 that part of the report
  --workers      only /verify with workers beside one process, two minutes; replaces that part of the
                 report
  --buyer        only requests of the buyer beside a stock buyer, its ledger, the start of the
                 command and the size of bundles, some four minutes; replaces that part of the report
  --nodes[=<n>]  only payments over slow and half-broken nodes, some eight minutes; replaces that
                 part of the report. With a word, only the rows whose name contains it, printed
  --gas-prices   only batches and costs at 12.5 and 625 gwei, two minutes; replaces that part of the
                 report
  --revenue      only sums of revenue on both databases, some five minutes; replaces that part of
                 the report
  --history <n>  only the work beside n settlements and beside none, on one database; replaces
                 that part of the report
  --upgrade <n>  only the upgrade of n settlements of an earlier version, on one database
  --engine <e>   the database of --history and --upgrade: sqlite or postgres
  --beside <dir> only this checkout beside another one, whose dependencies are installed, some
                 ten minutes; printed
  --quick        the main ratios in two minutes, printed; without it some ten minutes
  --out <file>   where the report goes; default docs/benchmarks.md, and nowhere with --quick
  --help         print this
`;

const reportFile = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));

/** XDC's main network starts its nodes with this limit. */
const blockGasLimit = 420_000_000;

/** Payers of a busy hour; each holds enough for a hundred thousand payments of a cent. */
const payers = 500;

async function run(options: { readonly quick: boolean; readonly out?: string }): Promise<void> {
  const startedMs = Date.now();
  // Signing and asking share the chain's core; the measured process has the other.
  pin(process.pid, cores.others);
  const devnet = await startDevnet({
    blockTimeSeconds: 1,
    buyers: payers,
    relayers: walletsInAll,
    blockGasLimit,
  });
  try {
    pin(devnet.pid, cores.others);
    const stand = { devnet, mint: await openMint(devnet) };
    const results = await measureAll(stand, options.quick);
    const report = writeReport(results, {
      isQuick: options.quick,
      versions: versionsOf(["@foundry-rs/anvil", "@x402/core", "@x402/evm", "viem", "express"]),
      blockGasLimit,
      payers,
      seconds: Math.round((Date.now() - startedMs) / 1000),
    });
    process.stdout.write(`\n${targetLines(results)}`);
    const out = options.out ?? (options.quick ? undefined : reportFile);
    if (out === undefined) return;
    // Other parts take half an hour and are measured by themselves.
    const before = existsSync(out) ? readFileSync(out, "utf8") : "";
    const history = sectionOf(before);
    let page = history === undefined ? report : withWholeHistory(report, history);
    for (const heading of [
      gasPricesHeading,
      contractPayersHeading,
      databasesHeading,
      gatewayHeading,
      sellerHeading,
      channelsHeading,
      verifyPeerHeading,
      workersHeading,
      buyerHeading,
      nodesHeading,
      passesHeading,
      revenueHeading,
    ]) {
      const part = partOf(before, heading, "\n## ");
      if (part !== undefined) page = withPart(page, heading, part);
    }
    writeFileSync(out, page);
    process.stdout.write(`\nReport: ${out}\n`);
  } finally {
    await devnet.stop();
  }
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Measures work beside a long history, and replaces that part of the report. */
async function runHistory(plan: { rows: number; engine: string }, out: string): Promise<void> {
  const figures = await measureHistory({
    rows: rowsOf(plan.rows),
    engine: engineOf(plan.engine),
    tell,
  });
  writeFileSync(out, withHistory(readFileSync(out, "utf8"), historySection(figures)));
  process.stdout.write(`\nReport: ${out}\n`);
}

/** Measures Safes beside plain payers, and replaces that part of the report. */
async function runContractPayers(out: string): Promise<void> {
  const section = contractPayerSection(await measureContractPayers(contractPayerPlan, tell));
  writePart(out, contractPayersHeading, section);
}

/** Measures the CPU of a settlement on each database, and replaces that part of the report. */
async function runDatabases(out: string): Promise<void> {
  const section = databaseSection(databasePlan, await measureDatabases(databasePlan, tell));
  writePart(out, databasesHeading, section);
}

/** Measures requests with passes beside payments, and replaces that part of the report. */
async function runPasses(out: string): Promise<void> {
  writePart(out, passesHeading, passSection(passPlan, await measurePasses(passPlan, tell)));
}

/** Measures payments over slow and half-broken nodes. Replaces that part only by all rows. */
async function runNodes(name: string, out: string): Promise<void> {
  const rows = nodeRows.filter((row) => row.name.includes(name));
  const figures = await measureNodes(rows, nodePlan, tell);
  const section = nodesSection(nodePlan, figures);
  if (rows.length === nodeRows.length) writePart(out, nodesHeading, section);
}

/** Measures requests through the gateway. Replaces that part unless it ran beside another checkout. */
async function runGateway(out: string, before?: string): Promise<void> {
  const checkout = before === undefined ? undefined : resolve(before);
  const section = gatewaySection(gatewayPlan, await measureGateway(gatewayPlan, tell, checkout));
  if (before === undefined) writePart(out, gatewayHeading, section);
  else process.stdout.write(`\n${section}`);
}

/** Measures requests to the seller's middleware, and replaces that part of the report. */
async function runSeller(out: string): Promise<void> {
  const section = sellerSection(sellerPlan, await measureSeller(sellerPlan, tell));
  writePart(out, sellerHeading, section);
}

/** Measures calls over channels. Replaces that part of the report unless a number of rounds is given. */
async function runChannels(rounds: string, out: string): Promise<void> {
  const plan = rounds === "" ? channelsPlan : { ...channelsPlan, rounds: Number(rounds) || 1 };
  const section = channelsSection(plan, await measureChannels(plan, tell));
  if (rounds === "") writePart(out, channelsHeading, section);
  else process.stdout.write(`\n${section}`);
}

/** Measures verifying beside another facilitator's program, and replaces that part of the report. */
async function runVerify(program: string, out: string): Promise<void> {
  const figures = await measureVerify(resolve(program), verifyPlan, tell);
  writePart(out, verifyPeerHeading, verifyPeerSection(verifyPlan, figures));
}

/** Measures verifying with workers, and replaces that part of the report. */
async function runWorkers(out: string): Promise<void> {
  writePart(
    out,
    workersHeading,
    workersSection(workersPlan, await measureWorkers(workersPlan, tell)),
  );
}

/** Measures the buyer, and replaces that part of the report. */
async function runBuyer(out: string): Promise<void> {
  const section = buyerSection(buyerPlan, await measureBuyer(buyerPlan, tell));
  writePart(out, buyerHeading, section);
}

/** Measures batches at two prices of gas, and replaces that part of the report. */
async function runGasPrices(out: string): Promise<void> {
  const figures = await measureGasPrices(gasPricePlan, tell);
  writePart(out, gasPricesHeading, gasPriceSection(gasPricePlan, figures));
}

/** Measures sums of revenue on each database, and replaces that part of the report. */
async function runRevenue(out: string): Promise<void> {
  const figures = [
    await measureRevenue("sqlite", revenuePlan, tell),
    await measureRevenue("postgres", revenuePlan, tell),
  ];
  writePart(out, revenueHeading, revenueSection(revenuePlan, figures));
}

function writePart(out: string, heading: string, section: string): void {
  process.stdout.write(`\n${section}`);
  writeFileSync(out, withPart(readFileSync(out, "utf8"), heading, section));
  process.stdout.write(`\nReport: ${out}\n`);
}

/** Measures the upgrade of a large database, and replaces that part of the report. */
async function runUpgrade(plan: { rows: number; engine: string }, out: string): Promise<void> {
  const figures = await measureUpgrade({
    rows: rowsOf(plan.rows),
    engine: engineOf(plan.engine),
    tell,
  });
  const section = upgradeSection(figures);
  process.stdout.write(`\n${section}`);
  writeFileSync(out, withHistory(readFileSync(out, "utf8"), section));
  process.stdout.write(`\nReport: ${out}\n`);
}

function rowsOf(rows: number): number {
  if (Number.isInteger(rows) && rows > 0) return rows;
  throw new Error("Give a number of settlements");
}

function engineOf(name: string): HistoryEngine {
  if (name === "sqlite" || name === "postgres") return name;
  throw new Error("--engine is sqlite or postgres");
}

async function measureAll(stand: Stand, isQuick: boolean): Promise<Results> {
  const figures: Figures[] = [];
  for (const { trial, contenders } of isQuick ? quickPlan : wholePlan) {
    for (const contender of contenders) {
      const measured = await measure(contender, trial, stand);
      process.stdout.write(`${progressLine(measured)}\n`);
      if (measured.complaint !== undefined) {
        process.stdout.write(`  commonest complaint: ${measured.complaint}\n`);
      }
      figures.push(measured);
    }
  }
  process.stdout.write("gas of batches\n");
  const gasToOne = await measureGas([stand.devnet.seller.address], stand);
  const gasToMany = await measureGas(manyPayees, stand);
  return { figures, gasToOne, gasToMany };
}

/** Unused addresses: more than a batch has payments, so that no two of a batch are the same. */
const manyPayees = Array.from(
  { length: 100 },
  (_, index) => `0x${(index + 1).toString(16).padStart(4, "0").repeat(10)}` as const,
);

function targetLines(results: Results): string {
  return evaluateTargets(results)
    .filter(({ measured }) => measured !== undefined)
    .map(({ what, wanted, measured, isReached }) => {
      const mark = isReached ? "reached    " : "NOT REACHED";
      return `${mark} ${what}: ${Number(measured?.toPrecision(3))} (${wanted})\n`;
    })
    .join("");
}

function versionsOf(names: readonly string[]): Record<string, string> {
  const from = createRequire(import.meta.url);
  return Object.fromEntries(names.map((name) => [name, versionOf(from, name)]));
}

/** Read from the package's folder, since not every package exports its manifest. */
function versionOf(from: NodeJS.Require, name: string): string {
  for (const folder of from.resolve.paths(name) ?? []) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(`${folder}/${name}/package.json`, "utf8"));
      return isObject(manifest) ? String(manifest["version"]) : "";
    } catch {
      // Not in this folder; the next one up may have it.
    }
  }
  return "";
}

/** Measures what a node is asked, on a chain of its own, and writes it into the page. */
async function runRpcCosts(file: string): Promise<void> {
  const costs = await measureRpcCosts();
  process.stdout.write(`\n${rpcCostSection(costs)}`);
  writeFileSync(file, withRpcCosts(readFileSync(file, "utf8"), costs));
  process.stdout.write(`\nReport: ${file}\n`);
}

const { values } = parseArgs({
  // An option with a value: all rows where none is given.
  args: process.argv
    .slice(2)
    .map((arg) => (arg === "--nodes" || arg === "--channels" ? `${arg}=` : arg)),
  options: {
    quick: { type: "boolean", default: false },
    rpc: { type: "boolean", default: false },
    contracts: { type: "boolean", default: false },
    databases: { type: "boolean", default: false },
    passes: { type: "boolean", default: false },
    revenue: { type: "boolean", default: false },
    gateway: { type: "boolean", default: false },
    seller: { type: "boolean", default: false },
    buyer: { type: "boolean", default: false },
    workers: { type: "boolean", default: false },
    "gas-prices": { type: "boolean", default: false },
    nodes: { type: "string" },
    channels: { type: "string" },
    verify: { type: "string" },
    history: { type: "string" },
    upgrade: { type: "string" },
    engine: { type: "string", default: "sqlite" },
    beside: { type: "string" },
    out: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) process.stdout.write(usage);
else if (values.nodes !== undefined) await runNodes(values.nodes, values.out ?? reportFile);
else if (values.channels !== undefined)
  await runChannels(values.channels, values.out ?? reportFile);
else if (values.verify !== undefined) await runVerify(values.verify, values.out ?? reportFile);
else if (values.gateway) await runGateway(values.out ?? reportFile, values.beside);
else if (values.seller) await runSeller(values.out ?? reportFile);
else if (values.workers) await runWorkers(values.out ?? reportFile);
else if (values.buyer) await runBuyer(values.out ?? reportFile);
else if (values["gas-prices"]) await runGasPrices(values.out ?? reportFile);
else if (values.beside !== undefined) {
  const windows = await measureBeside(resolve(values.beside), besidePlan, tell);
  process.stdout.write(`\n${besideTable(windows)}\n`);
} else {
  const { quick, out, rpc, contracts, databases, passes, revenue, history, upgrade, engine } =
    values;
  const isPart =
    contracts || databases || passes || revenue || history !== undefined || upgrade !== undefined;
  if (contracts) await runContractPayers(out ?? reportFile);
  else if (databases) await runDatabases(out ?? reportFile);
  else if (passes) await runPasses(out ?? reportFile);
  else if (revenue) await runRevenue(out ?? reportFile);
  else if (upgrade !== undefined)
    await runUpgrade({ rows: Number(upgrade), engine }, out ?? reportFile);
  else if (history !== undefined)
    await runHistory({ rows: Number(history), engine }, out ?? reportFile);
  else if (!rpc) await run({ quick, ...(out !== undefined && { out }) });
  if (!isPart && (rpc || !quick)) await runRpcCosts(out ?? reportFile);
}
