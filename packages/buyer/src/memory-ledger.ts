/**
 * A ledger in memory: its limits hold within one process and are forgotten when it ends. Settled
 * and released records are dropped a day after they were reserved; open ones are kept.
 */
import { isSameAddress, type Address } from "@farthing/protocol";
import {
  ledgerMoves,
  type Ledger,
  type LedgerMove,
  type LedgerRecord,
  type LedgerScope,
  type LedgerUsage,
  type Reservation,
  type ReserveOutcome,
  type ReserveRules,
} from "./ledger.ts";
import { dayMs } from "./limits.ts";

/** Creates an empty ledger in memory. */
export function memoryLedger(): Ledger {
  const records = new Map<string, LedgerRecord>();
  const pins = new Map<string, Address>();

  // Everything below runs without a pause between check and write, so it is atomic in a process.
  function reserve(reservation: Reservation, rules: ReserveRules): ReserveOutcome {
    forgetOld(records, reservation.reservedAt);
    const record = records.get(reservation.requestId);
    if (record && record.state !== "released") return { ok: false, reason: "exists", record };
    const pinKey = pinKeyOf(reservation.host, reservation.network);
    const pinned = pins.get(pinKey);
    const isMoved = pinned !== undefined && !isSameAddress(pinned, reservation.payTo);
    if (rules.payeePin === "keep" && isMoved) return { ok: false, reason: "payee_changed" };
    const { spentUnits, openPayments } = usageOf(
      records,
      reservation,
      reservation.reservedAt - rules.windowMs,
    );
    if (openPayments >= rules.openPaymentsMax) return { ok: false, reason: "open_payments_limit" };
    const total = spentUnits + reservation.amountUnits;
    if (rules.perDayUnits !== undefined && total > rules.perDayUnits) {
      return { ok: false, reason: "cumulative_cap" };
    }
    records.set(reservation.requestId, { ...reservation, state: "reserved" });
    if (rules.payeePin !== "off") pins.set(pinKey, reservation.payTo);
    return { ok: true };
  }

  function move(requestId: string, next: LedgerMove): LedgerRecord {
    const record = records.get(requestId);
    if (!record) throw new Error(`The ledger has no request ${requestId}.`);
    if (!ledgerMoves[record.state].includes(next.state)) {
      throw new Error(`A payment that is ${record.state} cannot become ${next.state}.`);
    }
    const moved = { ...record, ...next };
    records.set(requestId, moved);
    return moved;
  }

  return {
    reserve: async (reservation, rules) => reserve(reservation, rules),
    move: async (requestId, next) => move(requestId, next),
    find: async (requestId) => records.get(requestId),
    usage: async (scope, since) => usageOf(records, scope, since),
    pinnedPayee: async (host, network) => pins.get(pinKeyOf(host, network)),
  };
}

function pinKeyOf(host: string, network: string): string {
  return `${network} ${host}`;
}

function usageOf(
  records: ReadonlyMap<string, LedgerRecord>,
  scope: LedgerScope,
  since: number,
): LedgerUsage {
  let spentUnits = 0n;
  let openPayments = 0;
  for (const record of records.values()) {
    if (record.state === "released" || !isInScope(record, scope)) continue;
    const isOpen = record.state !== "settled";
    if (isOpen) openPayments += 1;
    // An open payment counts however old it is: nobody has shown that the money stayed.
    if (isOpen || record.reservedAt > since) spentUnits += record.amountUnits;
  }
  return { spentUnits, openPayments };
}

function isInScope(record: LedgerRecord, scope: LedgerScope): boolean {
  return (
    record.network === scope.network &&
    isSameAddress(record.wallet, scope.wallet) &&
    isSameAddress(record.asset, scope.asset)
  );
}

function forgetOld(records: Map<string, LedgerRecord>, now: number): void {
  for (const [requestId, record] of records) {
    const isClosed = record.state === "settled" || record.state === "released";
    if (isClosed && record.reservedAt <= now - dayMs) records.delete(requestId);
  }
}
