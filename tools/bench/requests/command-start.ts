/** What the start of the `farthing` command costs, as it is published and from a checkout. */
import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { commandBundle } from "../../release/bundle.ts";
import { canPin, cores } from "../processes.ts";
import { middleOf, short, table, withRange } from "../report-table.ts";

const cli = fileURLToPath(new URL("../../../packages/cli", import.meta.url));

/** Each command line is started so often, of which the middle counts. */
export const startsDefault = 10;

const commandLines = [["--version"], ["--help"], ["pay", "--help"]] as const;

/** CPU milliseconds of every start of a program. */
export interface CommandStarts {
  readonly name: string;
  readonly cpuMs: readonly number[];
}

const nodeAlone = "`node -e 0`";

/** Writes the CPU time of a program, in microseconds, to its fourth file when it ends. */
const atExit = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  require("node:fs").writeSync(3, String(user + system));
});`;

/** Bundles the command into the folder and starts everything in turn, so many times. */
export async function measureStarts(times: number, folder: string): Promise<CommandStarts[]> {
  const hook = join(folder, "at-exit.cjs");
  writeFileSync(hook, atExit);
  const published = join(folder, "farthing");
  for (const part of ["bin", "package.json"]) {
    cpSync(join(cli, part), join(published, part), { recursive: true });
  }
  const sources = ["main", "program"].map((name) => join(cli, "src", `${name}.ts`));
  // From the sources, which are the built files without their types.
  await build({
    ...commandBundle(sources, join(published, "dist")),
    absWorkingDir: cli,
    conditions: ["@farthing/source"],
  });
  const programs = [
    { name: nodeAlone, argv: ["-e", "0"] },
    ...[published, cli].flatMap((home) =>
      commandLines.map((args) => ({
        name: `\`farthing ${args.join(" ")}\`${home === cli ? ", from a checkout" : ""}`,
        argv: [join(home, "bin/farthing.js"), ...args],
      })),
    ),
  ];
  const starts = programs.map(({ name }) => ({ name, cpuMs: [] as number[] }));
  for (let time = 0; time < times; time++) {
    for (const [index, { argv }] of programs.entries()) {
      starts[index]?.cpuMs.push(cpuMsOf(["--require", hook, ...argv]));
    }
  }
  return starts;
}

/** A start takes a second at most; one that hangs must not stop the run. */
const startMsMax = 60_000;

function cpuMsOf(argv: readonly string[]): number {
  const launcher = canPin ? ["taskset", "-c", `${cores.server}`] : [];
  const [program = "", ...args] = [...launcher, process.execPath, ...argv];
  const ended = spawnSync(program, args, {
    // Without a cache of compiled code, which a new installation does not have.
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    encoding: "utf8",
    timeout: startMsMax,
  });
  if (ended.status !== 0) throw new Error(`${argv.join(" ")} failed: ${ended.stderr}`);
  return Number(ended.output[3]) / 1_000;
}

/** The middle of the starts, beside Node alone. */
export function startsTable(starts: readonly CommandStarts[]): string {
  const [alone] = starts;
  const rows = starts.map(({ name, cpuMs }) => {
    const ratios = cpuMs.map((one, index) => one / (alone?.cpuMs[index] ?? Number.NaN));
    return [name, short(middleOf(cpuMs)), name === nodeAlone ? "" : withRange(ratios)];
  });
  return table(["", "CPU ms", `beside ${nodeAlone}`], rows);
}
