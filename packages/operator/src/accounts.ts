/** `farthing accounts`: manages sellers' accounts and their plans in the facilitator's database. */
import type { Account, ServiceStore } from "@farthing/facilitator";
import type { Address } from "@farthing/protocol";
import type { Command } from "commander";
import { addPrintFlags, type PrintFlags, printList } from "farthing/program";
import {
  addDatabaseCommand,
  noAccount,
  readAccount,
  refuse,
  timeOf,
  withStore,
} from "./database.ts";

/** Each read of the database stays short, however many accounts there are. */
const pageSize = 500;

export function register(program: Command): void {
  const accounts = addDatabaseCommand(program, "accounts", "sellers' accounts");
  addPrintFlags(accounts.command("list"))
    .description("list accounts by address")
    .action((flags: PrintFlags) =>
      withStore("accounts", async (store) => {
        const accounts = (await listAll(store)).map(describe);
        const rows = accounts.map(({ id: account, lowCreditsAt, ...shown }) => {
          return { account, ...shown, lowCreditsAt };
        });
        const none = "No accounts yet. An account is created by its first sign-in or API key.";
        printList(accounts, rows, none, flags, { wide: ["lowCreditsAt"], whole: ["account"] });
      }),
    );
  for (const [name, plan, what] of [
    ["activate", "active", "allow an account to settle again"],
    ["deactivate", "inactive", "stop settling with an account's keys immediately"],
  ] as const) {
    accounts
      .command(name)
      .description(what)
      .argument("<account>", "payout address, 0x… or xdc…", readAccount)
      .action((account: Address) =>
        withStore("accounts", async (store) => {
          if (!(await store.setPlan(account, plan))) return refuse(noAccount(account));
          console.error(`The plan of ${account} is ${plan}.`);
        }),
      );
  }
}

async function listAll(store: ServiceStore): Promise<Account[]> {
  const all: Account[] = [];
  let from: Address | undefined;
  do {
    const page = await store.listAccounts({ from, limit: pageSize });
    all.push(...page.items);
    from = page.next ?? undefined;
  } while (from !== undefined);
  return all;
}

function describe(account: Account) {
  return {
    id: account.address,
    plan: account.plan,
    label: account.label,
    lowCreditsAt: account.lowCreditsAt,
    created: timeOf(account.createdAt),
  };
}
