/** The command: replays the kept seeds, then plays new ones for as long as it is told to. */
import { parseArgs } from "node:util";
import { rateRefusals } from "@farthing/lab/ordinary-node";
import kept from "./seeds.json" with { type: "json" };
import { sumOf, type ObservedFaultCounts } from "./observed-faults.ts";
import { channelFaultKinds } from "./channels/channel-plan.ts";
import { playSeeds, readChannelFaultKinds } from "./channels/play-seeds.ts";
import { createDatabases } from "./databases.ts";
import { drawPlan, type PlanInput } from "./draw-plan.ts";
import { faultKinds, type Plan } from "./plan.ts";
import { allScenarios, scenariosOfPaths } from "./path-runs.ts";
import { findingsOf, playPublicEndpoint, publicEndpoint, summaryOf } from "./public-endpoint.ts";
import { readService, readFaultKinds } from "./read-plan-input.ts";
import { countPaths } from "./recovery-paths.ts";
import { observedFaultTable, pathTable, line, story } from "./report.ts";
import { byFaultKind, recordCampaign } from "./record-campaign.ts";
import { run, type RunReport } from "./run.ts";

const usage = `Plays faults against the facilitator and audits it afterwards.

  npm run sim                         the kept seeds, then 5 new ones
  npm run sim -- --seed 17            one seed, to look into it
  npm run sim -- --seeds 50           the kept ones, then 50 new ones
  npm run sim -- --minutes 30         the kept ones, then new ones for half an hour
  npm run sim -- --scenarios          the kept seeds and the scenarios of the tests, then 5 new ones
  npm run sim -- --paths              a scenario for each recovery path of the engine, which has to take it
  npm run sim -- --troubles road,lag  only these: ${faultKinds.join(", ")}
  npm run sim -- --seed 17 --trace    with everything that happened
  npm run sim -- --minutes 30 --keep-going   does not stop at the first broken promise
  npm run sim -- --minutes 60 --keep-going --record   adds the run to docs/reference/campaigns.md

  npm run sim -- --public-endpoint    a public endpoint is enough: an hour of payments, one a second,
                                      through an endpoint of 5 HTTP requests a second, in virtual
                                      time; --minutes 2 for less
  npm run sim -- --public-endpoint --real    five minutes of it on a devnet, in real time
  --refusals json_429                 how the endpoint says that it is too much: ${rateRefusals.join(", ")}

  npm run sim -- --channels           buyers, sellers and the vault of channels, in one process;
                                      with --seed, --seeds, --minutes, --trace and --keep-going
  --service                           the facilitator is the whole service, with its relayer
  --database postgres                 of the vault; sqlite where it is left out
  --troubles gone,withdraw            of ${channelFaultKinds.join(", ")}

What a seed would choose by itself can be said:

  --database sqlite|postgres          PostgreSQL is shared by two processes
  --face self-built|public            public: API keys, answers before the outcome
  --confirmations 4                   blocks until a payment counts as confirmed
  --in-flight 10                      transactions of one wallet on their way at most`;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string" },
    minutes: { type: "string" },
    ["troubles"]: { type: "string" },
    database: { type: "string" },
    face: { type: "string" },
    confirmations: { type: "string" },
    "in-flight": { type: "string" },
    trace: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    "keep-going": { type: "boolean", default: false },
    "public-endpoint": { type: "boolean", default: false },
    scenarios: { type: "boolean", default: false },
    paths: { type: "boolean", default: false },
    channels: { type: "boolean", default: false },
    service: { type: "boolean", default: false },
    real: { type: "boolean", default: false },
    refusals: { type: "string", default: "json_429" },
    help: { type: "boolean", default: false },
  },
});

const databases = createDatabases();
const observed: ObservedFaultCounts[] = [];
const taken: ReadonlySet<string>[] = [];
let isBroken = false;
let broken = 0;

const play = async (seed: number, input: PlanInput) => void (await playPlan(drawPlan(seed, input)));

