/** The command: replays the kept seeds, then plays new ones for as long as it is told to. */
import { parseArgs } from "node:util";
import kept from "./seeds.json" with { type: "json" };
import { drawPlan, troubles, type Trouble } from "./plan.ts";
import { readTroubles } from "./read-troubles.ts";
import { line, story } from "./report.ts";
import { run } from "./run.ts";

const usage = `Plays faults against the facilitator and audits it afterwards.

  npm run sim                         the kept seeds, then 5 new ones
  npm run sim -- --seed 17            one seed, to look into it
  npm run sim -- --seeds 50           the kept ones, then 50 new ones
  npm run sim -- --minutes 30         the kept ones, then new ones for half an hour
  npm run sim -- --troubles road,lag  only these: ${troubles.join(", ")}
  npm run sim -- --seed 17 --trace    with everything that happened
  npm run sim -- --minutes 30 --keep-going   does not stop at the first broken promise`;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string" },
    minutes: { type: "string" },
    troubles: { type: "string" },
    trace: { type: "boolean", default: false },
    "keep-going": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

let isBroken = false;

async function play(seed: number, only: readonly Trouble[] | undefined): Promise<void> {
  const report = await run(drawPlan(seed, only));
  console.log(line(report));
  if (report.violations.length > 0) {
    isBroken = true;
    console.log(story(report));
  }
  if (values.trace) console.log(report.trace.join("\n"));
}

async function main(): Promise<void> {
  if (values.help) return console.log(usage);
  const only = values.troubles === undefined ? undefined : readTroubles(values.troubles);
  if (values.seed !== undefined) return play(Number(values.seed), only);
  for (const { seed, troubles: named } of kept) await play(seed, readTroubles(named));
  const until = Date.now() + Number(values.minutes ?? 0) * 60_000;
  const least = Number(values.seeds ?? (values.minutes === undefined ? 5 : 0));
  const first = Date.now() % 1_000_000_000;
  for (let count = 0; count < least || Date.now() < until; count++) {
    if (isBroken && !values["keep-going"]) break;
    await play(first + count, only);
  }
}

await main();
process.exitCode = isBroken ? 1 : 0;
