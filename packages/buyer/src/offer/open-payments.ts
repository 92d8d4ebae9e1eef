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
  const records = (await ledger.list(openStates)).filter((record) => isInScope(record, scope));
  const ends = records.map(endsAt);
  const atHost = openAtHost(records, scope, host).length;
  const nextEndMs = ends.length === 0 ? undefined : Math.min(...ends);
  return { count: atHost, message: messageOf({ host, atHost, inAll, nextEndMs }, limits) };
}

interface Counts {
  readonly host: string;
  readonly atHost: number;
  readonly inAll: number;
  /** Undefined when nothing is open. */
  readonly nextEndMs: number | undefined;
}

function messageOf(
  { host, atHost, inAll, nextEndMs }: Counts,
  { openPaymentsMax, openPaymentsPerHostMax }: Limits,
): string {
  const isHostFull = atHost >= openPaymentsPerHostMax;
  const what = isHostFull
    ? `${atHost} payments to ${host} have no outcome yet, and at one host ${openPaymentsPerHostMax} are the most`
    : `${inAll} payments have no outcome yet, and ${openPaymentsMax} are the most`;
  const next = nextEndMs === undefined ? "" : `, the next at ${new Date(nextEndMs).toISOString()}`;
  return `${what}. Each ends by itself${next}; \`farthing ledger reconcile\` asks the chain now, \`farthing ledger list --open\` shows them.`;
}
