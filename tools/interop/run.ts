/** Runs the parts one after another, prints each result, and counts what passed. */
import { buyEverywhere } from "./buyers.ts";
import { tryChannels } from "./channels.ts";
import { compare, describeComparison } from "./differential/compare.ts";
import { tryExtensions } from "./extensions.ts";
import { tryLanguages } from "./languages/languages.ts";
import { allRows, describeRow, isAsWanted, quickRows, runMatrix } from "./matrix.ts";
import { tryRuntimes } from "./runtimes.ts";

/** What to run. */
export interface InteropOptions {
  readonly quick: boolean;
  readonly only?: string;
}

/** One thing that was looked at. */
interface Checked {
  readonly isOk: boolean;
  readonly line: string;
}

type Part = (quick: boolean, print: (line: string) => void) => Promise<readonly Checked[]>;

const parts: Readonly<Record<string, Part>> = {
  matrix: checkMatrix,
  differential: checkDifferences,
  buyers: checkBuyers,
  runtimes: checkRuntimes,
  extensions: checkExtensions,
  channels: checkChannels,
  languages: checkLanguages,
};

/** Runs everything or one part; returns the number of failures. */
export async function runInterop({ quick, only }: InteropOptions): Promise<number> {
  const chosen = Object.entries(parts).filter(([name]) => only === undefined || name === only);
  if (chosen.length === 0) throw new Error(`There is no part ${only}.`);
  const checked: Checked[] = [];
  for (const [name, run] of chosen) {
    process.stdout.write(`\n${name}\n`);
    checked.push(...(await run(quick, (line) => void process.stdout.write(`  ${line}\n`))));
  }
  const failed = checked.filter(({ isOk }) => !isOk);
  for (const { line } of failed) process.stdout.write(`\nNot as wanted: ${line}`);
  process.stdout.write(`\n${checked.length - failed.length} passed, ${failed.length} failed\n`);
  return failed.length;
}

async function checkMatrix(quick: boolean, print: (line: string) => void) {
  const onResult = (result: Parameters<typeof describeRow>[0]) => print(describeRow(result));
  const results = quick
    ? await runMatrix(quickRows(), 1, onResult)
    : [...(await runMatrix(allRows(), 1, onResult)), ...(await runMatrix(allRows(), 2, onResult))];
  return results.map((result) => ({ isOk: isAsWanted(result), line: describeRow(result) }));
}

async function checkDifferences(quick: boolean, print: (line: string) => void) {
  const compared = await compare(quick, (comparison) => {
    if (!comparison.isExplained) print(describeComparison(comparison));
  });
  const differing = compared.filter(({ isSame }) => !isSame).length;
  print(`${compared.length} compared, ${differing} differ`);
  return compared.map((one) => ({ isOk: one.isExplained, line: describeComparison(one) }));
}

async function checkBuyers(quick: boolean, print: (line: string) => void) {
  // CI has stock buyers of the newest version among the end-to-end tests.
  return quick ? [] : buyEverywhere(({ line }) => print(line));
}

async function checkRuntimes(quick: boolean, print: (line: string) => void) {
  return tryRuntimes(quick, ({ line }) => print(line));
}

async function checkExtensions(quick: boolean, print: (line: string) => void) {
  // CI has each stock extension of this version among the tests of the seller and the buyer.
  return quick ? [] : tryExtensions(({ line }) => print(line));
}

async function checkChannels(quick: boolean, print: (line: string) => void) {
  // CI has the same pairings with few calls among the end-to-end tests.
  return quick ? [] : tryChannels(({ line }) => print(line));
}

async function checkLanguages(quick: boolean, print: (line: string) => void) {
  // CI has no packages of other languages to install in its time.
  return quick ? [] : tryLanguages(print);
}
