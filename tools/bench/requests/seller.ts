/** The seller's Express middleware beside an app that sells nothing and beside a stock seller. */
import type { Server } from "../processes.ts";
import { startSalesStores, storeNames, type StoreName } from "./earlier-sales.ts";
import type { Ask } from "./http-load.ts";
import { paymentsFor, saleOf, type Sale } from "./paid-asks.ts";
import {
  describePaidWindows,
  describeWindows,
  raceParts,
  runRaces,
  timesOfPayments,
  usualWindows,
} from "./race.ts";
import type { Race, Racer, RacePlan, RaceWindow } from "./race.ts";
import { openSellerPrograms, salePaths } from "./seller-programs.ts";

/** Its heading. */
export const sellerHeading = "## Seller";

export interface SellerPlan extends RacePlan {
  readonly connections: readonly number[];
  /** The first also answers requests without a payment. */
  readonly stores: readonly StoreName[];
  /** Payments that each store contains before the run, beside an empty one. */
  readonly records: readonly number[];
  /** Connections that ask beside those. */
  readonly besideRecords: number;
}

/** Eighty windows a round, eleven minutes in all. */
export const sellerPlan: SellerPlan = {
  connections: [1, 32, 1_000],
  stores: storeNames,
  records: [100_000, 1_000_000],
  besideRecords: 32,
  ...usualWindows,
  // Of three rounds: with five it would take a quarter of an hour.
  rounds: 3,
};

/** What was measured, as the report shows it. */
export interface SellerFigures {
  readonly races: readonly Race[];
  readonly windows: readonly RaceWindow[];
}

/** Starts everything and runs the races. */
export async function measureSeller(
  plan: SellerPlan,
  tell: (line: string) => void,
): Promise<SellerFigures> {
  await using stack = new AsyncDisposableStack();
  const { start, folder } = await openSellerPrograms(stack);
  const filled: Filled[] = [];
  for (const { name, create } of await startSalesStores(plan.stores, folder, stack)) {
    const sales: Sale[] = [];
    for (const count of [0, ...plan.records]) {
      const server = await start("seller", await create(count));
      sales.push(
        await saleOf(
          `${name}, ${count.toLocaleString("en")}`,
          server,
          salePaths,
          Math.max(...plan.connections, plan.besideRecords),
        ),
      );
    }
    filled.push({ store: name, sales });
  }
  const programs = {
    plain: await start("express"),
    stock: await start("stock"),
    empty: filled.flatMap(({ store, sales: [sale] }) => (sale ? [{ ...sale, name: store }] : [])),
    filled,
  };
  const stockPayment = await paymentsFor(programs.stock, salePaths.paid);
  const races = racesOf(plan, programs, stockPayment);
  return { races, windows: await runRaces(races, plan, tell) };
}

/** The sellers of one store: an empty one first. */
interface Filled {
  readonly store: string;
  readonly sales: readonly Sale[];
}

interface Programs {
  readonly plain: Server;
  readonly stock: Server;
  /** Of each store the seller whose store is empty. */
  readonly empty: readonly Sale[];
  readonly filled: readonly Filled[];
}

const unpaid: Ask = { path: salePaths.paid, status: 402 };
const free: Ask = { path: salePaths.paid, status: 200 };

function racesOf(
  plan: SellerPlan,
  { plain, stock, empty, filled }: Programs,
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
    empty.map(({ name, server, [what]: ask }): Racer => ({
      name: `${what}, ${name}`,
      server,
      ask,
    }));
  return [
    ...besideStock(
      "Requests without a payment (402)",
      () => unpaid,
      empty.slice(0, 1).map(({ server }) => ({ name: "seller", server, ask: () => unpaid })),
    ),
    ...besideStock(
      "Requests with a payment each",
      stockPayment,
      empty.map(({ name, server, paid }) => ({
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
    ...filled.flatMap(({ store, sales }) =>
      whats.map((what): Race => ({
        title: `${titles[what]} beside the records of earlier ones: ${store}`,
        connections: plan.besideRecords,
        racers: sales.map(({ name, server, [what]: ask }) => ({
          name,
          server,
          ask,
        })),
        beside: sales[0]?.name ?? "",
      })),
    ),
  ];
}

const whats = ["paid", "pass", "balance"] as const;

const titles = { paid: "Payments", pass: "Passes", balance: "Balances" } as const;

/** Writes the section. */
export function sellerSection(plan: SellerPlan, { races, windows }: SellerFigures): string {
  return [
    sellerHeading,
    "",
    `\`npm run bench -- --seller\` measures this part alone: an Express app with \`@farthing/seller/express\`, the same app with \`@x402/express\`, and the app alone. The program that is measured has one core to itself; the facilitator, for which every payment is good, and the load share another. ${describeWindows(plan)} ${describePaidWindows(plan)} A number behind the name of a store says how many delivered payments it contains; memory holds 20,000 of them by default. The stores on a disk sync each commit. The programs with empty stores also run in the other races, so their code is compiled better: the number of records shows between the two that are filled.`,
    "",
    ...raceParts(races, windows),
  ].join("\n");
}
