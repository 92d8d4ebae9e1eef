/** What sums of revenue cost a batch's confirmation, and their pages, after five years and at first. */
import { openStore, type ServiceStore } from "@farthing/facilitator";
import { apothem, type Address } from "@farthing/protocol";
import { engineNames, openRaw, type HistoryEngine } from "./history-database.ts";
import { withDatabases } from "./history.ts";
import { claimOf, groupSize, Samples, sides, type OfBoth } from "./history-work.ts";
import { short, table } from "./report-table.ts";

export const revenueHeading = "## Revenue";

export interface RevenuePlan {
  readonly months: number;
  /** Payers of one account in each month; half as many customers at least. */
  readonly payers: number;
  readonly rounds: number;
}

/** Five years of a busy shop. */
export const revenuePlan: RevenuePlan = { months: 60, payers: 20_000, rounds: 60 };

export interface RevenueFigures {
  readonly engine: HistoryEngine;
  /** Milliseconds at first and after all months. */
  readonly work: readonly ({ readonly name: string } & OfBoth<number>)[];
}

const seller: Address = `0x${"5e".repeat(20)}`;
const { chainId } = apothem;

/** Resources and routes of the account: a large API. */
const endpoints = 200;

/** Names of the current month on both sides, so that pages are full on both. */
const currentNames = 1_200;

const shown = 100;
const fileRows = 500;

/** Rounds before those that count: they fill caches and plans. */
const warmUpRounds = 10;

const plain = `confirmation of ${groupSize} without names`;
const named = `confirmation of ${groupSize} with resource, route and payer`;

export async function measureRevenue(
  engine: HistoryEngine,
  plan: RevenuePlan,
  tell: (line: string) => void,
): Promise<RevenueFigures> {
  return await withDatabases(engine, async (urls) => {
    const now = Date.now();
    for (const side of sides) {
      await (await openStore(urls[side])).close();
      tell(`${engineNames[engine]}: filling, ${side}`);
      await fill(urls[side], plan, { now, isLong: side === "long" });
    }
    const stores = { empty: await openStore(urls.empty), long: await openStore(urls.long) };
    const samples = new Samples();
    for (let round = -warmUpRounds; round < plan.rounds; round++) {
      for (const side of sides) {
        const time = <T>(name: string, work: () => Promise<T>) =>
          round < 0 ? work() : samples.time(name, side, work);
        await oneRound(stores[side], { now, time });
      }
    }
    for (const side of sides) await stores[side].close();
    return { engine, work: samples.medians() };
  });
}

/** A month in UTC, counted from year 0. */
function monthOf(now: number): number {
  const time = new Date(now);
  return time.getUTCFullYear() * 12 + time.getUTCMonth();
}

async function fill(
  databaseUrl: string,
  { months, payers }: RevenuePlan,
  { now, isLong }: { readonly now: number; readonly isLong: boolean },
): Promise<void> {
  const raw = await openRaw(databaseUrl);
  const month = monthOf(now);
  const rows = async (statement: (n: number) => string, count: number) => {
    const chunk = 5_000;
    for (let from = 0; from < count; from += chunk) {
      const numbers = Array.from({ length: Math.min(chunk, count - from) }, (_, of) => from + of);
      const [head = ""] = statement(0).split(" values ");
      const values = numbers.map((n) => statement(n).split(" values ")[1]).join(", ");
      await raw.run(`${head} values ${values}`);
    }
  };
  const into =
    "insert into revenue_months (account, chain_id, basis, month, name, settlements, units)";
  const fillMonth = async (at: number, basis: string, count: number) => {
    const name = (n: number) => (basis === "payer" ? payerOf(n) : `${basis}-${n}`);
    await rows(
      (n) =>
        `${into} values ('${seller}', ${chainId}, '${basis}', ${at}, '${name(n)}', 3, ${n + 1})`,
      count,
    );
  };
  // Both sides have the month before, with which the current one is compared.
  for (let ago = isLong ? months - 1 : 1; ago >= 0; ago--) {
    await fillMonth(month - ago, "resource", ago === 0 ? currentNames : endpoints);
    await fillMonth(month - ago, "route", ago === 0 ? currentNames : endpoints);
    await fillMonth(month - ago, "payer", isLong ? payers : currentNames);
  }
  const customers = isLong ? Math.ceil((payers * months) / 2) : currentNames;
  await rows(
    (n) =>
      `insert into customers (account, chain_id, payer, settlements, units, first_at, last_at) values ('${seller}', ${chainId}, '${payerOf(n)}', 3, ${n + 1}, ${now - n - 1}, ${now - n})`,
    customers,
  );
  await raw.size();
  await raw.close();
}

