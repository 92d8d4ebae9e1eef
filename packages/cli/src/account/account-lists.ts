/** What the lists of an account have in common: keys, listings, webhooks and e-mail addresses. */
import { isObject, member } from "@farthing/protocol";
import type { Command } from "commander";
import { addAccountFlags, openAccount, type AccountFlags } from "./account-session.ts";
import { printList } from "../output/print-output.ts";
import { runCommand } from "../command/run-command.ts";
import type { Layout, Row } from "../output/table.ts";

/** Adds the subcommand `list`, which is also what the command without a subcommand shows. */
export function addList(
  command: Command,
  path: string,
  { name, what, none }: { readonly name: string; readonly what: string; readonly none: string },
): void {
  addAccountFlags(command.command("list", { isDefault: true }))
    .description(`list ${what}`)
    .action((flags: AccountFlags) =>
      runCommand(async () => {
        const objects = await openAccount(flags).list(path, name);
        printList(objects, objects.map(rowOf), none, flags, listLayout);
      }),
    );
}

export function addRemove(command: Command, name: string, path: string, description: string): void {
  addAccountFlags(command.command(name))
    .description(description)
    .argument("<id>")
    .action((id: string, flags: AccountFlags) =>
      runCommand(async () => {
        await openAccount(flags).call("DELETE", `${path}/${encodeURIComponent(id)}`);
      }),
    );
}

export const listLayout: Layout = {
  wide: [
    "lastFour",
    "createdAt",
    "createdBy",
    "confirmedAt",
    "expiresAt",
    "revokedAt",
    "description",
    "mimeType",
    "method",
  ],
  whole: ["id"],
};

/** The members that fit into a table; a listing's check is its state. */
export function rowOf(object: Readonly<Record<string, unknown>>): Row {
  const check = member(object, "check");
  const short = Object.entries(object).filter(
    ([, value]) => typeof value !== "object" || Array.isArray(value),
  );
  return {
    ...Object.fromEntries(short),
    ...(isObject(check) && { check: member(check, "state") }),
  };
}
