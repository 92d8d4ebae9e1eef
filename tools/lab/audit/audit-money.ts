/** Whether the money of a run is where its payments have moved it, by the chain and by the books. */
import { buyerUnits } from "@farthing/devnet";
import type { LedgerEntry } from "./chain-ledger.ts";
import type { Evidence } from "./evidence.ts";
import type { StoredSettlement } from "./stored-rows.ts";
import type { SignedPayment } from "../token-calls/token-calls.ts";

interface MovedPayment {
  readonly payment: SignedPayment;
  readonly paid: LedgerEntry | undefined;
  readonly row: StoredSettlement | undefined;
}

type Say = (rule: string, text: string) => void;

/** What goes back is subtracted; auditRefunds looks at each refund. */
export function auditMoney(evidence: Evidence, files: readonly MovedPayment[], say: Say): void {
  const { ledger, stored } = evidence;
  const payTos = files.map(({ payment }) => payment.authorization.to);
  const sellers = new Set((evidence.payees ?? payTos).map((payee) => payee.toLowerCase()));
  const isSeller = (payer: string) => sellers.has(payer.toLowerCase());
  const returned = ledger.entries
    .filter(({ kind, payer }) => kind === "used" && isSeller(payer))
    .reduce((sum, { transfer }) => sum + (transfer?.units ?? 0n), 0n);
  const ofBuyers = files.filter(({ payment }) => !isSeller(payment.authorization.from));
  const moved = ofBuyers.reduce((sum, { paid }) => sum + (paid?.transfer?.units ?? 0n), -returned);
  if (moved !== ledger.sellerUnits) {
    say("the seller has it", `${ledger.sellerUnits} units; payments moved ${moved}`);
  }
  const claimed = stored.settlements
    .filter(({ state }) => state === "confirmed")
    .map(({ amount, payer }) => (isSeller(payer) ? -1n : 1n) * BigInt(amount))
    .reduce((sum, units) => sum + units, 0n);
  const unclaimed = files
    .filter(({ row }) => row === undefined)
    .map(({ paid, payment }) => {
      const units = paid?.transfer?.units ?? 0n;
      return isSeller(payment.authorization.from) ? -units : units;
    })
    .reduce((sum, units) => sum + units, 0n);
  if (claimed + unclaimed !== ledger.sellerUnits) {
    const parts = `${claimed} confirmed, ${unclaimed} of others`;
    say("the books are the chain", `${ledger.sellerUnits} units; ${parts}`);
  }
}

export function auditPayers(
  { payerUnits = new Map() }: Evidence,
  files: readonly MovedPayment[],
  say: Say,
): void {
  const filesOf = Map.groupBy(files, ({ payment }) => payment.authorization.from);
  for (const [payer, units] of payerUnits) {
    const moved = filesOf
      .get(payer)
      ?.reduce((sum, { paid }) => sum + (paid?.transfer?.units ?? 0n), 0n);
    const expected = buyerUnits - (moved ?? 0n);
    if (units !== expected) say("the payer has the rest", `${payer}: ${units}, not ${expected}`);
  }
}
