/** `farthing account`: a seller's account at a facilitator, without a browser. */
import {
  defined,
  isObject,
  keyOverlaps,
  member,
  parseJson,
  webhookEvents,
  type JsonObject,
} from "@farthing/protocol";
import type { Command } from "commander";
import { buyCredits, type BuyFlags } from "./account-credits.ts";
import { registerMembers } from "./account-members.ts";
import {
  addAccountFlags,
  addSigningFlags,
  openAccount,
  signIn,
  signOut,
  type AccountFlags,
} from "./account-session.ts";
import { readNamedFile } from "./buyer-settings.ts";
import { UsageError } from "./command-errors.ts";
import { printList, printOne } from "./print-output.ts";
import type { Layout } from "./table.ts";
import { runCommand } from "./run-command.ts";

interface KeyFlags extends AccountFlags {
  readonly label: string;
  readonly test?: boolean;
  readonly expiresInDays?: string;
  readonly overlap: string;
}

interface WebhookFlags extends AccountFlags {
  readonly event?: readonly string[];
}

interface LogFlags extends AccountFlags {
  readonly status?: string;
  readonly path?: string;
  readonly key?: string;
  readonly mode?: string;
  readonly limit: string;
}

export function register(program: Command): void {
  const account = program
    .command("account")
    .description(
      "Administers a seller's account at a facilitator. The account is the address of the wallet that signs in.",
    );
  registerSession(account);
  registerKeys(account);
  registerCredits(account);
  registerListings(account);
  registerWebhooks(account);
  registerLogs(account);
  registerMembers(account);
}

function registerSession(account: Command): void {
  addSigningFlags(account.command("sign-in"))
    .description("sign in with the wallet, and keep the session for the other commands")
    .option("--network <name>", "network of the sign-in: eip155:50 or eip155:51")
    .option("--account <address>", "account that the wallet is a member of (default: its own)")
    .action((flags: AccountFlags) => runCommand(async () => printOne(await signIn(flags), flags)));
  addAccountFlags(account.command("sign-out"))
    .description("end the session")
    .action((flags: AccountFlags) => runCommand(() => signOut(flags)));
}

function registerKeys(account: Command): void {
  const path = "/v1/account/keys";
  const keys = account.command("keys").description("API keys");
  listsBy(keys, path, "keys", "No API keys. Create one with: farthing account keys create");
  addSigningFlags(keys.command("create"))
    .description("create a key; it is printed once")
    .requiredOption("--label <text>", "what the key is for")
    .option("--test", "a key for Apothem")
    .option("--expires-in-days <days>", "days until the key ends (default: never)")
    .action((flags: KeyFlags) =>
      runCommand(async () => {
        const { label, test, expiresInDays: days } = flags;
        const expiresInDays = days === undefined ? null : wholeNumber(days, "--expires-in-days");
        const details = { label, mode: test === true ? "test" : "live", expiresInDays };
        const step = { action: "create_key", details };
        printOne(await openAccount(flags).callSigned(path, step, details), flags);
      }),
    );
  addSigningFlags(keys.command("rotate"))
    .description("replace a key by a new one; it is printed once")
    .argument("<id>")
    .option("--overlap <time>", `how long the old key works on: ${keyOverlaps.join(", ")}`, "24h")
    .action((id: string, flags: KeyFlags) =>
      runCommand(async () => {
        const { overlap } = flags;
        const step = { action: "rotate_key", details: { id, overlap } };
        const to = `${path}/${encodeURIComponent(id)}/rotate`;
        printOne(await openAccount(flags).callSigned(to, step, { overlap }), flags);
      }),
    );
  removesBy(keys, "revoke", path, "revoke a key; it stops working at once");
}

function registerCredits(account: Command): void {
  const credits = account.command("credits").description("the balance, and purchases of credits");
  addAccountFlags(credits.command("show", { isDefault: true }))
    .description("show the balance")
    .action((flags: AccountFlags) =>
      runCommand(async () =>
        printCredits(await openAccount(flags).call("GET", "/v1/account/credits"), flags),
      ),
    );
  addSigningFlags(credits.command("buy"))
    .description("buy credits with USDC of the wallet, at 0.001 USDC each")
    .argument("<credits>", "whole number")
    .option("--network <name>", "network to pay on (default: that of the sign-in)")
    .option("--yes", "do not ask")
    .action((count: string, flags: BuyFlags) =>
      runCommand(() => buyCredits(wholeNumber(count, "<credits>"), flags)),
    );
}

function registerListings(account: Command): void {
  const path = "/v1/account/listings";
  const listings = account.command("listings").description("listed endpoints");
  listsBy(listings, path, "listings", "No listings.");
  addAccountFlags(listings.command("add"))
    .description("list an endpoint that a JSON file describes; see docs/reference/listings.md")
    .argument("<file>")
    .action((file: string, flags: AccountFlags) =>
      runCommand(async () => {
        const body = parseJson(readNamedFile(file, "<file>", UsageError))?.value;
        if (!isObject(body)) throw new UsageError(`${file} is not a JSON object.`);
        printOne(await openAccount(flags).call("POST", path, body), flags);
      }),
    );
  removesBy(listings, "remove", path, "remove a listing");
}

