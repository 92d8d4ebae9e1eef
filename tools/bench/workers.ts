/** `/verify` with workers beside one process: what the main process and the workers take for each. */
import { execFileSync } from "node:child_process";
import { startDevnet } from "@farthing/devnet";
import { startFarthing } from "./contenders.ts";
import { runLoad } from "./load.ts";
import { openMint } from "./payments.ts";
import { cores, pin, readUsage, usageBetween, type Server, type Usage } from "./processes.ts";
import { middleOf, short, table, withRange } from "./report-table.ts";
import { runRaces, type RacePlan, type Racer, type RaceWindow } from "./requests/race.ts";

/** Its heading. */
export const workersHeading = "## Workers";

export interface WorkersPlan extends RacePlan {
  readonly callers: readonly number[];
  /** Numbers of workers; 1 is one process that does all. */
  readonly workers: readonly number[];
}

/** Thirty windows of two seconds and a half. */
export const workersPlan: WorkersPlan = {
  callers: [128, 512],
  workers: [1, 2, 4],
  rounds: 5,
  warmUpMs: 500,
  countMs: 2_000,
};

export interface WorkersFigures {
  readonly windows: readonly RaceWindow[];
  /** CPU time of all workers for a request, in microseconds, by the name of a window. */
  readonly workerMicros: ReadonlyMap<string, readonly number[]>;
}

/** Three times the rate of one process, on a machine with enough cores. */
const ratioMax = 1 / 3;

/** Distinct payments, of distinct payers. */
const payments = 4_000;
const payers = 500;

const nameOf = (workers: number) => (workers === 1 ? "one process" : `${workers} workers`);
const windowOf = (racer: string, callers: number) => `${racer} ${callers}`;

/** The main process has a core; workers, chain and load share the other. */
export async function measureWorkers(
  plan: WorkersPlan,
  tell: (line: string) => void,
): Promise<WorkersFigures> {
  pin(process.pid, cores.others);
  await using stack = new AsyncDisposableStack();
  const devnet = await startDevnet({ blockTimeSeconds: 1, buyers: payers, relayers: 4 });
  stack.defer(() => devnet.stop());
  pin(devnet.pid, cores.others);
  const bodies = (await openMint(devnet)).make(payments);
  const workerMicros = new Map<string, number[]>();
  const racers: Racer[] = [];
  for (const workers of plan.workers) {
    const settings = { FARTHING_WORKERS: `${workers}` };
    const server = await startFarthing(devnet, devnet.rpcUrl, 1, settings);
    stack.defer(async () => void (await server.stop()));
    const children = workers === 1 ? [] : workersOf(server.pid);
    for (const pid of children) pin(pid, cores.others);
    racers.push(verifying(nameOf(workers), { server, children, bodies, workerMicros }));
  }
  const races = plan.callers.map((callers) => {
    return { title: "Workers", connections: callers, racers, beside: nameOf(1) };
  });
  return { windows: await runRaces(races, plan, tell), workerMicros };
}

/** The workers of a process, by their program. */
function workersOf(parent: number): number[] {
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  return listed.split("\n").flatMap((line) => {
    const [pid, ppid, ...words] = line.trim().split(/\s+/);
    const isWorker = words.some((word) => /worker-process\.[jt]s$/.test(word));
    return isWorker && Number(ppid) === parent ? [Number(pid)] : [];
  });
}

interface Verifying {
  readonly server: Server;
  readonly children: readonly number[];
  readonly bodies: readonly string[];
  readonly workerMicros: Map<string, number[]>;
}

function verifying(name: string, { server, children, bodies, workerMicros }: Verifying): Racer {
  let turn = 0;
  return {
    name,
    async request(callers, window) {
      const marks: (Usage | undefined)[] = [];
      const ofWorkers: number[] = [];
      const result = await runLoad({
        ...window,
        url: server.url,
        path: "/verify",
        callers,
        next: () => bodies[turn++ % bodies.length],
        onCounting() {
          marks.push(server.usage());
          const used = children.map((pid) => readUsage(pid)?.cpuSeconds ?? Number.NaN);
          ofWorkers.push(used.reduce((sum, one) => sum + one, 0));
        },
      });
      if (result.complaint !== undefined) throw new Error(result.complaint);
      const [begin = 0, end = 0] = ofWorkers;
      const known = workerMicros.get(windowOf(name, callers)) ?? [];
      workerMicros.set(windowOf(name, callers), [...known, ((end - begin) * 1e6) / result.good]);
      return { ...result, ...usageBetween(marks, result.good) };
    },
  };
}

/** Writes the section. */
export function workersSection(plan: WorkersPlan, figures: WorkersFigures): string {
  const columns = [
    "callers",
    "",
    "a second",
    "CPU µs, main",
    "beside",
    "CPU µs, workers",
    "p50 ms",
  ];
  const rows = plan.callers.flatMap((callers) =>
    plan.workers.map((workers) => rowOf(callers, nameOf(workers), figures)),
  );
  return [
    workersHeading,
    "",
    `\`npm run bench -- --workers\` measures this part alone: valid payments to \`/verify\`, on a SQLite file. The main process has one core to itself; workers, chain and load share the other, which bounds the rate here, so it does not show what more cores would give. The main process's time for a verify does: it is all that one core does, and \`beside\` one process its ratio bounds how many times as many verifies a machine with enough cores can serve. Callers ask in a closed loop, in ${plan.rounds} rounds with a window of ${plan.countMs / 1_000} s of each; the middle of the rounds is shown, and for ratios the smallest and the largest.`,
    "",
    table(columns, rows),
    "",
  ].join("\n");
}

function rowOf(callers: number, name: string, { windows, workerMicros }: WorkersFigures) {
  const own = windows.filter(({ connections }) => connections === callers);
  const mine = own.filter(({ racer }) => racer === name);
  const ratios = mine.flatMap(({ round, cpuMicros }) => {
    const alone = own.find((one) => one.racer === nameOf(1) && one.round === round);
    return alone && name !== nameOf(1) ? [cpuMicros / alone.cpuMicros] : [];
  });
  // The first round does not count.
  const [, ...micros] = workerMicros.get(windowOf(name, callers)) ?? [];
  return [
    `${callers}`,
    name,
    short(middleOf(mine.map(({ perSecond }) => perSecond))),
    short(middleOf(mine.map(({ cpuMicros }) => cpuMicros))),
    ratios.length === 0 ? "" : withRange(ratios),
    ratios.length === 0 ? "" : targetCell(ratios),
    name === nameOf(1) ? "" : short(middleOf(micros)),
    short(middleOf(mine.map(({ p50Ms }) => p50Ms))),
  ];
}

function targetCell(ratios: readonly number[]): string {
  const isReached = middleOf(ratios) <= ratioMax;
  return `at most ${short(ratioMax)}: ${isReached ? "reached" : "**not reached**"}`;
}
