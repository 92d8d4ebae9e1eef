/** `farthing account webhooks` and `farthing account emails`: who is told what happens. */
import { emailEvents, isObject, webhookEvents } from "@farthing/protocol";
import type { Command } from "commander";
import { addList, addRemove, listLayout, rowOf } from "./account-lists.ts";
import {
  addAccountFlags,
  addSigningFlags,
  openAccount,
  type AccountFlags,
} from "./account-session.ts";
import { printList, printOne } from "../output/print-output.ts";
import { runCommand } from "../command/run-command.ts";

interface EventFlags extends AccountFlags {
  readonly event?: readonly string[];
}

export function registerWebhooks(account: Command): void {
  const path = "/v1/account/webhooks";
  const webhooks = account
    .command("webhooks")
    .summary("send what happens to the account, signed, to your addresses")
    .description("Sends what happens to the account, signed, to addresses of yours.");
  addList(webhooks, path, { name: "webhooks", what: "webhooks", none: "No webhooks." });
  addSigningFlags(webhooks.command("add"))
    .description("send events to an address; the secret of their signatures is printed once")
    .argument("<url>")
    .option("--event <names...>", `events to send (default: all): ${webhookEvents.join(", ")}`)
    .action((url: string, flags: EventFlags) =>
      runCommand(async () => {
        const step = { action: "webhook_secret", details: { url } };
        const body = { url, events: flags.event ?? webhookEvents };
        printOne(await openAccount(flags).callSigned(path, step, body), flags);
      }),
    );
  addChanges(webhooks, path, { what: "endpoint", events: webhookEvents });
  addRemove(webhooks, "remove", path, "remove an endpoint and what waits for it");
}

export function registerEmails(account: Command): void {
  const path = "/v1/account/emails";
  const emails = account
    .command("emails")
    .summary("send what happens to the account to e-mail addresses")
    .description("Sends what happens to the account to e-mail addresses, once they are confirmed.");
  addAccountFlags(emails.command("list", { isDefault: true }))
    .description("list e-mail addresses")
    .action((flags: AccountFlags) => runCommand(() => listEmails(path, flags)));
  addAccountFlags(emails.command("add"))
    .description("add an address, which gets a link and, once the link is used, the notices")
    .argument("<address>")
    .option("--event <names...>", `events to send (default: all): ${emailEvents.join(", ")}`)
    .action((address: string, flags: EventFlags) =>
      runCommand(async () => {
        const body = { address, events: flags.event ?? emailEvents };
        printOne(await openAccount(flags).call("POST", path, body), flags);
        console.error("Open the link in the mail that was sent to the address.");
      }),
    );
  addAccountFlags(emails.command("link"))
    .description("send the link to an unconfirmed address again; earlier links end")
    .argument("<id>")
    .action((id: string, flags: AccountFlags) =>
      runCommand(async () => {
        await openAccount(flags).call("POST", `${path}/${encodeURIComponent(id)}/link`, {});
      }),
    );
  addChanges(emails, path, { what: "address", events: emailEvents });
  addRemove(emails, "remove", path, "remove an address; it is erased");
}

async function listEmails(path: string, flags: AccountFlags): Promise<void> {
  const { enabled, emails } = await openAccount(flags).call("GET", path);
  const list = Array.isArray(emails) ? emails.filter((one) => isObject(one)) : [];
  const none = enabled === true ? "No e-mail addresses." : noMail;
  printList(list, list.map(rowOf), none, flags, listLayout);
}

const noMail = "This facilitator sends no e-mail; use a webhook, or ask its operator.";

/** Adds `events`, `pause` and `resume`. */
function addChanges(
  command: Command,
  path: string,
  { what, events: all }: { readonly what: string; readonly events: readonly string[] },
): void {
  const change = (id: string, body: object, flags: AccountFlags) =>
    runCommand(async () => {
      const changed = `${path}/${encodeURIComponent(id)}`;
      printOne(await openAccount(flags).call("PATCH", changed, body), flags);
    });
  const named = `an ${what}`;
  addAccountFlags(command.command("events"))
    .description(`change the events that are sent to ${named}`)
    .argument("<id>")
    .argument("<names...>", `the events, or all: ${all.join(", ")}`)
    .action((id: string, names: readonly string[], flags: AccountFlags) => {
      const events = names.length === 1 && names[0] === "all" ? all : names;
      return change(id, { events }, flags);
    });
  addAccountFlags(command.command("pause"))
    .description(`send nothing to ${named}; events that happen meanwhile are not kept`)
    .argument("<id>")
    .action((id: string, flags: AccountFlags) => change(id, { paused: true }, flags));
  addAccountFlags(command.command("resume"))
    .description(`send events to a paused ${what} again`)
    .argument("<id>")
    .action((id: string, flags: AccountFlags) => change(id, { paused: false }, flags));
}
