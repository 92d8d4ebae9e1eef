/** `farthing account members`, `join` and `leave`: who works for an account, and with which role. */
import { accountRoles, findNetwork, type JsonObject } from "@farthing/protocol";
import { Argument, Option, type Command } from "commander";
import {
  addAccountFlags,
  addSigningFlags,
  namedNetwork,
  openAccount,
  type AccountFlags,
} from "./account-session.ts";
import { printList, printOne } from "../output/print-output.ts";
import { runCommand } from "../command/run-command.ts";
import type { Layout, Row } from "../output/table.ts";

interface InviteFlags extends AccountFlags {
  readonly role: string;
}

const wallets = "/v1/account/wallets";
const invitations = "/v1/account/invitations";
const memberships = "/v1/account/memberships";

export function registerMembers(account: Command): void {
  const members = account
    .command("members")
    .summary("list the members of the account, invite others, change roles")
    .description("Lists the members of the account, invites others and changes their roles.");
  addAccountFlags(members.command("list", { isDefault: true }))
    .description("list members and open invitations")
    .action((flags: AccountFlags) => runCommand(() => listMembers(flags)));
  addSigningFlags(members.command("invite"))
    .description("let a wallet join the account within seven days")
    .argument("<address>")
    .addOption(
      new Option("--role <role>", "what the wallet may do")
        .choices(accountRoles)
        .default("developer"),
    )
    .option("--network <name>", "network of a contract wallet (default: it is a plain wallet)")
    .action((address: string, flags: InviteFlags) =>
      runCommand(async () => {
        const chainId = namedNetwork(flags)?.chainId ?? null;
        const details = { address, role: flags.role, chainId };
        const step = { action: "invite_member", details };
        printOne(await openAccount(flags).callSigned(invitations, step, details), flags);
      }),
    );
  addAccountFlags(members.command("withdraw"))
    .description("withdraw an invitation")
    .argument("<address>")
    .action((address: string, flags: AccountFlags) =>
      runCommand(() => remove(flags, `${invitations}/${encodeURIComponent(address)}`)),
    );
  addSigningFlags(members.command("role"))
    .description("change the role of a member; it counts at once")
    .argument("<address>")
    .addArgument(new Argument("<role>").choices(accountRoles))
    .action((address: string, role: string, flags: AccountFlags) =>
      runCommand(async () => {
        const step = { action: "change_role", details: { address, role } };
        const path = `${wallets}/${encodeURIComponent(address)}`;
        printOne(await openAccount(flags).callSigned(path, step, { role }, "PATCH"), flags);
      }),
    );
  addSigningFlags(members.command("remove"))
    .description("remove a member; the wallet's sessions of the account end")
    .argument("<address>")
    .action((address: string, flags: AccountFlags) =>
      runCommand(async () => {
        const step = { action: "unlink_wallet", details: { address } };
        const path = `${wallets}/${encodeURIComponent(address)}`;
        await openAccount(flags).callSigned(path, step, {}, "DELETE");
      }),
    );
  registerJoining(account);
}

function registerJoining(account: Command): void {
  addAccountFlags(account.command("join"))
    .description("accept an invitation to the account of another wallet")
    .argument("<account>", "address of the account")
    .action((joined: string, flags: AccountFlags) =>
      runCommand(async () => {
        const session = openAccount(flags);
        printOne(await session.call("POST", memberships, { account: joined }), flags);
        console.error(`Use the account with: farthing account sign-in --account ${joined}`);
      }),
    );
  addAccountFlags(account.command("leave"))
    .description("leave the account of another wallet, or decline its invitation")
    .argument("<account>", "address of the account")
    .action((left: string, flags: AccountFlags) =>
      runCommand(() => remove(flags, `${memberships}/${encodeURIComponent(left)}`)),
    );
}

async function remove(flags: AccountFlags, path: string): Promise<void> {
  await openAccount(flags).call("DELETE", path);
}

async function listMembers(flags: AccountFlags): Promise<void> {
  const account = openAccount(flags);
  const members = await account.list(wallets, "wallets");
  const invited = await account.list(invitations, "invitations");
  const objects = [
    ...members.map((one) => ({ ...one, state: "member" })),
    ...invited.map((one) => ({ ...one, state: "invited" })),
  ];
  printList(objects, objects.map(rowOf), "No members.", flags, layout);
}

const layout: Layout = { wide: ["since"], whole: ["address"] };

function rowOf(one: JsonObject): Row {
  const { address, role, state, chainId, linkedAt, invitedAt } = one;
  const contractOn = findNetwork(chainId)?.id ?? null;
  return {
    address,
    role: String(role).replace("_", " "),
    state,
    contractOn,
    since: linkedAt ?? invitedAt ?? null,
  };
}
