/** The seller's signatures of a receipt (extension `offer-receipt`): who signed, and about what. */
import { verifySellerStatement, type TrustedSeller } from "@farthing/buyer";
import {
  findSignedReceipt,
  isObject,
  isSameAddress,
  member,
  parseAddress,
  type JsonObject,
  type SellerStatementKind,
} from "@farthing/protocol";
import { ConfigurationError } from "../command/command-errors.ts";
import { readKeySet } from "./key-set.ts";
import type { ReceiptClaim } from "./receipt.ts";

/** As the seller signed them; not verified yet. */
export interface SellerEvidence {
  readonly offer: unknown;
  readonly receipt: unknown;
  /** The address that was paid for, as the buyer knows it. */
  readonly url: unknown;
}

/** Reads a receipt as it is printed, or a settle response. */
export function readSellerEvidence(value: JsonObject): SellerEvidence {
  const response = member(value, "serverReceipt");
  const [within, alone] = [isObject(response) ? response : {}, value].map((one) =>
    findSignedReceipt(member(one, "extensions")),
  );
  return {
    offer: member(value, "sellerOffer"),
    receipt: within ?? alone,
    url: member(value, "url"),
  };
}

interface Evidence {
  readonly claim: ReceiptClaim | undefined;
  readonly signed: SellerEvidence;
}

export type VerifiedSeller =
  | { readonly ok: true; readonly isVerified: boolean; readonly texts: SellerTexts }
  | { readonly ok: false; readonly reason: string };

interface SellerTexts {
  readonly sellerOffer?: string;
  readonly sellerReceipt?: string;
}

/** Verifies what there is; `isVerified` when the trusted seller, or the payee, signed a part of it. */
export async function verifySeller(
  { claim, signed }: Evidence,
  named: string | undefined,
): Promise<VerifiedSeller> {
  const seller = named === undefined ? undefined : await readSeller(named);
  const texts: { -readonly [Name in keyof SellerTexts]: string } = {};
  let isVerified = false;
  for (const kind of ["offer", "receipt"] as const) {
    if (signed[kind] === undefined) continue;
    const read = verifySellerStatement(kind, signed[kind], seller);
    if (!read.ok) return refused(kind, read.reason);
    const { statement, by } = read;
    const difference = claim && findDifference(kind, statement, claim, signed.url);
    if (difference !== undefined) return refused(kind, `it is about another ${difference}`);
    const isPayee = !seller && claim !== undefined && isSameAddress(by, claim.to);
    if (read.isVerified || isPayee) isVerified = true;
    const name = kind === "offer" ? "sellerOffer" : "sellerReceipt";
    texts[name] = read.isVerified || isPayee ? textOf(kind, by, isPayee) : unverified(by);
  }
  if (seller && !isVerified) {
    return { ok: false, reason: "the receipt contains nothing that a seller signed" };
  }
  return { ok: true, isVerified, texts };
}

function refused(kind: SellerStatementKind, reason: string): VerifiedSeller {
  return { ok: false, reason: `the seller's ${kind} is wrong: ${reason}` };
}

function textOf(kind: SellerStatementKind, by: string, isPayee: boolean): string {
  const who = isPayee ? `the payee ${by}` : by;
  return kind === "offer" ? `${who} offered these terms` : `${who} states that it delivered`;
}

function unverified(by: string): string {
  return `not verified: signed by ${by}; name the seller that you trust with --seller`;
}

async function readSeller(named: string): Promise<TrustedSeller> {
  const address = parseAddress(named);
  if (address) return { address };
  if (/^(0x|xdc)[0-9a-f]+$/i.test(named)) {
    throw new ConfigurationError(`--seller: ${named} is no address of 20 bytes.`);
  }
  return { keySet: await readKeySet(named, "--seller") };
}

/** Names the first part in which a statement is not about the payment. */
function findDifference(
  kind: SellerStatementKind,
  statement: JsonObject,
  { network, from, to, units, transaction }: ReceiptClaim,
  url: unknown,
): string | undefined {
  const text = (name: string) => String(member(statement, name));
  const isSame = (name: string, value: string) => isSameAddress(text(name), value);
  if (text("network") !== network.id) return "network";
  if (typeof url === "string" && resourceOf(text("resourceUrl")) !== resourceOf(url)) {
    return `resource, ${text("resourceUrl")}`;
  }
  if (kind === "receipt") {
    if (!isSame("payer", from)) return "payer";
    // A seller may leave it out, so that a published receipt does not lead to the payer's wallet.
    const isOpen = text("transaction") === "";
    return isOpen || isSame("transaction", transaction) ? undefined : "transaction";
  }
  if (text("scheme") !== "exact" || !isSame("asset", network.usdc)) return "token";
  if (!isSame("payTo", to)) return "payee";
  return text("amount") === units.toString() ? undefined : "amount";
}

/** Without the scheme: behind a proxy that ends TLS, sellers see http. */
function resourceOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host, pathname, search } = new URL(url);
  return `${host}${pathname}${search}`;
}
