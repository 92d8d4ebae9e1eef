/** The buyer beside the published one: requests, the ledger as it grows, the command, and browsers. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testKey } from "@farthing/buyer/testing";
import { programFile } from "@farthing/lab/programs";
import { cores, pin, startServer } from "../processes.ts";
import { bundlesTable, measureBundles, type BrowserFile } from "./browser-bundles.ts";
import type { ClientRole } from "./client-process.ts";
import { command } from "./command-server.ts";
import { measureStarts, startsDefault, startsTable, type CommandStarts } from "./command-start.ts";
import {
  ledgerPlan,
  ledgerTable,
  measureLedgers,
  type LedgerPlan,
  type LedgerRound,
} from "./ledger-growth.ts";
import { describeWindows, raceParts, runRaces, usualWindows } from "./race.ts";
import type { Race, Racer, RacePlan, RaceWindow, WindowFigures } from "./race.ts";
import { startYesSeller, yesPaths } from "./yes-seller.ts";

/** Its heading. */
export const buyerHeading = "## Buyer";

export interface BuyerPlan extends RacePlan {
  /** Requests that are under way at a time. */
  readonly atOnce: readonly number[];
  readonly ledgers: LedgerPlan;
  /** Starts of each command line. */
  readonly starts: number;
}

/** Fourteen windows a round, under four minutes with everything else. */
export const buyerPlan: BuyerPlan = {
  atOnce: [1, 32],
  ledgers: ledgerPlan,
  starts: startsDefault,
  ...usualWindows,
};

/** What was measured, as the report shows it. */
export interface BuyerFigures {
  readonly races: readonly Race[];
  readonly windows: readonly RaceWindow[];
  /** Payments that the seller has received. */
  readonly payments: number;
  readonly ledgers: readonly LedgerRound[];
  readonly starts: readonly CommandStarts[];
  readonly files: readonly BrowserFile[];
}

/** Where no test run has bundled it, it runs from source, as its imports do. */
const program = [
  "--conditions=@farthing/source",
  programFile(new URL("./client-process.ts", import.meta.url)),
];

/** Measures one part after the other. */
export async function measureBuyer(
  plan: BuyerPlan,
  report: (line: string) => void,
): Promise<BuyerFigures> {
  pin(process.pid, cores.others);
  const folder = mkdtempSync(join(tmpdir(), "farthing-bench-"));
  try {
    const requests = await measureRequests(plan, folder, report);
    const ledgers = await measureLedgers(plan.ledgers, folder, report);
    const starts = await measureStarts(plan.starts, folder);
    return { ...requests, ledgers, starts, files: await measureBundles() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureRequests(plan: BuyerPlan, folder: string, report: (line: string) => void) {
  await using stack = new AsyncDisposableStack();
  const seller = await startYesSeller();
  stack.defer(() => seller.close());
  const racerOf = async (name: string, role: ClientRole): Promise<Racing> => {
    const file = join(folder, "requests.jsonl");
    const nodeUrl = `${seller.url}${yesPaths.node}`;
    const client = await startServer([...program, role, testKey, nodeUrl, file], {});
    stack.defer(async () => void (await client.stop()));
    return (path) => ({
      name,
      request: (atOnce, { warmUpMs, countMs }) => {
        const url = `${seller.url}${path}`;
        const times = { warmUpMs: `${warmUpMs}`, countMs: `${countMs}` };
        return command<WindowFigures>(client, "run", { url, atOnce: `${atOnce}`, ...times });
      },
    });
  };
  const races = racesOf(plan, {
    plain: await racerOf("plain fetch", "plain"),
    stock: await racerOf(stockName, "stock"),
    memory: await racerOf("wrapFetch, memory, no node", "memory"),
    node: await racerOf("wrapFetch, memory and a node (default)", "node"),
    file: await racerOf("wrapFetch, file, no node", "file"),
  });
  const windows = await runRaces(races, plan, report);
  return { races, windows, payments: seller.payments() };
}

/** A client that requests one of the seller's paths. */
type Racing = (path: string) => Racer;

const stockName = "stock @x402/fetch";

function racesOf(
  { atOnce }: BuyerPlan,
  { plain, stock, memory, node, file }: Readonly<Record<ClientRole, Racing>>,
): Race[] {
  const raceOf = (title: string, path: string, clients: readonly Racing[]) =>
    atOnce.map((connections): Race => ({
      title,
      connections,
      racers: clients.map((racing) => racing(path)),
      beside: stockName,
    }));
  return [
    ...raceOf("Requests that cost nothing", yesPaths.free, [plain, stock, memory]),
    ...raceOf("Requests that are paid", yesPaths.paid, [stock, memory, node, file]),
  ];
}

/** Writes the section. */
export function buyerSection(plan: BuyerPlan, figures: BuyerFigures): string {
  return [
    buyerHeading,
    "",
    `\`npm run bench -- --buyer\` measures this part alone: programs that request one address with \`wrapFetch\` of \`@farthing/buyer\`, with \`@x402/fetch\` and \`@x402/evm\`, and with \`fetch\` alone. Both clients sign with a viem account of the same key. The program that is measured has one core to itself; the seller, for which every payment is good, and the node have another. ${describeWindows(plan)} \`connections\` are requests under way at a time. Without options, \`wrapFetch\` has its ledger in memory and asks a node for the balance before it signs, in two more requests; the stock client does neither. The ledger keeps the payments of a day, so that its program grows with their number.`,
    "",
    ...raceParts(figures.races, figures.windows),
    "### The ledger as it grows",
    "",
    `Payments with an earlier number of payments in the ledger, all within the day that the limit sums. The seller is within the program and the signature is made at once, so that a payment takes what the buyer and its ledger need; its time includes the syncs of the file. \`limits\` is what a payment reads for them: the sum of the day and the open payments. \`open\` is the first such reading of a new process. The middle of ${plan.ledgers.rounds} rounds is shown.`,
    "",
    ledgerTable(plan.ledgers, figures.ledgers),
    "",
    "### The start of the command",
    "",
    `The middle of ${plan.starts} starts of the bundle that is published, and of a checkout that runs from source.`,
    "",
    startsTable(figures.starts),
    "",
    "### What a browser loads",
    "",
    "Minified, without source maps. The files without a key take a wallet of the browser as the signer.",
    "",
    bundlesTable(figures.files),
    "",
  ].join("\n");
}
