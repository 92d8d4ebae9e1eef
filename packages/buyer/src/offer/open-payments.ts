/** The open payments that keep another one waiting, and how they end. */
import { endsAt } from "../chain/reconcile.ts";
import { isInScope, openAtHost } from "../ledger/ledger-book.ts";
import { openStates, type Ledger, type LedgerScope } from "../ledger/ledger.ts";
import type { Limits } from "../ledger/limits.ts";
import type { OpenAtHost } from "./check-offer.ts";

/** Counts what is open at a host, with the message for a payment that has to wait. */
export async function readOpenPayments(
  ledger: Ledger,
  scope: LedgerScope,
  host: string,
  { inAll, limits }: { readonly inAll: number; readonly limits: Limits },
): Promise<OpenAtHost> {
  const { openPaymentsMax, openPaymentsPerHostMax } = limits;
  const records = (await ledger.list(openStates)).filter((record) => isInScope(record, scope));
  const ends = records.map(endsAt);
  const count = openAtHost(records, scope, host).length;
  const what =
    count >= openPaymentsPerHostMax
      ? `${count} payments to ${host} have no outcome yet, and at one host ${openPaymentsPerHostMax} are the most`
      : `${inAll} payments have no outcome yet, and ${openPaymentsMax} are the most`;
  const next =
    ends.length === 0 ? "" : `, the next at ${new Date(Math.min(...ends)).toISOString()}`;
  const message = `${what}. Each ends by itself${next}; \`farthing ledger reconcile\` asks the chain now, \`farthing ledger list --open\` shows them.`;
  return { count, message };
}
