/**
 * Identifiers of payments by buyers (the extension `payment-identifier`), from the claim to the end
 * of the authorization. One stands for one payment of its payer to one payee: another payment with
 * it is refused. They never lead to a settlement, so they are kept as hashes.
 */
import { createHash } from "node:crypto";
import { toLowerHex } from "@farthing/protocol";
import { sql } from "kysely";
import type { Claim } from "../model/settlement.ts";
import { inTransaction, textList, type Database } from "./dialect.ts";
import type { ExchangeStore, IdentifiedPayment } from "./exchange-store.ts";
import type { ClaimRefusal } from "./participant.ts";

/** 128 bits keep collisions out of reach. */
const hashBytes = 16;

/** Identifiers of authorizations without an end are kept for 30 days. Milliseconds. */
const keptMsMax = 30 * 24 * 60 * 60 * 1000;

/** Lock names of claims with an identifier, which keep other claims out between read and claim. */
export function identifierLocks(claims: readonly Claim[]): string[] {
  return claims.filter(isIdentified).map((claim) => `identifier:${nameOf(claim)}`);
}

/** Refuses claims whose identifier stands for another payment, also of the same batch. */
export async function refuseIdentifiers(
  inside: Database,
  claims: readonly Claim[],
  now: number,
  refusals: Map<string, ClaimRefusal>,
): Promise<void> {
  const identified = claims.filter((claim) => isIdentified(claim) && !refusals.has(claim.id));
  if (identified.length === 0) return;
  const payments = await findPayments(inside, identified, now);
  for (const claim of identified) {
    const name = nameOf(claim);
    const payment = payments.get(name) ?? paymentOf(claim);
    payments.set(name, payment);
    if (payment !== paymentOf(claim)) refusals.set(claim.id, "payment_identifier_conflict");
  }
}

/** Stores identifiers in the transaction that claims their settlements. */
export async function insertIdentifiers(
  { db, engine }: Database,
  claims: readonly Claim[],
  now: number,
): Promise<void> {
  // One claim per name: a second one was refused, or is the same payment.
  const rows = new Map(
    claims.filter(isIdentified).map((claim) => {
      const name_hash = nameOf(claim);
      const row = { name_hash, payment_hash: paymentOf(claim), expires_at: endOf(claim, now) };
      return [name_hash, row] as const;
    }),
  );
  if (rows.size === 0) return;
  const list = engine.list([...rows.values()], {
    name_hash: "text",
    payment_hash: "text",
    expires_at: "bigint",
  });
  await sql`insert into payment_identifiers (name_hash, payment_hash, expires_at)
    select name_hash, payment_hash, expires_at from ${list} where true
    on conflict (name_hash) do update set payment_hash = excluded.payment_hash,
      expires_at = excluded.expires_at`.execute(db);
}

export function identifierMethods(database: Database) {
  return {
    findIdentifierConflicts: async (payments, now) => {
      const known = await findPayments(database, payments, now);
      return payments.map((payment) => {
        const stored = known.get(nameOf(payment));
        return stored !== undefined && stored !== paymentOf(payment);
      });
    },
  } satisfies Partial<ExchangeStore>;
}

export async function forgetIdentifiers(
  database: Database,
  now: number,
  limit: number,
): Promise<void> {
  await inTransaction(database, ({ db }) =>
    sql`delete from payment_identifiers where expires_at <= ${now} and name_hash in (
      select name_hash from payment_identifiers where expires_at <= ${now}
      order by expires_at limit ${limit})`.execute(db),
  );
}

/** The payments of identifiers that have not ended, by name. */
async function findPayments(
  { db, engine }: Database,
  payments: readonly IdentifiedPayment[],
  now: number,
): Promise<Map<string, string>> {
  const names = [...new Set(payments.filter(isIdentified).map(nameOf))];
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom(textList(engine, names))
    .innerJoin("payment_identifiers", "payment_identifiers.name_hash", "given.of")
    .select(["name_hash", "payment_hash"])
    .where("expires_at", ">", now)
    .execute();
  return new Map(rows.map((row) => [row.name_hash, row.payment_hash]));
}

function isIdentified({ identifier }: IdentifiedPayment): boolean {
  return identifier !== undefined;
}

/** The name includes payer and payee, so that third parties cannot occupy an identifier. */
function nameOf({ chainId, asset, payer, payTo, identifier }: IdentifiedPayment): string {
  return hashOf([chainId, toLowerHex(asset), toLowerHex(payer), toLowerHex(payTo), identifier]);
}

function paymentOf({ nonce, amount, validAfter, validBefore }: IdentifiedPayment): string {
  return hashOf([toLowerHex(nonce), amount, validAfter, validBefore]);
}

function hashOf(parts: readonly unknown[]): string {
  const hash = createHash("sha256").update(parts.map(String).join("\n")).digest();
  return hash.subarray(0, hashBytes).toString("base64url");
}

function endOf({ validBefore }: IdentifiedPayment, now: number): number {
  const lastMs = now + keptMsMax;
  return validBefore * 1000n < BigInt(lastMs) ? Number(validBefore) * 1000 : lastMs;
}