function payerOf(n: number): Address {
  return `0x${n.toString(16).padStart(40, "0")}`;
}

let made = 0;

async function oneRound(
  store: ServiceStore,
  at: {
    readonly now: number;
    readonly time: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  },
): Promise<void> {
  const { now, time } = at;
  for (const name of [plain, named]) {
    const ids = await claim(store, now, name === named);
    const blockNumber = ++made;
    const hash = `0x${blockNumber.toString(16).padStart(64, "0")}` as const;
    const place = { transaction: hash, blockNumber, blockHash: hash, logIndex: 0 };
    const mined = { ...place, settledBy: "relayer" } as const;
    await time(name, () =>
      store.recordConfirmed(
        ids.map((id) => ({ id, mined })),
        now,
      ),
    );
  }
  const query = { chainId, basis: "payer", month: monthOf(now) } as const;
  await time(`revenue of a month, the first ${shown} beside the month before`, async () => {
    const { items } = await store.listRevenue(seller, query, { limit: shown });
    const names = items.map(({ name }) => name);
    await store.findRevenue(seller, { ...query, month: query.month - 1 }, names);
  });
  const from = { rank: BigInt(currentNames / 2), name: payerOf(currentNames / 2) };
  await time(`${fileRows} lines of its file`, () =>
    store.listRevenueByName(seller, query, { from, limit: fileRows }),
  );
  await time(`the first ${shown} customers`, () =>
    store.listCustomers(seller, { chainId, order: "amount" }, { limit: shown }),
  );
  await time(`${fileRows} lines of their file`, () =>
    store.listCustomers(seller, { chainId, order: "payer" }, { from, limit: fileRows }),
  );
}

async function claim(store: ServiceStore, now: number, isNamed: boolean): Promise<string[]> {
  const token = apothem.usdc;
  const claims = Array.from({ length: groupSize }, (_, index) => {
    const resource = `resource-${(made + index) % endpoints}`;
    const route = `route-${index % endpoints}`;
    const payer = payerOf((made * groupSize + index) % currentNames);
    const terms = isNamed ? { books: { resource, route, reference: null } } : {};
    return { ...claimOf({ chainId, token, seller }, now), payer, credits: 0, terms };
  });
  await store.claimSettlements(claims, now);
  return claims.map(({ id }) => id);
}

/** Writes the section, which replaces the one before. */
export function revenueSection(plan: RevenuePlan, all: readonly RevenueFigures[]): string {
  const parts = all.map(({ engine, work }) => {
    const of = (name: string) => work.find((one) => one.name === name)?.long ?? Number.NaN;
    return [
      `### On ${engineNames[engine]}`,
      "",
      `Adding up ${groupSize} settlements by three names and by customer makes their confirmation ${short(of(named) / of(plain))} times as long.`,
      "",
      table(
        ["milliseconds", "at first", `after ${plan.months} months`, "ratio"],
        work.map(({ name, empty, long }) => [name, short(empty), short(long), short(long / empty)]),
      ),
    ].join("\n");
  });
  return [
    revenueHeading,
    "",
    `\`npm run bench -- --revenue\`. One account sells to ${plan.payers.toLocaleString("en")} payers a month for ${plan.months} months. Sums are kept with each confirmation and read in pages. Both sides are measured in turn in one run, and each figure is a median of ${plan.rounds}.`,
    "",
    parts.join("\n\n"),
    "",
  ].join("\n");
}
