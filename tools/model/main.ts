/** The command: checks the models of the engine and of the seller's records. */
import { parseArgs } from "node:util";
import { line, storyOf, type Checked } from "./report.ts";
import { deepRuns, smallRuns, type Run } from "./runs.ts";

const usage = `Visits every state of the abstract machines within their bounds, and checks the promises.

  npm run model                          small bounds, less than a minute
  npm run model -- --deep                larger bounds, ten minutes
  npm run model -- --deep --minutes 60   for an hour
  npm run model -- --run "a crash"       the runs with this in their name
  npm run model -- --list                the runs and their bounds`;

const { values } = parseArgs({
  options: {
    deep: { type: "boolean", default: false },
    minutes: { type: "string", default: "10" },
    run: { type: "string" },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** A run that needs more is told as not complete. */
const maxStates = 20_000_000;

function check(run: Run, maxMs: number): Checked {
  const checked = { run, found: run.explore({ maxStates, maxMs }) };
  console.log(line(checked));
  const { counterExample } = checked.found;
  if (counterExample) console.log(storyOf(counterExample));
  return checked;
}

function main(): void {
  if (values.help) return console.log(usage);
  const all = values.deep ? deepRuns : smallRuns;
  const runs = all.filter(({ name }) => name.includes(values.run ?? ""));
  if (values.list)
    return console.log(runs.map(({ name, words }) => `${name}: ${words}`).join("\n"));
  const endsAt = performance.now() + Number(values.minutes) * 60_000;
  const checked = runs.map((run) => check(run, Math.max(1_000, endsAt - performance.now())));
  if (checked.some(({ found }) => found.counterExample)) process.exitCode = 1;
}

main();
