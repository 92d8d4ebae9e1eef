/** `farthing accounts`: manages sellers' accounts and their plans in the facilitator's database. */
import type { Account } from "@farthing/facilitator";
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
import { addTop, pagesOf } from "./top-accounts.ts";

export function register(program: Command): void {
  const accounts = addDatabaseCommand(program, "accounts", "sellers' accounts");
  addTop(accounts);
  addPrintFlags(accounts.command("list"))
    .description("list accounts by address")
    .action((_: PrintFlags, command: Command) =>
      withStore("accounts", async (store) => {
        // `accounts` has a --json as well, and takes it.
        const flags = command.optsWithGlobals<PrintFlags>();
        const accounts: ReturnType<typeof describe>[] = [];
        for await (const page of pagesOf(store)) accounts.push(...page.map(describe));
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

function describe(account: Account) {
  return {
    id: account.address,
    plan: account.plan,
    label: account.label,
    lowCreditsAt: account.lowCreditsAt,
    created: timeOf(account.createdAt),
  };
}
