/** `farthing accounts --top`: the busiest sellers of some days, or those with most failures. */
import type { Account, ServiceStore } from "@farthing/facilitator";
import { systemClock } from "@farthing/facilitator/operator";
import { formatUsdc, networkOfChain, type Address } from "@farthing/protocol";
import { InvalidArgumentError, Option, type Command } from "commander";
import { addPrintFlags, type PrintFlags, printList } from "farthing/program";
import { refuse, withStore } from "./database.ts";

/** Each read of the database stays short, however many accounts there are. */
const pageSize = 500;

const dayMs = 24 * 60 * 60_000;

/** As long as a history of a year; each account is read in the order of its days. */
const daysMax = 366;

/** More rows are no top any more, and would not fit a screen. */
const rowsMax = 1_000;

type UsageSum = NonNullable<Awaited<ReturnType<ServiceStore["sumUsage"]>>>[number];

const orders = ["settled", "failed"] as const;

interface TopFlags extends PrintFlags {
  readonly top?: true;
  readonly by: (typeof orders)[number];
  readonly days: number;
  readonly limit: number;
}

export function addTop(accounts: Command): void {
  addPrintFlags(accounts)
    .option("--top", "show the busiest accounts of the last days, or those with most failures")
    .addOption(new Option("--by <what>", "with --top: order").choices(orders).default("settled"))
    .option("--days <n>", "with --top: days (UTC), today included", readWhole(daysMax), 7)
    .option("--limit <n>", "with --top: rows", readWhole(rowsMax), 10)
    .action((flags: TopFlags) => (flags.top ? printTop(flags) : accounts.help({ error: true })));
}

function printTop({ by, days, limit, ...flags }: TopFlags): Promise<void> {
  return withStore("accounts", async (store) => {
    const before = (Math.floor(systemClock.nowMs() / dayMs) + 1) * dayMs;
    const top = await findTop(store, { by, limit, since: before - days * dayMs, before });
    if (!top) {
      return refuse("The history before an upgrade is still being added up. Try again later.");
    }
    const rows = top.map(({ account, chainId, settled, failed, units }) => {
      const network = networkOfChain(chainId).id;
      return { account, network, settled, failed, usdc: formatUsdc(units) };
    });
    const none = `No account has ${by} payments in the last ${days} days.`;
    printList(rows, rows, none, flags, { whole: ["account"] });
  });
}

/** Keeps no more than the top and a page, however many accounts there are. */
async function findTop(
  store: ServiceStore,
  terms: {
    readonly by: TopFlags["by"];
    readonly limit: number;
    readonly since: number;
    readonly before: number;
  },
): Promise<UsageSum[] | undefined> {
  const { by, limit, since, before } = terms;
  let top: UsageSum[] = [];
  for await (const page of pagesOf(store)) {
    const addresses = page.map(({ address }) => address);
    const sums = await store.sumUsage(addresses, { since, before });
    if (!sums) return undefined;
    top = [...top, ...sums.filter((sum) => sum[by] > 0)]
      .toSorted((one, other) => other[by] - one[by] || (one.account < other.account ? -1 : 1))
      .slice(0, limit);
  }
  return top;
}

/** All accounts by address. */
export async function* pagesOf(store: ServiceStore): AsyncGenerator<readonly Account[]> {
  let from: Address | undefined;
  do {
    const page = await store.listAccounts({ from, limit: pageSize });
    yield page.items;
    from = page.next ?? undefined;
  } while (from !== undefined);
}

const readWhole = (max: number) => (text: string) => {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
  throw new InvalidArgumentError(`Use a whole number from 1 to ${max}.`);
};
