/** Files with private keys: for their owner alone, on the disk before they are relied on, replaced whole. */
import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Address } from "@farthing/protocol";
import { walletAddressOf } from "@farthing/facilitator";
import { Fault } from "@farthing/facilitator/operator";

/** Access for the file's owner alone. */
const privateMode = 0o600;

export function createKey(): string {
  // All but 2^-128 of the values are keys; the address is derived at once, which would fail.
  return `0x${randomBytes(32).toString("hex")}`;
}

/** The keys of a file as the facilitator reads it: separated by commas. */
export function readKeys(path: string): string[] {
  return readPrivate(path)
    .split(",")
    .map((key) => key.trim())
    .filter((key) => key !== "");
}

/** Writes a new file; throws the fault `configuration` when there is one. */
export function createPrivate(path: string, content: string): void {
  try {
    writeThrough(path, content, "wx", privateMode);
  } catch (cause) {
    const text = existsSync(path) ? "exists already; it was left as it is" : "cannot be written";
    throw new Fault("configuration", `${path} ${text}`, { cause });
  }
}

/** Replaces a file in one step: a reader, and a crash, find the old content or the new one. */
export function replacePrivate(path: string, content: string): void {
  const before = existsSync(path) ? statSync(path) : undefined;
  const next = `${path}.new`;
  try {
    writeThrough(next, content, "w", before ? before.mode & 0o777 : privateMode);
    // The service may run as another user than the operator.
    if (before && process.getuid?.() === 0) chownSync(next, before.uid, before.gid);
    renameSync(next, path);
    syncFolder(path);
  } catch (cause) {
    throw new Fault("configuration", `${path} cannot be replaced; nothing changed`, { cause });
  }
}

function writeThrough(path: string, content: string, flags: "w" | "wx", mode: number): void {
  const file = openSync(path, flags, mode);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(path);
}

/** A new name is on the disk once its folder is. */
function syncFolder(path: string): void {
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function readPrivate(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Fault("configuration", `${path} cannot be read`, { cause });
  }
}

/** One wallet that takes the place of another. */
export interface Rotation {
  readonly from: Address;
  readonly to: Address;
  /** Of the wallet that is not among the facilitator's keys: first the new one, then the old one. */
  readonly key: string;
}

/** Reads the rotations of a file, which need not exist: lines of old address, new address and key. */
export function readRotations(path: string): Rotation[] {
  if (!existsSync(path)) return [];
  return readPrivate(path)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [from, to, key] = line.split(" ");
      if (isAddressText(from) && isAddressText(to) && key !== undefined) {
        // The key must be that of one of the two.
        const own = walletAddressOf(key);
        if (own === from || own === to) return { from, to, key };
      }
      throw new Fault("configuration", `${path} was changed by other software; restore it`);
    });
}

export function writeRotations(path: string, rotations: readonly Rotation[]): void {
  const lines = rotations.map(({ from, to, key }) => `${from} ${to} ${key}\n`);
  replacePrivate(path, lines.join(""));
}

function isAddressText(text: string | undefined): text is Address {
  return /^0x[0-9a-fA-F]{40}$/.test(text ?? "");
}
