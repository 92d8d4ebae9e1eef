/** The part of a store that keeps passes. Each call is atomic across processes. */
import { isObject, member, parseJson, textMembers } from "@farthing/protocol";
import type { SettledRequest } from "../../events.ts";

/** A pass as a store keeps it. */
export interface Pass {
  /** Public: the receipt names it. */
  readonly id: string;
  /** SHA-256 of the token, as hex. */
  readonly tokenHash: string;
  /** What the pass opens. */
  readonly scope: string;
  /** All uses, and those that are left. */
  readonly uses: number;
  readonly usesLeft: number;
  readonly expiresAtMs: number;
  /** Whether it opens nothing any more, whatever is left. */
  readonly isVoid: boolean;
  /** Whether its payment is final, or need not be. Otherwise it opens nothing yet. */
  readonly isFinal: boolean;
  /** The payment that bought it. */
  readonly payment: SettledRequest;
}

export type PassMark = "final" | "void";

/** Whose passes are looked for, and which open something. */
export interface PassHolder {
  /** The address that paid, in lower case. */
  readonly payer: string;
  /** CAIP-2 names of the networks that count. */
  readonly networks: readonly string[];
  readonly scope: string;
  readonly nowMs: number;
}

/** Passes in a store. A pass is kept for a day after its end. */
export interface PassStore {
  get(id: string): Promise<Pass | undefined>;
  /**
   * Stores a new pass. Of one that is stored and not void it replaces the hash of the token alone.
   * Returns the stored pass.
   */
  open(pass: Pass): Promise<Pass>;
  /**
   * Adds to the uses that are left of a pass that is not void, if they stay between 0 and all of
   * them. With a hash, only while the token has this hash. Returns the uses that are left then.
   */
  addUses(id: string, added: 1 | -1, tokenHash?: string): Promise<number | undefined>;
  /** Finds the pass of a payer that is not void, has uses left and ends last. */
  heldBy(holder: PassHolder): Promise<Pass | undefined>;
  /**
   * Keeps a value under a key that has none, until a time. Returns the value that was kept before;
   * undefined for a new key.
   */
  remember(key: string, value: string, untilMs: number): Promise<string | undefined>;
  /** Returns the value that is kept under a key. */
  recall(key: string): Promise<string | undefined>;
  /** Marks a pass for good. Returns false when there is none. */
  mark(id: string, mark: PassMark): Promise<boolean>;
  /** Whether there is no room for a new pass. Absent where the store has no bound of its own. */
  isFull?(): Promise<boolean>;
  /**
   * Whether there is room for what another top-up leaves behind for good. Absent where the store has
   * no bound of its own.
   */
  hasNoteRoom?(): Promise<boolean>;
}

/** Parses a pass from the texts and numbers of a store outside of the process. */
export function passIn(stored: Readonly<Record<string, unknown>>): Pass {
  return {
    id: String(stored["id"]),
    tokenHash: String(stored["tokenHash"]),
    scope: String(stored["scope"]),
    uses: Number(stored["uses"]),
    usesLeft: Number(stored["usesLeft"]),
    expiresAtMs: Number(stored["expiresAtMs"]),
    isVoid: Number(stored["isVoid"]) !== 0,
    isFinal: Number(stored["isFinal"]) !== 0,
    payment: paymentIn(textual(stored["payment"])),
  };
}

function textual(stored: unknown): unknown {
  return typeof stored === "string" ? parseJson(stored)?.value : undefined;
}

/** Parses the payment that bought a pass, or topped up a balance. */
export function paymentIn(value: unknown): SettledRequest {
  const text = (name: string): string => {
    const found = isObject(value) ? member(value, name) : undefined;
    if (typeof found === "string") return found;
    throw new Error("The store keeps something else under the id of a pass or balance.");
  };
  return {
    payer: text("payer"),
    amount: text("amount"),
    network: text("network"),
    transaction: text("transaction"),
    ...(isObject(value) ? textMembers(value, "settlementId") : {}),
  };
}
