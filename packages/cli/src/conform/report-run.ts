/** A run of `farthing conform` as people and CI follow it: lines while it goes on, and files at its end. */
import { accessSync, constants, createWriteStream, existsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { CaseResult, Profile, Role, RunWatch } from "@farthing/conform";
import { printableJson, writeTo } from "@farthing/protocol";
import { prepareLocalChain } from "../dev/local-chain.ts";
import { ConfigurationError, messageOf, UsageError } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { listenForSignals } from "../command/stop-signals.ts";
import { terminalWidth, type PrintFlags } from "../output/print-output.ts";
import { startWaiting } from "../output/waiting.ts";

export interface ReportFlags extends PrintFlags {
  readonly profile: Profile | "all";
  readonly junit?: string;
  readonly badge?: string;
  readonly log?: string;
  readonly yes?: boolean;
}

/** What is tested, and how many cases it is given. */
export interface Tested {
  readonly role: Role;
  /** Its command line. */
  readonly subject: string;
  readonly cases: number;
}

export const print = (text: string) => void process.stdout.write(text);

/** Runs the cases, and prints and writes what was found, also where the run is interrupted. */
export async function reportRun(
  { role, subject, cases }: Tested,
  flags: ReportFlags,
  run: (anvilFolder: string, watch: RunWatch) => Promise<readonly CaseResult[]>,
): Promise<ExitCode> {
  const kit = await import("@farthing/conform");
  for (const path of [flags.junit, flags.badge, flags.log]) checkWritable(path);
  const anvilFolder = await prepareLocalChain(flags.yes);
  const signal = listenForSignals();
  const results: CaseResult[] = [];
  const isText = flags.json !== true;
  const log = flags.log === undefined ? undefined : createWriteStream(flags.log);
  const waiting = startWaiting(`Starting a local chain and the ${role}`);
  const watch: RunWatch = {
    signal,
    onCase: (name) => waiting.now(`${results.length + 1} of ${cases}: ${name}`),
    onResult(result) {
      results.push(result);
      log?.write(`--- ${result.verdict}: ${result.name}\n`);
      if (!isText) return;
      waiting.hide();
      print(kit.resultLines(result, terminalWidth()));
    },
    onOutput: (text) => void log?.write(text),
  };
  let failure: unknown;
  try {
    await run(anvilFolder, watch);
  } catch (error) {
    failure = error;
  } finally {
    waiting.end();
    log?.end();
  }
  const profiles = kit.profiles.filter((one) => flags.profile === "all" || one === flags.profile);
  const found = { role, subject, profiles, results };
  const isOver = failure === undefined;
  if (isOver || results.length > 0) {
    if (!isText) print(`${printableJson(found, 2)}\n`);
    else print(kit.summaryLines(found));
    if (flags.junit !== undefined) writeFileSync(flags.junit, kit.junitReport(found));
    // A badge of half a run would say too much.
    if (flags.badge !== undefined && isOver) writeFileSync(flags.badge, kit.badgeSvg(found));
  }
  if (!isOver && signal.aborted) {
    writeTo(process.stderr, `farthing: Interrupted after ${results.length} of ${cases} cases.\n`);
    return exitCodes.interrupted;
  }
  if (failure instanceof kit.SubjectError) {
    throw new ConfigurationError(`The ${role} could not be tested: ${failure.message}`, {
      cause: failure,
    });
  }
  if (!isOver) throw failure;
  return kit.countVerdicts(results).fail === 0 ? exitCodes.success : exitCodes.general;
}

/** Before minutes of a run, not after them. */
function checkWritable(path: string | undefined): void {
  if (path === undefined) return;
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  } catch (cause) {
    throw new UsageError(`${path} cannot be written: ${messageOf(cause)}`);
  }
}
