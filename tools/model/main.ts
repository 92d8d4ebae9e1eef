/** The command: checks the models of the engine and of the seller's records. */
import { parseArgs } from "node:util";
import { runMutants } from "./mutants/run-mutants.ts";
import { recordFigures } from "./record-figures.ts";
import { jsonOf, line, storyOf, type Checked } from "./report.ts";
import { deepRuns, smallRuns, thoroughRuns, type Run } from "./runs.ts";

const usage = `Visits every state of the abstract machines within their bounds, and checks the promises.

  npm run model                          small bounds, less than a minute
  npm run model -- --thorough            what the mutants are checked with, two minutes
  npm run model -- --deep                larger bounds, ten minutes
  npm run model -- --deep --minutes 60   for an hour
  npm run model -- --deep --record       with the figures for docs/reference/campaigns.md
  npm run model -- --run "a crash"       the runs with this in their name
  npm run model -- --first               stops at the first broken promise
  npm run model -- --list                the runs and their bounds
  npm run model -- --mutants             changes one rule after the other; the model has to notice each
  npm run model -- --mutants --mutant nonce    the mutants with this in their name
  npm run model -- --json                with each counter-example as a line of JSON, which is a story file

  npm run model -- --replay "a crash"    plays the counter-example of a run on the real service, in the
                                         simulator, and audits it; a step that it cannot play is named
  npm run model -- --replay story.json   the same with a file: what --json or the model itself prints
  npm run model -- --replay "a crash" --mutant "a submitted payment is not confirmed"
                                         with a rule changed, in the model and in the service; then once
                                         more with the rule as it is`;

const { values } = parseArgs({
  options: {
    deep: { type: "boolean", default: false },
    minutes: { type: "string", default: "10" },
    run: { type: "string" },
    thorough: { type: "boolean", default: false },
    first: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    mutants: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    replay: { type: "string" },
    mutant: { type: "string" },
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
  if (counterExample && values.json) console.log(jsonOf(run, counterExample));
  return checked;
}

async function checkMutants(): Promise<void> {
  const results = await runMutants(values.mutant ?? "", ({ mutant, caughtBy }) =>
    console.log(
      `${(caughtBy === undefined ? "survives" : "caught").padEnd(8)} ${mutant.name}: ${caughtBy ?? "no run finds it"}`,
    ),
  );
  const survivors = results.filter(({ caughtBy }) => caughtBy === undefined);
  console.log(`${results.length - survivors.length} of ${results.length} mutants are caught.`);
  if (survivors.length > 0) process.exitCode = 1;
}

async function main(): Promise<void> {
  if (values.help) return console.log(usage);
  if (values.mutants) return checkMutants();
  if (values.replay !== undefined) {
    // Loaded for a replay alone: the model itself needs nothing of the service.
    const { replayCommand } = await import("./replay-command.ts");
    if (await replayCommand(values.replay, values.mutant)) process.exitCode = 1;
    return;
  }
  const all = values.deep ? deepRuns : values.thorough ? thoroughRuns : smallRuns;
  const runs = all.filter(({ name }) => name.includes(values.run ?? ""));
  if (values.list)
    return console.log(runs.map(({ name, words }) => `${name}: ${words}`).join("\n"));
  const endsAt = performance.now() + Number(values.minutes) * 60_000;
  const done: Checked[] = [];
  for (const [index, run] of runs.entries()) {
    const leftMs = endsAt - performance.now();
    const checked = check(run, Math.max(1_000, leftMs / (runs.length - index)));
    done.push(checked);
    if (!checked.found.counterExample) continue;
    process.exitCode = 1;
    if (values.first) break;
  }
  if (values.record) recordFigures(done);
}

await main();
