/** `farthing keys`: manages sellers' API keys in the facilitator's database. */
import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import { findNetwork, toXdcAddress, type Address } from "@farthing/protocol";
import type { ApiKey, KeyMode, ServiceStore } from "@farthing/facilitator";
import { createApiKey, systemClock } from "@farthing/facilitator/operator";
import { addPrintFlags, exitCodes, type PrintFlags, printList } from "farthing/program";
import { addDatabaseCommand, readAccount, refuse, timeOf, withStore } from "./database.ts";

/** Longer labels would break the table that shows them. */
const labelCharsMax = 64;

const dayMs = 24 * 60 * 60 * 1000;

interface CreateFlags {
  readonly account: Address;
  readonly label: string;
  readonly test: boolean;
  readonly expiresDays?: number;
  readonly json: boolean;
}

interface ListFlags extends PrintFlags {
  readonly account?: Address;
}

export function register(program: Command): void {
  const keys = addDatabaseCommand(program, "keys", "API keys");
  keys
    .command("create")
    .description("create a key for a payout address and print it, once")
    .requiredOption("--account <address>", "payout address, 0x… or xdc…", readAccount)
    .option("--label <text>", "what the key is for", readLabel, "")
    .option("--test", "create a key for Apothem and local chains instead of XDC mainnet", false)
    .option("--expires-days <n>", "days until the key expires (default: never)", readDays)
    .option("--json", "print one JSON object", false)
    .action((flags: CreateFlags) =>
      // Sellers may get their keys before the first start.
      withStore("keys", (store) => create(store, flags), { mayCreate: true }),
    );
  addPrintFlags(keys.command("list"))
    .description("list keys; the secrets themselves are not stored")
    .option("--account <address>", "only this payout address", readAccount)
    .action((flags: ListFlags) => withStore("keys", (store) => list(store, flags)));
  keys
    .command("revoke")
    .description("revoke a key, effective immediately")
    .argument("<id>", "the twelve characters that `keys list` shows")
    .action((id: string) => withStore("keys", (store) => revoke(store, id)));
}

async function create(store: ServiceStore, flags: CreateFlags): Promise<void> {
  const mode: KeyMode = flags.test ? "test" : "live";
  const { account, label, expiresDays } = flags;
  const expiresAt = expiresDays === undefined ? null : systemClock.nowMs() + expiresDays * dayMs;
  const { text, key } = await createApiKey(store, systemClock, { account, mode, label, expiresAt });
  if (flags.json) return console.log(JSON.stringify({ key: text, ...describe(key) }));
  console.log(text);
  console.error(
    `For ${account} (${toXdcAddress(account)}), ${mode === "live" ? "XDC mainnet" : "test networks"}. Store the key now: it is not shown again. To revoke it, run: farthing keys revoke ${key.id}`,
  );
  const warning = mode === "live" ? noMainnetWarning() : undefined;
  if (warning !== undefined) console.error(warning);
}

/** Warns where the settings beside the command name networks, and none that a live key is for. */
function noMainnetWarning(): string | undefined {
  const named = process.env["FARTHING_NETWORKS"]?.split(",") ?? [];
  const served = named.flatMap((name) => findNetwork(name.trim()) ?? []);
  if (served.length === 0 || served.some(({ chainId }) => chainId === 50)) return undefined;
  return "FARTHING_NETWORKS names no mainnet, so the facilitator accepts this key for no payment. A key for test networks is created with --test.";
}

async function list(store: ServiceStore, flags: ListFlags): Promise<void> {
  const keys = (await store.listApiKeys(flags.account)).map(describe);
  const rows = keys.map(({ id, account, mode, label, lastFour, created, lastUsed, ...ends }) => {
    return { id, account, mode, status: statusOf(ends), label, lastUsed, created, lastFour };
  });
  const scope = flags.account === undefined ? "" : ` for ${flags.account}`;
  const none = `No keys${scope} yet. Create one with: farthing keys create --account 0x…`;
  const wide = ["lastUsed", "created", "lastFour"];
  printList(keys, rows, none, flags, { wide, whole: ["id"] });
}

function statusOf({
  expires,
  revoked,
}: Pick<ReturnType<typeof describe>, "expires" | "revoked">): string {
  if (revoked !== null) return "revoked";
  if (expires === null) return "active";
  return Date.parse(expires) <= systemClock.nowMs() ? "expired" : `until ${expires.slice(0, 10)}`;
}

async function revoke(store: ServiceStore, text: string): Promise<void> {
  const id = idIn(text);
  if (id === undefined) {
    // The text is not repeated: it may be most of a key.
    const message = "Invalid key id. Use the twelve characters that `farthing keys list` shows.";
    return refuse(message, exitCodes.usage);
  }
  const isRevoked = await store.revokeApiKey(id, systemClock.nowMs());
  if (isRevoked) return console.error(`Key ${id} is revoked.`);
  refuse(`There is no working key ${id}. List keys with: farthing keys list`);
}

/** The id of a key in a text that is the id or the whole key. */
function idIn(text: string): string | undefined {
  const key = /^(?:fk_(?:live|test)_(?=[0-9A-Za-z]{61}$))?([0-9A-Za-z]{12})(?:[0-9A-Za-z]{49})?$/;
  return key.exec(text)?.[1];
}

/** The members of a key that may be shown. */
function describe(key: ApiKey) {
  return {
    id: key.id,
    account: key.account,
    mode: key.mode,
    label: key.label,
    lastFour: key.lastFour,
    created: timeOf(key.createdAt),
    lastUsed: timeOf(key.lastUsedAt),
    expires: timeOf(key.expiresAt),
    revoked: timeOf(key.revokedAt),
  };
}

function readLabel(text: string): string {
  if (text.length <= labelCharsMax) return text;
  throw new InvalidArgumentError(`Use at most ${labelCharsMax} characters.`);
}

function readDays(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Use a whole number, 1 to 9999.");
}
