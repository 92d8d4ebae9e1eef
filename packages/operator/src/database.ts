/** What the operator's commands share: the facilitator's database, and how values are read and shown. */
import { userInfo } from "node:os";
import { parseAddress, writeTo, type Address } from "@farthing/protocol";
import type { ServiceStore } from "@farthing/facilitator";
import { InvalidArgumentError } from "commander";
import { exitCodes } from "farthing/program";

/** A note is for people; long ones break the table. */
const noteCharsMax = 500;

/** Works in the database of DATABASE_URL; a database that cannot be used is a line and a 3. */
export async function withStore(
  command: string,
  work: (store: ServiceStore) => Promise<void>,
): Promise<void> {
  const { Fault, openStore, readDatabaseUrl } = await import("@farthing/facilitator/operator");
  try {
    const store = await openStore(readDatabaseUrl());
    try {
      await work(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    writeTo(process.stderr, `farthing ${command}: ${error.message}\n`);
    process.exitCode = exitCodes.configuration;
  }
}

/** An address as people write it. */
export function readAccount(text: string): Address {
  const address = parseAddress(text);
  if (address) return address;
  throw new InvalidArgumentError(
    "Give an address as 0x and 40 hex digits with a right checksum, or as xdc….",
  );
}

/** A note that says something. */
export function readNote(text: string): string {
  const note = text.trim();
  if (note !== "" && note.length <= noteCharsMax) return note;
  throw new InvalidArgumentError(`A note has 1 to ${noteCharsMax} characters.`);
}

/** The person who runs the command; the ledger records the name with each action. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user that its system does not know.
    return "operator";
  }
}

/** RFC 3339 of milliseconds since 1970. */
export function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
