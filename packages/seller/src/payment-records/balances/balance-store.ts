/** The part of a store that keeps balances. Each call is atomic across processes. */
import { isObject, member, parseJson, textMembers } from "@farthing/protocol";
import type { SettledRequest } from "../../events.ts";
import { paymentIn } from "../passes/pass-store.ts";

/** Money that is held for one request until its cost is known. */
export interface Reserve {
  /** Names the request. */
  readonly useId: string;
  /** Base units, the most that the request can cost. */
  readonly amount: bigint;
  /** What the request has cost so far; charged if its process dies. */
  readonly metered: bigint;
  /** When the reserve ends by itself, in milliseconds since the Unix epoch. */
  readonly untilMs: number;
}

/** A top-up that pays for nothing until its payment is final. */
export interface OpenTopUp {
  /** As in the ledger. */
  readonly key: string;
  /** Base units that the payment has added. */
  readonly paid: bigint;
  /** Base units of them that are kept shut; the rest is for the request that came with the payment. */
  readonly shut: bigint;
  /** The facilitator's name of the payment; absent where it names none. */
  readonly settlementId?: string;
  /** Absent in what earlier versions have stored. */
  readonly transaction?: string;
}

/** The money of one buyer for one scope, as a store keeps it. */
export interface Balance {
  /** Public: the receipt names it. */
  readonly id: string;
  /** SHA-256 of the newest token, as hex; empty before the first token. */
  readonly tokenHash: string;
  /** Those of the tokens before it that are still good, the newest first. */
  readonly earlierHashes: readonly string[];
  /** What the balance pays for. */
  readonly scope: string;
  /** The sum of the ledger in base units, never below the sum of the reserves and of what is shut. */
  readonly amount: bigint;
  readonly reserves: readonly Reserve[];
  readonly openTopUps: readonly OpenTopUp[];
  /** The payment that topped it up last. */
  readonly payment: SettledRequest;
}

/** `void` takes back a top-up whose payment has failed after all. */
const kinds = ["top-up", "charge", "payback", "void"] as const;

/** One line of a ledger. No two entries of a balance have the same kind and key. */
export interface LedgerEntry {
  readonly kind: (typeof kinds)[number];
  /** The payment, the request, or the payback. */
  readonly key: string;
  /** Base units: positive for a top-up and for a payback that was put back, otherwise 0 or negative. */
  readonly amount: bigint;
  readonly atMs: number;
  /** Base units that go back to the buyer, where a payback returns more than was left. */
  readonly goesBack?: bigint;
}

export type EntryName = Pick<LedgerEntry, "kind" | "key">;

export interface FoundBalance {
  /** Counts the changes; 0 before the first. */
  readonly version: number;
  readonly balance: Balance | undefined;
  /** Whether the ledger has the entry that was asked about. */
  readonly isEntered: boolean;
}

/** Balances in a store. They are kept for good, because they are owed to their buyers. */
export interface BalanceStore {
  get(id: string, entry?: EntryName): Promise<FoundBalance>;
  /** Stores the balance and appends to its ledger, unless the version is another one. */
  compareAndSet(
    version: number,
    balance: Balance,
    entries: readonly LedgerEntry[],
  ): Promise<boolean>;
  /** Returns the ledger, oldest first. A store may forget old charges, but no other entry. */
  ledger(id: string): Promise<readonly LedgerEntry[]>;
  /** Whether there is no room for a new balance. Absent where the store has no bound of its own. */
  isFull?(): Promise<boolean>;
}

/** Returns the name of an entry, by which a ledger has it once. */
export function nameOf({ kind, key }: EntryName): string {
  return `${kind}/${key}`;
}

export function balanceText(balance: Balance): string {
  return toText(balance);
}

export function entryText(entry: LedgerEntry): string {
  return toText(entry);
}

/** As JSON, with amounts as decimal digits. */
function toText(value: Balance | LedgerEntry): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    typeof one === "bigint" ? one.toString() : one,
  );
}

/** Parses a balance from the text of a store outside of the process. */
export function balanceIn(stored: unknown): Balance {
  const value = objectIn(stored);
  return {
    id: textIn(value, "id"),
    tokenHash: textIn(value, "tokenHash"),
    earlierHashes: listIn(value, "earlierHashes").map(String),
    scope: textIn(value, "scope"),
    amount: BigInt(textIn(value, "amount")),
    reserves: listIn(value, "reserves").map((one) => ({
      useId: textIn(one, "useId"),
      amount: BigInt(textIn(one, "amount")),
      metered: BigInt(textIn(one, "metered")),
      untilMs: numberIn(one, "untilMs"),
    })),
    openTopUps: listIn(value, "openTopUps").map((one) => ({
      key: textIn(one, "key"),
      paid: BigInt(textIn(one, "paid")),
      shut: BigInt(textIn(one, "shut")),
      ...(isObject(one) ? textMembers(one, "settlementId", "transaction") : {}),
    })),
    payment: paymentIn(member(value, "payment")),
  };
}

export function entryIn(stored: unknown): LedgerEntry {
  const value = objectIn(stored);
  const name = textIn(value, "kind");
  const kind = kinds.find((one) => one === name);
  if (kind === undefined) throw new Error(foreign);
  const amount = BigInt(textIn(value, "amount"));
  const goesBack = member(value, "goesBack");
  const more = typeof goesBack === "string" ? { goesBack: BigInt(goesBack) } : {};
  return { kind, key: textIn(value, "key"), amount, atMs: numberIn(value, "atMs"), ...more };
}

const foreign = "The store keeps something else under the id of a balance.";

function objectIn(stored: unknown) {
  const value = typeof stored === "string" ? parseJson(stored)?.value : undefined;
  if (isObject(value)) return value;
  throw new Error(foreign);
}

/** Earlier versions wrote fewer lists. */
function listIn(value: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const found = member(value, name);
  return Array.isArray(found) ? found : [];
}

function textIn(value: unknown, name: string): string {
  const found = isObject(value) ? member(value, name) : undefined;
  if (typeof found === "string") return found;
  throw new Error(foreign);
}

function numberIn(value: unknown, name: string): number {
  const found = isObject(value) ? member(value, name) : undefined;
  if (typeof found === "number") return found;
  throw new Error(foreign);
}
