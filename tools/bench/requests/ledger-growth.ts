/** A payment beside the number of payments that the buyer's ledger has recorded before. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startServer, type Server } from "../processes.ts";
import { middleOf, short, table, withRange } from "../report-table.ts";
import { command } from "./command-server.ts";
import type { LedgerSize, OperationFigures } from "./ledger-process.ts";

export interface LedgerPlan {
  /** Payments before, the first number beside which the others stand. */
  readonly payments: readonly number[];
  readonly rounds: number;
  /** Payments of a round, of which the middle counts. */
  readonly perRound: number;
}

/** A ledger is read whole when it is opened, so the largest takes most of the half minute. */
export const ledgerPlan: LedgerPlan = {
  payments: [0, 10_000, 100_000],
  rounds: 5,
  perRound: 30,
};

const stores = { memory: "memory", file: "file" } as const;

type Store = keyof typeof stores;

const operations = ["pay", "limits", "list", "open"] as const;

/** One round of one ledger. */
export interface LedgerRound extends Readonly<
  Record<(typeof operations)[number], OperationFigures>
> {
  readonly store: Store;
  readonly payments: number;
  readonly round: number;
  readonly size: LedgerSize;
}

/** It runs from source, as its imports do. */
const program = [
  "--conditions=@farthing/source",
  // Records of a hundred thousand payments, and the whole file while it is read.
  "--max-old-space-size=4096",
  fileURLToPath(new URL("./ledger-process.ts", import.meta.url)),
];

/** Starts a process for each ledger, with its file in the folder, and measures them in turn. */
export async function measureLedgers(
  plan: LedgerPlan,
  folder: string,
  report: (line: string) => void,
): Promise<LedgerRound[]> {
  await using stack = new AsyncDisposableStack();
  const ledgers: { readonly store: Store; readonly payments: number; readonly server: Server }[] =
    [];
  for (const store of [stores.memory, stores.file]) {
    for (const payments of plan.payments) {
      const file = join(folder, `${payments}.jsonl`);
      const server = await startServer([...program, store, `${payments}`, file], {});
      stack.defer(async () => void (await server.stop()));
      ledgers.push({ store, payments, server });
    }
  }
  const rounds: LedgerRound[] = [];
  // The first round compiles the hot code of each process and does not count.
  for (let round = 0; round <= plan.rounds; round++) {
    for (const { server, ...ledger } of ledgers) {
      const measure = (operation: string, times: number) =>
        command<OperationFigures>(server, operation, { times: `${times}` });
      const figures = {
        pay: await measure("pay", plan.perRound),
        limits: await measure("limits", plan.perRound),
        list: await measure("list", 1),
        open: await measure("open", 1),
        size: await command<LedgerSize>(server, "size"),
      };
      if (round === 0) continue;
      rounds.push({ ...ledger, round, ...figures });
      report(JSON.stringify(rounds.at(-1)));
    }
  }
  return rounds;
}

const columns = [
  "ledger",
  "payments before",
  "payment ms",
  "CPU µs",
  "beside",
  "limits CPU µs",
  "beside",
  "list all ms",
  "open ms",
  "open CPU ms",
  "file MiB",
  "process MiB",
];

/** The middle of each figure, and of the ratios of one round to the ledger with fewest payments. */
export function ledgerTable(plan: LedgerPlan, rounds: readonly LedgerRound[]): string {
  const rows = Object.values(stores).flatMap((store) =>
    plan.payments.map((payments) => {
      const own = rounds.filter((one) => one.store === store && one.payments === payments);
      const middle = (figure: (round: LedgerRound) => number) => short(middleOf(own.map(figure)));
      const ratio = (operation: "pay" | "limits") =>
        payments === plan.payments[0]
          ? ""
          : withRange(
              own.map((round) => {
                const few = rounds.find(
                  (one) =>
                    one.store === store &&
                    one.round === round.round &&
                    one.payments === plan.payments[0],
                );
                return round[operation].cpuMicros / (few?.[operation].cpuMicros ?? Number.NaN);
              }),
            );
      return [
        store,
        payments.toLocaleString("en"),
        middle(({ pay }) => pay.milliseconds),
        middle(({ pay }) => pay.cpuMicros),
        ratio("pay"),
        middle(({ limits }) => limits.cpuMicros),
        ratio("limits"),
        middle(({ list }) => list.milliseconds),
        ...(store === "memory"
          ? ["", "", ""]
          : [
              middle(({ open }) => open.milliseconds),
              middle(({ open }) => open.cpuMicros / 1_000),
              middle(({ size }) => size.fileMiB),
            ]),
        middle(({ size }) => size.memoryMiB),
      ];
    }),
  );
  return table(columns, rows);
}
