/** The lines of a ledger's file: one JSON object each, amounts as decimal digits. */
import { randomUUID } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { isObject, member, parseUint256, type JsonObject } from "@farthing/protocol";
import { readStoredChannel } from "../channels/stored-channel.ts";
import type { ChannelRecord } from "../channels/channel-record.ts";
import type { Pin } from "./ledger-book.ts";
import { ledgerTransitions, type LedgerTransition, type LedgerRecord } from "./ledger.ts";

/** A whole record, or what a transition added to one. */
export type Line =
  | { readonly record: LedgerRecord }
  | { readonly move: LedgerTransition & { readonly requestId: string } }
  | { readonly pin: Pin }
  | { readonly channel: ChannelRecord };

/** The file is malformed, so nothing may be paid on its word. */
export class LedgerFileError extends Error {
  override readonly name = "LedgerFileError";

  constructor(path: string, why: string) {
    super(
      `The ledger ${path} cannot be trusted: ${why}. Restore it, or move it away and wait until every payment in it has expired.`,
    );
  }
}

/** The system does not let the file be read or written, such as on a full disk. */
export class LedgerAccessError extends Error {
  override readonly name = "LedgerAccessError";

  constructor(path: string, cause: Error) {
    super(`The ledger ${path} cannot be used: ${cause.message}.`, { cause });
  }
}

const version = 1;

/** The random part distinguishes a replaced file from the one before. */
export function newHeader(): string {
  return `${JSON.stringify({ farthingLedger: version, file: randomUUID() })}\n`;
}

/** Longer than any header of this format. */
const headerBytesMax = 256;

/** Returns the first line with its newline. Throws a LedgerFileError when it is no header. */
export async function readHeader(handle: FileHandle, path: string): Promise<string> {
  const { buffer, bytesRead } = await handle.read(
    Buffer.alloc(headerBytesMax),
    0,
    headerBytesMax,
    0,
  );
  const text = buffer.toString("utf8", 0, bytesRead);
  const header = text.slice(0, text.indexOf("\n") + 1);
  const parsed = parse(header);
  if (parsed && member(parsed, "farthingLedger") === version) return header;
  throw new LedgerFileError(path, `its first line is not that of a ledger of version ${version}`);
}

export function writeLine(line: Line): string {
  const text = JSON.stringify(line, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  return `${text}\n`;
}

type StoredRecord = Omit<LedgerRecord, "amountUnits"> & { readonly amountUnits: string };

/** Reads a line that this module wrote. Throws a LedgerFileError for any other. */
export function readLine(text: string, path: string, number: number): Line {
  const { record, move, pin, channel: stored } = parse(text) ?? {};
  if (isStoredRecord(record)) {
    const amountUnits = parseUint256(record.amountUnits);
    if (amountUnits !== undefined) return { record: { ...record, amountUnits } };
  }
  if (isTransition(move)) return { move };
  if (isPin(pin)) return { pin };
  const channel = readStoredChannel(stored);
  if (channel) return { channel };
  throw new LedgerFileError(path, `line ${number} says nothing that is known`);
}

const recordTexts = ["requestId", "fingerprint", "wallet", "network", "asset", "payTo", "host"];

function isStoredRecord(value: unknown): value is StoredRecord {
  return (
    hasTexts(value, [...recordTexts, "amountUnits"]) &&
    isState(value["state"]) &&
    Number.isFinite(value["reservedAt"]) &&
    Number.isFinite(value["attempt"])
  );
}

function isTransition(value: unknown): value is LedgerTransition & { readonly requestId: string } {
  return hasTexts(value, ["requestId"]) && isState(value["state"]);
}

function isPin(value: unknown): value is Pin {
  return hasTexts(value, ["host", "network", "payTo"]);
}

function hasTexts(value: unknown, names: readonly string[]): value is JsonObject {
  return isObject(value) && names.every((name) => typeof value[name] === "string");
}

function isState(value: unknown): boolean {
  return typeof value === "string" && Object.hasOwn(ledgerTransitions, value);
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
