/**
 * Every pairing of buyers, sellers and facilitators of channels, with 1,000 calls each; the figures of
 * the last whole run stand in the reference page. The parties are a program of their own, which loads
 * the published packages of the repository's lock file.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { keepChannelFigures, type ChannelFigure } from "./channel-figures.ts";

/** Of each pairing: the number that the scheme's own proof asks for. */
const calls = 1_000;

const program = fileURLToPath(new URL("../e2e/channels/pairings/main.ts", import.meta.url));

export interface ChannelCheck {
  readonly isOk: boolean;
  readonly line: string;
}

/** What the program prints of a pairing. */
interface Played extends ChannelFigure {
  readonly problems: readonly string[];
  readonly ms: number;
}

type Line = Played | { readonly violations: readonly string[] };

/** Plays all pairings; keeps the figures where every unit is in its place. */
export async function tryChannels(
  onResult: (check: ChannelCheck) => void,
): Promise<readonly ChannelCheck[]> {
  const checks: ChannelCheck[] = [];
  const played: Played[] = [];
  const say = (check: ChannelCheck): void => {
    checks.push(check);
    onResult(check);
  };
  const child = spawn(process.execPath, ["--conditions=@farthing/source", program, `${calls}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let isWhole = false;
  for await (const text of createInterface({ input: child.stdout })) {
    const line: Line = JSON.parse(text);
    if ("violations" in line) {
      isWhole = true;
      say(checkOf("the contract as a whole", line.violations));
    } else {
      played.push(line);
      say(checkOf(lineOf(line), line.problems));
    }
  }
  if (!isWhole) say(checkOf("all pairings", ["the program ended before them"]));
  if (checks.every(({ isOk }) => isOk)) keepChannelFigures(played.map(figureOf));
  return checks;
}

/** The first few say what is wrong: one lost unit makes each later total another one. */
const shownProblems = 3;

function checkOf(what: string, problems: readonly string[]): ChannelCheck {
  const isOk = problems.length === 0;
  const shown = [what, ...problems.slice(0, shownProblems)].join("; ");
  return { isOk, line: `${isOk ? "ok  " : "FAIL"} ${shown}` };
}

const secondMs = 1_000;

function lineOf({ buyer, seller, facilitator, hasVault, ...figures }: Played): string {
  const { deposited, charged, refunded, transactions, ms } = figures;
  const parties = `${buyer} buyer, ${seller} seller, ${facilitator} facilitator`;
  const moved = `${deposited} deposited, ${charged} charged, ${refunded} refunded`;
  const took = `${transactions} transactions, ${Math.round(ms / secondMs)} s`;
  return `${parties}${hasVault ? " with its vault" : ""}: ${moved}, ${took}`;
}

function figureOf({ problems: _problems, ms: _ms, ...figure }: Played): ChannelFigure {
  return figure;
}
