/** The seller's Express middleware beside an app that sells nothing and beside a stock seller. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { createSqliteGrants } from "@farthing/seller/sqlite";
import { cores, pin, startServer, type Server } from "../processes.ts";
import type { Ask } from "./http-load.ts";
import { paymentsFor, saleOf, type Sale } from "./paid-asks.ts";
import type { Role } from "./peer-server.ts";
import { describeWindows, raceParts, runRaces, timesOfPayments, usualWindows } from "./race.ts";
import type { Race, Racer, RacePlan, RaceWindow } from "./race.ts";
import { startYesFacilitator } from "./yes-facilitator.ts";

/** Its heading. */
export const sellerHeading = "## Seller";

export interface SellerPlan extends RacePlan {
  readonly connections: readonly number[];
  /** Payments that a SQLite file contains before the run, beside an empty file. */
  readonly records: readonly number[];
  /** Connections that ask beside those. */
  readonly besideRecords: number;
}

/** Forty windows a round, six minutes in all. */
export const sellerPlan: SellerPlan = {
  connections: [1, 32, 1_000],
  records: [100_000, 1_000_000],
  besideRecords: 32,
  ...usualWindows,
};

/** What was measured, as the report shows it. */
export interface SellerFigures {
  readonly races: readonly Race[];
  readonly windows: readonly RaceWindow[];
}

const paths = { paid: "/paid/1", pass: "/pass/1", balance: "/balance/1" } as const;

/** Starts everything and runs the races. */
export async function measureSeller(
  plan: SellerPlan,
  tell: (line: string) => void,
): Promise<SellerFigures> {
  pin(process.pid, cores.others);
  await using stack = new AsyncDisposableStack();
  const facilitator = await startYesFacilitator();
  stack.defer(() => facilitator.close());
  const folder = mkdtempSync(join(tmpdir(), "farthing-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const start = async (role: Role, file = ""): Promise<Server> => {
    const server = await startServer([...program, role, facilitator.url, file], {});
    stack.defer(async () => void (await server.stop()));
    return server;
  };
  const filled: Sale[] = [];
  for (const count of [0, ...plan.records]) {
    const file = join(folder, `${count}.db`);
    fill(file, count);
    filled.push(
      await saleOf(`SQLite, ${count.toLocaleString("en")}`, await start("seller", file), paths),
    );
  }
  const [sqlite] = filled;
  if (!sqlite) throw new Error("No file was filled.");
  const programs = {
    plain: await start("express"),
    stock: await start("stock"),
    memory: await saleOf("memory", await start("seller"), paths),
    sqlite,
    filled,
  };
  const stockPayment = await paymentsFor(programs.stock, paths.paid);
  const races = racesOf(plan, programs, stockPayment);
  return { races, windows: await runRaces(races, plan, tell) };
}

/** It runs from source, as its imports do. */
const program = [
  "--conditions=@farthing/source",
  fileURLToPath(new URL("./peer-server.ts", import.meta.url)),
];

/** Longer than any run, so that nothing is forgotten meanwhile. */
const dayMs = 86_400_000;

/** Creates the file of a seller that has sold so often; each content has been delivered. */
function fill(path: string, count: number): void {
  createSqliteGrants({ path }).close();
  const file = new DatabaseSync(path);
  file
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < :count)
       insert into grants (key, fingerprint, payload, valid_before_ms, state, receipt, expires_at_ms,
         dispensable_from_ms)
       select printf('sold %d', i), hex(randomblob(32)), hex(randomblob(64)), :end, 'delivered', '{}',
         :end, :end from n where i <= :count`,
    )
    .run({ count, end: Date.now() + dayMs });
  file.close();
}

interface Programs {
  readonly plain: Server;
  readonly stock: Server;
  readonly memory: Sale;
  readonly sqlite: Sale;
  /** Files with few and many records. */
  readonly filled: readonly Sale[];
}

const unpaid: Ask = { path: paths.paid, status: 402 };
const free: Ask = { path: paths.paid, status: 200 };

function racesOf(
  plan: SellerPlan,
  { plain, stock, memory, sqlite, filled }: Programs,
  stockPayment: () => Ask,
): Race[] {
  const besideStock = (
    title: string,
    stockAsk: () => Ask,
    own: readonly Racer[],
    timesOf = (_connections: number) => 1,
  ) =>
    plan.connections.map((connections): Race => ({
      title,
      connections,
      times: timesOf(connections),
      racers: [{ name: "stock @x402/express", server: stock, ask: stockAsk }, ...own],
      beside: "stock @x402/express",
    }));
  const opened = (what: "pass" | "balance") =>
    [memory, sqlite].map(({ name, server, [what]: ask }): Racer => ({
      name: `${what}, ${name}`,
      server,
      ask: () => ask,
    }));
  return [
    ...besideStock("Requests without a payment (402)", () => unpaid, [
      { name: "seller", server: memory.server, ask: () => unpaid },
    ]),
    ...besideStock(
      "Requests with a payment each",
      stockPayment,
      [memory, sqlite].map(({ name, server, paid }) => ({
        name: `seller, ${name}`,
        server,
        ask: paid,
      })),
      timesOfPayments,
    ),
    ...plan.connections.map((connections): Race => ({
      title: "Requests with a pass or on a balance",
      connections,
      racers: [
        { name: "Express alone", server: plain, ask: () => free },
        ...opened("pass"),
        ...opened("balance"),
      ],
      beside: "Express alone",
    })),
    ...(["paid", "pass", "balance"] as const).map((what): Race => ({
      title: `${titles[what]}, beside the records of earlier ones`,
      connections: plan.besideRecords,
      racers: filled.map(({ name, server, [what]: ask }) => ({
        name,
        server,
        ask: typeof ask === "function" ? ask : () => ask,
      })),
      beside: sqlite.name,
    })),
  ];
}

const titles = { paid: "Payments", pass: "Passes", balance: "Balances" } as const;

/** Writes the section. */
export function sellerSection(plan: SellerPlan, { races, windows }: SellerFigures): string {
  return [
    sellerHeading,
    "",
    `\`npm run bench -- --seller\` measures this part alone: an Express app with \`@farthing/seller/express\`, the same app with \`@x402/express\`, and the app alone. The program that is measured has one core to itself; the facilitator, for which every payment is good, and the load share another. ${describeWindows(plan)} The SQLite files contain as many delivered payments as their names say.`,
    "",
    ...raceParts(races, windows),
  ].join("\n");
}