function registerWebhooks(account: Command): void {
  const path = "/v1/account/webhooks";
  const webhooks = account.command("webhooks").description("webhooks");
  listsBy(webhooks, path, "webhooks", "No webhooks.");
  addSigningFlags(webhooks.command("add"))
    .description("send events to an address; the secret of their signatures is printed once")
    .argument("<url>")
    .option("--event <names...>", `events to send (default: all): ${webhookEvents.join(", ")}`)
    .action((url: string, flags: WebhookFlags) =>
      runCommand(async () => {
        const step = { action: "webhook_secret", details: { url } };
        const body = { url, events: flags.event ?? webhookEvents };
        printOne(await openAccount(flags).callSigned(path, step, body), flags);
      }),
    );
  const change = async (id: string, body: object, flags: AccountFlags) => {
    const changed = `${path}/${encodeURIComponent(id)}`;
    printOne(await openAccount(flags).call("PATCH", changed, body), flags);
  };
  addAccountFlags(webhooks.command("events"))
    .description("change the events that are sent to an endpoint")
    .argument("<id>")
    .argument("<names...>", `the events, or all: ${webhookEvents.join(", ")}`)
    .action((id: string, names: readonly string[], flags: AccountFlags) => {
      const events = names.length === 1 && names[0] === "all" ? webhookEvents : names;
      return runCommand(() => change(id, { events }, flags));
    });
  addAccountFlags(webhooks.command("pause"))
    .description("send nothing to an endpoint; events that happen meanwhile are not kept")
    .argument("<id>")
    .action((id: string, flags: AccountFlags) =>
      runCommand(() => change(id, { paused: true }, flags)),
    );
  addAccountFlags(webhooks.command("resume"))
    .description("send events to a paused endpoint again")
    .argument("<id>")
    .action((id: string, flags: AccountFlags) =>
      runCommand(() => change(id, { paused: false }, flags)),
    );
  removesBy(webhooks, "remove", path, "remove an endpoint and what waits for it");
}

function registerLogs(account: Command): void {
  addAccountFlags(account.command("logs"))
    .description("show the calls that were made with the account's API keys, the newest first")
    .option("--status <class>", "2xx, 4xx, 5xx, or refused: calls with an error code")
    .option("--path <text>", "a part of the path, such as /settle")
    .option("--key <id>", "calls with this key")
    .option("--mode <mode>", "live or test")
    .option("--limit <count>", "number of calls, at most 200", "20")
    .action((flags: LogFlags) =>
      runCommand(async () => {
        const { status, path, key, mode, limit } = flags;
        const filters = { status, path, key, mode, limit: `${wholeNumber(limit, "--limit")}` };
        const query = new URLSearchParams(defined(filters));
        const calls = await openAccount(flags).list(`/v1/account/requests?${query}`, "requests");
        const none = "No calls. The log has the last 30 days.";
        printList(calls, calls.map(logRowOf), none, flags, { wide: ["key"], whole: ["requestId"] });
      }),
    );
}

function logRowOf(call: JsonObject): Readonly<Record<string, unknown>> {
  const { createdAt, method, path, status, code, durationMs, key, requestId } = call;
  const label = isObject(key) ? member(key, "label") : null;
  const took = `${String(durationMs)} ms`;
  const request = `${String(method)} ${String(path)}`;
  return { time: createdAt, request, status, code, took, key: label, requestId };
}

/** The list, which is also what the command without a subcommand shows. */
function listsBy(command: Command, path: string, name: string, none: string): void {
  addAccountFlags(command.command("list", { isDefault: true }))
    .description("list them")
    .action((flags: AccountFlags) =>
      runCommand(async () => {
        const objects = await openAccount(flags).list(path, name);
        printList(objects, objects.map(rowOf), none, flags, listLayout);
      }),
    );
}

function removesBy(command: Command, name: string, path: string, description: string): void {
  addAccountFlags(command.command(name))
    .description(description)
    .argument("<id>")
    .action((id: string, flags: AccountFlags) =>
      runCommand(async () => {
        await openAccount(flags).call("DELETE", `${path}/${encodeURIComponent(id)}`);
      }),
    );
}

/** Of keys, listings and webhooks. */
const listLayout: Layout = {
  wide: [
    "lastFour",
    "createdAt",
    "createdBy",
    "expiresAt",
    "revokedAt",
    "description",
    "mimeType",
    "method",
  ],
  whole: ["id"],
};

/** The members that fit into a table; a listing's check is its state. */
function rowOf(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const check = member(object, "check");
  const short = Object.entries(object).filter(
    ([, value]) => typeof value !== "object" || Array.isArray(value),
  );
  return {
    ...Object.fromEntries(short),
    ...(isObject(check) && { check: member(check, "state") }),
  };
}

/** People see what they have and what a settlement costs; JSON has the terms of purchases too. */
function printCredits(credits: JsonObject, flags: AccountFlags): void {
  const { available, held, perSettlement, freePerMonth } = credits;
  printOne(flags.json === true ? credits : { available, held, perSettlement, freePerMonth }, flags);
}

function wholeNumber(text: string, name: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new UsageError(`${name} must be a whole number above 0.`);
}