async function playPlan(plan: Plan): Promise<RunReport> {
  const report = await run(plan, databases);
  observed.push(report.observedFaults);
  taken.push(report.paths);
  console.log(line(report));
  if (report.violations.length > 0) {
    isBroken = true;
    broken += 1;
    console.log(story(report));
  }
  if (values.trace) console.log(report.trace.join("\n"));
  return report;
}

/** A path that its scenario does not take is untested, so that the command fails. */
async function playPaths(): Promise<void> {
  for (const [name, plan, paths] of scenariosOfPaths) {
    const report = await playPlan(plan);
    const missed = paths.filter((path) => !report.paths.has(path));
    isBroken ||= missed.length > 0;
    console.log([name, ...missed.map((path) => `  not taken: ${path}`)].join("\n"));
  }
}

/** Minutes of the scenario: of virtual time, and of real time. */
const endpointMinutes = { virtual: 60, real: 5 };

async function playEndpoint(): Promise<void> {
  const isReal = values.real;
  const style = rateRefusals.find((one) => one === values.refusals);
  if (!style) throw new Error(`--refusals is one of: ${rateRefusals.join(", ")}`);
  const minutes = Number(values.minutes ?? endpointMinutes[isReal ? "real" : "virtual"]);
  const report = await playPublicEndpoint(publicEndpoint({ seconds: minutes * 60, isReal, style }));
  const findings = findingsOf(report);
  isBroken = findings.length > 0;
  console.log([summaryOf(report), ...findings.slice(0, maxFindingsPrinted)].join("\n"));
  if (values.trace) console.log(report.trace.join("\n"));
}

/** A service that stands still breaks thousands of promises in the same way. */
const maxFindingsPrinted = 20;

/** Seeds of channels that are played where neither they nor a time is named. */
const channelSeeds = 20;

async function playManyChannels(): Promise<void> {
  const { seed, seeds, minutes } = values;
  const named = values["troubles"];
  const count = seed !== undefined ? 1 : minutes === undefined ? channelSeeds : 0;
  const isKept = await playSeeds({
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    seeds: Number(seeds ?? count),
    minutes: Number(minutes ?? 0),
    ...(named === undefined ? {} : { faultKinds: readChannelFaultKinds(named) }),
    database: readService(values).database ?? "sqlite",
    isService: values.service,
    hasTrace: values.trace,
    keepsGoing: values["keep-going"],
  });
  isBroken = !isKept;
}

async function main(): Promise<void> {
  if (values.help) return console.log(usage);
  if (values["public-endpoint"]) return playEndpoint();
  if (values.channels) return playManyChannels();
  if (values.paths) return playPaths();
  const named = values["troubles"];
  const service = readService(values);
  const input = { service, ...(named === undefined ? {} : { faultKinds: readFaultKinds(named) }) };
  if (values.seed !== undefined) return play(Number(values.seed), input);
  for (const entry of kept) {
    await play(entry.seed, {
      faultKinds: readFaultKinds(entry["troubles"]),
      service: readService(entry.service),
    });
  }
  if (values.scenarios) for (const plan of Object.values(allScenarios)) await playPlan(plan);
  const until = Date.now() + Number(values.minutes ?? 0) * 60_000;
  const min = Number(values.seeds ?? (values.minutes === undefined ? 5 : 0));
  const first = Date.now() % 1_000_000_000;
  for (let count = 0; count < min || Date.now() < until; count++) {
    if (isBroken && !values["keep-going"]) break;
    await play(first + count, input);
  }
}

try {
  await main();
} finally {
  await databases.stop();
}
if (observed.length > 0) console.log(observedFaultTable(sumOf(observed)));
if (taken.length > 0) console.log(pathTable(countPaths(taken)));
if (values.record && observed.length > 0) {
  recordCampaign({
    command: `npm run sim -- ${process.argv.slice(2).join(" ")}`,
    minutes: Math.round(performance.now() / 60_000),
    runs: observed.length,
    broken,
    faults: byFaultKind(sumOf(observed)),
    paths: countPaths(taken),
  });
}
process.exitCode = isBroken ? 1 : 0;
