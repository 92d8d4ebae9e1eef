/** `farthing account`: a seller's account at a facilitator, without a browser. */
import {
  defined,
  isObject,
  keyOverlaps,
  member,
  parseJson,
  type JsonObject,
} from "@farthing/protocol";
import type { Command } from "commander";
import { buyCredits, type BuyFlags } from "./account-credits.ts";
import { addList, addRemove } from "./account-lists.ts";
import { registerMembers } from "./account-members.ts";
import { registerEmails, registerWebhooks } from "./account-notices.ts";
import {
  addAccountFlags,
  addSigningFlags,
  openAccount,
  signIn,
  signOut,
  type AccountFlags,
} from "./account-session.ts";
import { readNamedFile } from "../input/buyer-settings.ts";
import { UsageError } from "../command/command-errors.ts";
import { printList, printOne } from "../output/print-output.ts";
import { runCommand } from "../command/run-command.ts";

interface KeyFlags extends AccountFlags {
  readonly label: string;
  readonly test?: boolean;
  readonly expiresInDays?: string;
  readonly overlap: string;
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
  registerEmails(account);
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
  const keys = account
    .command("keys")
    .summary("list, create, rotate and revoke the API keys of the account")
    .description("Lists, creates, rotates and revokes the API keys of the account.");
  addList(keys, path, {
    name: "keys",
    what: "API keys",
    none: "No API keys. Create one with: farthing account keys create",
  });
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
  addRemove(keys, "revoke", path, "revoke a key; it stops working at once");
}

function registerCredits(account: Command): void {
  const credits = account
    .command("credits")
    .summary("show the balance of prepaid credits, and buy more")
    .description("Shows the balance of prepaid credits, and buys more.");
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
  const listings = account
    .command("listings")
    .summary("list endpoints in the marketplace, and remove them")
    .description("Lists endpoints in the marketplace of the facilitator, and removes them.");
  addList(listings, path, { name: "listings", what: "listings", none: "No listings." });
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
  addRemove(listings, "remove", path, "remove a listing");
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

/** People see what they have and what a settlement costs; JSON has the terms of purchases too. */
function printCredits(credits: JsonObject, flags: AccountFlags): void {
  const { available, held, perSettlement, freePerMonth } = credits;
  printOne(flags.json === true ? credits : { available, held, perSettlement, freePerMonth }, flags);
}

function wholeNumber(text: string, name: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new UsageError(`${name} must be a whole number above 0.`);
}
