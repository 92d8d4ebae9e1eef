/** Races: the same kind of request to several programs in turn, so that all meet the same machine. */
import { setTimeout as pause } from "node:timers/promises";
import { usageBetween, type Server } from "../processes.ts";
import { middleOf, short, table, withRange } from "../report-table.ts";
import { runHttpLoad, type Ask, type HttpLoadResult } from "./http-load.ts";

/** One program in a race: a server with what it is asked, or a client that requests by itself. */
export type Racer = ServingRacer | RequestingRacer;

interface ServingRacer {
  readonly name: string;
  readonly server: Server;
  ask(connection: number): Ask | undefined;
}

interface RequestingRacer {
  readonly name: string;
  /** Requests in a closed loop, so many at a time, and measures itself. */
  request(connections: number, window: Omit<RacePlan, "rounds">): Promise<WindowFigures>;
}

export interface Race {
  readonly title: string;
  readonly connections: number;
  readonly racers: readonly Racer[];
  /** The name of the racer beside which the others stand. */
  readonly beside: string;
  /** How many times as long its windows are. */
  readonly times?: number;
  /** What the rate of a racer should be beside that one, at least. */
  readonly atLeast?: Readonly<Record<string, number>>;
}

export interface RacePlan {
  /** Windows of each racer; those of one round are compared. */
  readonly rounds: number;
  readonly warmUpMs: number;
  readonly countMs: number;
}

/** Five interleaved rounds; a pair spreads by about a tenth. */
export const usualWindows: RacePlan = { rounds: 5, warmUpMs: 300, countMs: 1_000 };

/**
 * A payment takes a millisecond or two of a seller's core, so that a thousand callers wait longer than
 * a window for their first response.
 */
export function timesOfPayments(connections: number): number {
  return connections >= 1_000 ? 6 : 1;
}

/** What a window shows. */
export interface WindowFigures extends HttpLoadResult {
  /** CPU time of the program for one request, in microseconds; NaN where the system does not tell. */
  readonly cpuMicros: number;
  readonly memoryMiB: number;
}

/** One window. */
export interface RaceWindow extends WindowFigures {
  readonly title: string;
  readonly connections: number;
  readonly racer: string;
  readonly round: number;
}

/** Runs all races, round by round. */
export async function runRaces(
  races: readonly Race[],
  plan: RacePlan,
  tell: (line: string) => void,
): Promise<RaceWindow[]> {
  const windows: RaceWindow[] = [];
  // The first round compiles the hot code of each program and does not count.
  for (let round = 0; round <= plan.rounds; round++) {
    for (const { title, connections, racers, times = 1 } of races) {
      // Each comes first in turn.
      for (const racer of round % 2 === 0 ? racers : racers.toReversed()) {
        const { warmUpMs, countMs } = plan;
        const window = { warmUpMs: warmUpMs * times, countMs: countMs * times };
        const figures = await runWindow(racer, connections, window).catch((cause: unknown) => {
          const where = `${title}, ${connections} connections, ${racer.name}`;
          throw new Error(`${where}: ${String(cause)}`, { cause });
        });
        if (round === 0) continue;
        windows.push({ title, connections, racer: racer.name, round, ...figures });
        tell(JSON.stringify(windows.at(-1)));
      }
    }
  }
  return windows;
}

/** The gateway takes a thousand connections of one address; those of a window count until closed. */
const betweenWindowsMs = 250;

async function runWindow(
  racer: Racer,
  connections: number,
  window: Omit<RacePlan, "rounds">,
): Promise<WindowFigures> {
  await pause(betweenWindowsMs);
  if ("request" in racer) return racer.request(connections, window);
  const { server, ask } = racer;
  const { warmUpMs, countMs } = window;
  const marks: ReturnType<Server["usage"]>[] = [];
  const result = await runHttpLoad({
    url: server.url,
    connections,
    ask,
    warmUpMs,
    countMs,
    onCounting: () => void marks.push(server.usage()),
  });
  return { ...result, ...usageBetween(marks, result.good) };
}

const columns = [
  "connections",
  "",
  "a second",
  "beside",
  "target",
  "CPU µs",
  "beside",
  "p50 ms",
  "p99 ms",
  "added ms",
  "MiB",
];

/** How the figures of a section came about. */
export function describeWindows({ rounds, countMs }: RacePlan): string {
  return `Callers ask in a closed loop, in ${rounds} rounds with a window of ${countMs / 1_000} s of each program, one after the other. A ratio is that of the windows of one round; the middle of the rounds is shown, with the smallest and the largest. \`added\` is the difference of the p50 to the program beside.`;
}

/** How long payments are counted, where a plan has so many callers. */
export function describePaidWindows({ countMs }: RacePlan): string {
  return `Payments of a thousand callers are counted for ${(countMs * timesOfPayments(1_000)) / 1_000} s.`;
}

/** A heading and a table for the races of each title. */
export function raceParts(races: readonly Race[], windows: readonly RaceWindow[]): string[] {
  const ofTitle = Map.groupBy(races, ({ title }) => title);
  return [...ofTitle].flatMap(([title, own]) => {
    const [beside] = own.map((race) => race.beside);
    return [`### ${title}`, "", `Beside: ${beside}.`, "", raceTable(own, windows), ""];
  });
}

/** The middle of each figure, and of the ratios of the windows of one round. */
function raceTable(races: readonly Race[], windows: readonly RaceWindow[]): string {
  return table(
    columns,
    races.flatMap((race) => raceRows(race, windows)),
  );
}

function raceRows(
  { title, connections, racers, beside, atLeast }: Race,
  windows: readonly RaceWindow[],
): string[][] {
  const own = windows.filter((one) => one.title === title && one.connections === connections);
  return racers.map(({ name }) => {
    const mine = own.filter(({ racer }) => racer === name);
    const pairs = mine.flatMap((window) => {
      const other = own.find(({ racer, round }) => racer === beside && round === window.round);
      return other && name !== beside ? [{ window, other }] : [];
    });
    const middle = (figure: "perSecond" | "cpuMicros" | "p50Ms" | "p99Ms" | "memoryMiB") =>
      short(middleOf(mine.map((window) => window[figure])));
    const rates = pairs.map(({ window, other }) => window.perSecond / other.perSecond);
    const cpu = pairs.map(({ window, other }) => window.cpuMicros / other.cpuMicros);
    const added = pairs.map(({ window, other }) => window.p50Ms - other.p50Ms);
    return [
      connections.toLocaleString("en"),
      name,
      middle("perSecond"),
      ratioCell(rates),
      targetCell(atLeast?.[name], rates),
      middle("cpuMicros"),
      ratioCell(cpu),
      middle("p50Ms"),
      middle("p99Ms"),
      added.length === 0 ? "" : middleOf(added).toPrecision(2),
      middle("memoryMiB"),
    ];
  });
}

function ratioCell(values: readonly number[]): string {
  return values.length === 0 ? "" : withRange(values);
}

function targetCell(target: number | undefined, rates: readonly number[]): string {
  if (target === undefined) return "";
  const isReached = middleOf(rates) >= target;
  return `at least ${target}: ${isReached ? "reached" : "**not reached**"}`;
}
