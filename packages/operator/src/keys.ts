/**
 * `farthing keys`: API keys of sellers, straight in the facilitator's database. For the operator:
 * anyone who can run it can read the database as well.
 */
import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import { toXdcAddress, type Address } from "@farthing/protocol";
import type { ApiKey, KeyMode, ServiceStore } from "@farthing/facilitator";
import { addPrintFlags, exitCodes, type PrintFlags, printList } from "farthing/program";
import { readAccount, timeOf, withStore } from "./database.ts";

/** A key's label is for people; long ones break the table. */
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

/** Adds the subcommand. */
export function register(program: Command): void {
  const keys = program
    .command("keys")
    .description(
      "Manages API keys in the database of DATABASE_URL (or of FARTHING_CONFIG), also while the facilitator runs.",
    );
  keys
    .command("create")
    .description("create a key for a payout address; it is shown once")
    .requiredOption("--account <address>", "payout address, 0x… or xdc…", readAccount)
    .option("--label <text>", "what the key is for", readLabel, "")
    .option("--test", "a key for Apothem and devnets; without it the key is for XDC mainnet", false)
    .option("--expires-days <n>", "days until it expires; never without it", readDays)
    .option("--json", "print one JSON object", false)
    .action((flags: CreateFlags) => withStore("keys", (store) => create(store, flags)));
  addPrintFlags(
    keys
      .command("list")
      .description("list keys; the keys themselves are not stored")
      .option("--account <address>", "only this payout address", readAccount),
  ).action((flags: ListFlags) => withStore("keys", (store) => list(store, flags)));
  keys
    .command("revoke")
    .description("revoke a key; it stops working at once")
    .argument("<id>", "the twelve characters that `keys list` shows")
    .action((id: string) => withStore("keys", (store) => revoke(store, id)));
}

async function create(store: ServiceStore, flags: CreateFlags): Promise<void> {
  const { createApiKey, systemClock } = await import("@farthing/facilitator/operator");
  const mode: KeyMode = flags.test ? "test" : "live";
  const { account, label, expiresDays } = flags;
  const expiresAt = expiresDays === undefined ? null : systemClock.nowMs() + expiresDays * dayMs;
  const { text, key } = await createApiKey(store, systemClock, { account, mode, label, expiresAt });
  if (flags.json) return console.log(JSON.stringify({ key: text, ...describe(key) }));
  console.log(text);
  console.error(
    `For ${account} (${toXdcAddress(account)}), ${mode === "live" ? "XDC mainnet" : "test networks"}. Keep it now: only its hash is stored. Revoke it with: farthing keys revoke ${key.id}`,
  );
}

async function list(store: ServiceStore, flags: ListFlags): Promise<void> {
  const rows = (await store.listApiKeys(flags.account)).map(describe);
  const whose = flags.account === undefined ? "yet" : `for ${flags.account}`;
  printList(rows, rows, `There are no keys ${whose}: farthing keys create --account 0x…`, flags);
}

async function revoke(store: ServiceStore, given: string): Promise<void> {
  const { systemClock } = await import("@farthing/facilitator/operator");
  const id = idIn(given);
  if (id === undefined) {
    // Not repeated: it may be most of a key.
    console.error("That is no key id; `farthing keys list` shows the twelve characters of each.");
    process.exitCode = exitCodes.usage;
    return;
  }
  if (await store.revokeApiKey(id, systemClock.nowMs())) {
    console.error(`Key ${id} is revoked.`);
    return;
  }
  console.error(`There is no working key ${id}; see: farthing keys list`);
  process.exitCode = exitCodes.notFound;
}

/** The id of a key, also when the whole key was given. */
function idIn(given: string): string | undefined {
  return /^(?:fk_(?:live|test)_(?=[0-9A-Za-z]{61}$))?([0-9A-Za-z]{12})(?:[0-9A-Za-z]{49})?$/.exec(
    given,
  )?.[1];
}

/** What may be shown of a key. */
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
  throw new InvalidArgumentError(`A label has at most ${labelCharsMax} characters.`);
}

function readDays(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give whole days, 1 to 9999.");
}
