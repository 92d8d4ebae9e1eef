/** The facilitator's database for the operator's commands, and the values that they read and show. */
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { resolve } from "node:path";
import { findNetwork, parseAddress, writeTo, type Address } from "@farthing/protocol";
import type { ServiceStore } from "@farthing/facilitator";
import { Fault, openStore, readDatabaseUrl, sqlitePathOf } from "@farthing/facilitator/operator";
import { InvalidArgumentError, type Command } from "commander";
import { exitCodes } from "farthing/program";

/** Longer notes would break the table that shows them. */
const noteCharsMax = 500;

/** Adds a command for one kind of rows of the database. */
export function addDatabaseCommand(program: Command, name: string, what: string): Command {
  return program
    .command(name)
    .description(
      `Manages ${what} in the database of DATABASE_URL (or of FARTHING_CONFIG), also while the facilitator runs.`,
    );
}

/** Prints why a command did nothing; ends with the exit code. */
export function refuse(message: string, exitCode: number = exitCodes.notFound): void {
  console.error(message);
  process.exitCode = exitCode;
}

export const noAccount = (account: Address) =>
  `There is no account ${account}. List accounts with: farthing accounts list`;

/**
 * Runs an action on the database of DATABASE_URL. Only an action that `mayCreate` makes a new SQLite
 * file: a mistyped path must not look like a service without keys and accounts.
 */
export function withStore(
  command: string,
  run: (store: ServiceStore) => Promise<void>,
  { mayCreate = false } = {},
): Promise<void> {
  return reportFaults(command, async () => {
    const databaseUrl = readDatabaseUrl();
    if (!mayCreate) demandFile(databaseUrl);
    const store = await openStore(databaseUrl);
    try {
      await run(store);
    } finally {
      await store.close();
    }
  });
}

function demandFile(databaseUrl: string): void {
  const path = sqlitePathOf(databaseUrl);
  if (path === undefined || path === ":memory:" || existsSync(path)) return;
  throw new Fault(
    "configuration",
    `There is no database at ${resolve(path)}. Set DATABASE_URL to that of the facilitator, such as sqlite:/var/lib/farthing/farthing.db; its first start creates the file.`,
  );
}

/** Runs an action; prints a Fault, such as a database that cannot be opened, with exit code 3. */
export async function reportFaults(
  command: string,
  run: () => Promise<void>,
  program = "farthing",
): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    writeTo(process.stderr, `${program} ${command}: ${error.message}\n`);
    process.exitCode = exitCodes.configuration;
  }
}

export function readAccount(text: string): Address {
  const address = parseAddress(text);
  if (address) return address;
  throw new InvalidArgumentError("Use 0x or xdc and 40 hexadecimal digits, with a valid checksum.");
}

/** Returns the CAIP-2 name of a network that is named in any of its ways. */
export function readNetworkId(text: string): string {
  const network = findNetwork(text);
  if (network) return network.id;
  throw new InvalidArgumentError("Use eip155:50 or eip155:51.");
}

export function readNote(text: string): string {
  const note = text.trim();
  if (note !== "" && note.length <= noteCharsMax) return note;
  throw new InvalidArgumentError(`Use 1 to ${noteCharsMax} characters.`);
}

/** The name of the user who runs the command, which the ledger records with each action. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user that its system has no name for.
    return "operator";
  }
}

/** RFC 3339 of milliseconds since 1970. */
export function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
