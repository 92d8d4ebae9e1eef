/** The command: plays one soak and prints its figures; exit status 1 when a promise was broken. */
import { inspect, parseArgs } from "node:util";
import type { SoakOptions } from "./plan.ts";
import { recordSoak } from "../sim/record-campaign.ts";
import { announcement, page, progressLine, soakFigures } from "./report.ts";
import { channelPage } from "./channels/channel-report.ts";
import { soakChannels } from "./channels/channel-soak.ts";
import { soak } from "./soak.ts";

const usage = `Settles many payments with several facilitators while they are killed, and audits the result.

  npm run soak                          10,000 payments, some minutes
  npm run soak -- --payments 2000 --seed 7
  npm run soak -- --standby             the database's primary is killed ten times under load, and an
                                        asynchronous standby, two seconds behind, takes over
  npm run soak -- --channels            10,000 calls of 20 stock buyers by channels, and how many
                                        transactions they took; --payments and --payers change it

  --payments 10000    payments in all
  --payers 500        wallets that they come from
  --processes 3       facilitators that share the database
  --relayers 6        wallets that they send from
  --in-flight 300     payments asked for at the same time
  --kill-every 3s     time between two kills, 0 for none
  --freeze-one-in 8   one in so many kills freezes a process for longer than a lease, 0 for none
  --standby           as above, with 3,000 payments, 100 at a time, and processes that live
  --fail-overs 10     how often, with --standby
  --seed 1            draws payments and victims; another number, another soak
  --record            adds the figures to docs/reference/campaigns.md
  --logs <folder>     keeps what the facilitators log

DATABASE_URL_TEST names a PostgreSQL server to use; without it one is started.
`;

/** What a shell expects of a program that Ctrl-C has ended. */
const interruptedStatus = 130;

const text = (fallback: string) => ({ type: "string", default: fallback }) as const;

function readArguments() {
  const { values } = parseArgs({
    options: {
      payments: { type: "string" },
      payers: { type: "string" },
      processes: text("3"),
      relayers: text("6"),
      "in-flight": { type: "string" },
      "kill-every": { type: "string" },
      "freeze-one-in": text("8"),
      standby: { type: "boolean", default: false },
      "fail-overs": text("10"),
      seed: text("1"),
      record: { type: "boolean", default: false },
      logs: { type: "string" },
      channels: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  return values;
}

type Arguments = ReturnType<typeof readArguments>;

function readOptions(values: Arguments): SoakOptions {
  const { logs } = values;
  // Without kills of processes, what is found is due to the database.
  const usual = values.standby
    ? { payments: "3000", inFlight: "100", killEvery: "0s" }
    : { payments: "10000", inFlight: "300", killEvery: "3s" };
  return {
    payments: whole("payments", values.payments ?? usual.payments, 1),
    payers: whole("payers", values.payers ?? "500", 1),
    processes: whole("processes", values.processes, 1),
    relayers: whole("relayers", values.relayers, 1),
    inFlight: whole("in-flight", values["in-flight"] ?? usual.inFlight, 1),
    killEveryMs: milliseconds("kill-every", values["kill-every"] ?? usual.killEvery),
    freezeOneIn: whole("freeze-one-in", values["freeze-one-in"], 0),
    failOvers: values.standby ? whole("fail-overs", values["fail-overs"], 1) : 0,
    seed: whole("seed", values.seed, 0),
    ...(logs === undefined ? {} : { logs }),
  };
}

function whole(name: string, given: string, least: number): number {
  const number = Number(given);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`--${name} must be a whole number from ${least}, not "${given}"`);
}

/** Reads `3s`, `2.5s`, `500ms`, or seconds without a unit. */
function milliseconds(name: string, given: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(s|ms)?$/.exec(given) ?? [];
  if (digits !== undefined) return Number(digits) * (unit === "ms" ? 1 : 1_000);
  throw new Error(`--${name} must be a time such as 3s or 500ms, not "${given}"`);
}

/** Calls between two lines of progress. */
const progressCalls = 1_000;

async function runChannels({ payments, payers }: Arguments): Promise<number> {
  const calls = whole("payments", payments ?? "10000", 1);
  const buyers = whole("payers", payers ?? "20", 1);
  const report = await soakChannels({ calls, buyers, refunds: Math.min(2, buyers) }, (made) => {
    if (made % progressCalls === 0) console.log(`${made} calls`);
  });
  console.log(channelPage(report));
  return report.violations.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const values = readArguments();
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  // All that was started holds on to this process and ends with it.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => process.exit(interruptedStatus));
  }
  if (values.channels) return runChannels(values);
  const options = readOptions(values);
  console.log(announcement(options));
  const report = await soak(options, (progress) => console.log(progressLine(progress)));
  console.log(page(report));
  if (values.record) recordSoak(soakFigures(report));
  return report.violations.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`soak: ${inspect(error)}\n`);
  process.exitCode = 1;
}
