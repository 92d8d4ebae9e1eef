/**
 * The rules of a ledger over records in memory: what a reservation has to keep, which moves there
 * are, what counts. It writes nowhere; a ledger in memory is this alone, one in a file puts its
 * lines into it.
 */
import { isSameAddress, type Address } from "@farthing/protocol";
import {
  LedgerMoveError,
  ledgerTransitions,
  openStates,
  type LedgerTransition,
  type LedgerRecord,
  type LedgerScope,
  type LedgerState,
  type LedgerUsage,
  type Reservation,
  type ReserveOutcome,
  type ReserveRules,
} from "./ledger.ts";
import { dayMs } from "./limits.ts";

/** The payee of a host. */
export interface Pin {
  readonly host: string;
  /** CAIP-2. */
  readonly network: string;
  readonly payTo: Address;
}

/** Settled payments that are kept as receipts; the oldest beyond it are forgotten. */
export const settledKeptMax = 10_000;

/** Records and pins, and the rules. No function of it pauses, so each is atomic in a process. */
export class LedgerBook {
  readonly #records = new Map<string, LedgerRecord>();
  readonly #pins = new Map<string, Pin>();

  /** Says what a reservation would come to; changes nothing. */
  evaluate(reservation: Reservation, rules: ReserveRules): ReserveOutcome {
    const { requestId, host, network, payTo, amountUnits, reservedAt } = reservation;
    const before = this.#records.get(requestId);
    if (before && before.state !== "released") {
      return { ok: false, reason: "exists", record: before };
    }
    const pinned = this.pinnedPayee(host, network);
    const isMoved = pinned !== undefined && !isSameAddress(pinned, payTo);
    if (rules.payeePin === "keep" && isMoved) return { ok: false, reason: "payee_changed" };
    const { spentUnits, openPayments } = this.usage(reservation, reservedAt - rules.windowMs);
    const { openPaymentsMax, openPaymentsPerHostMax = openPaymentsMax } = rules;
    const atHost = openAtHost(this.#records.values(), reservation, host).length;
    if (openPayments >= openPaymentsMax || atHost >= openPaymentsPerHostMax) {
      return { ok: false, reason: "open_payments_limit" };
    }
    if (rules.perDayUnits !== undefined && spentUnits + amountUnits > rules.perDayUnits) {
      return { ok: false, reason: "cumulative_cap" };
    }
    const attempt = before === undefined ? 0 : before.attempt + 1;
    return { ok: true, record: { ...reservation, state: "reserved", attempt } };
  }

  /** The record after a move; throws when there is none or the table has no such move. */
  moved(requestId: string, move: LedgerTransition): LedgerRecord {
    const record = this.#records.get(requestId);
    if (!record) throw new LedgerMoveError(`The ledger has no request ${requestId}.`);
    if (!ledgerTransitions[record.state].includes(move.state)) {
      throw new LedgerMoveError(`A payment that is ${record.state} cannot become ${move.state}.`);
    }
    const { ofNonce, ofAttempt = record.attempt, ...next } = move;
    const isOther = "ofNonce" in move && ofNonce !== record.signed?.nonce;
    if (isOther || ofAttempt !== record.attempt) {
      throw new LedgerMoveError(`Request ${requestId} has been reserved or signed anew meanwhile.`);
    }
    return { ...record, ...next };
  }

  /** Takes a reservation that was granted; throws when there is a payment that forbids it. */
  admit(record: LedgerRecord): void {
    const before = this.#records.get(record.requestId);
    if (before && before.state !== "released") {
      throw new LedgerMoveError(`Request ${record.requestId} is reserved although it is not free.`);
    }
    this.put(record);
  }

  put(record: LedgerRecord): void {
    this.#records.set(record.requestId, record);
  }

  pin(pin: Pin): void {
    this.#pins.set(pinKeyOf(pin.host, pin.network), pin);
  }

  find(requestId: string): LedgerRecord | undefined {
    return this.#records.get(requestId);
  }

  pinnedPayee(host: string, network: string): Address | undefined {
    return this.#pins.get(pinKeyOf(host, network))?.payTo;
  }

  list(states?: readonly LedgerState[]): LedgerRecord[] {
    return [...this.#records.values()]
      .filter(({ state }) => states === undefined || states.includes(state))
      .sort((one, other) => one.reservedAt - other.reservedAt);
  }

  pins(): Pin[] {
    return [...this.#pins.values()];
  }

  usage(scope: LedgerScope, since: number): LedgerUsage {
    let spentUnits = 0n;
    let openPayments = 0;
    for (const record of this.#records.values()) {
      if (record.state === "released" || !isInScope(record, scope)) continue;
      const isOpen = openStates.includes(record.state);
      if (isOpen && record.answer?.saysUncharged !== true) openPayments += 1;
      // An open payment counts however old it is: nobody has shown that the money stayed.
      if (isOpen || record.reservedAt > since) spentUnits += record.amountUnits;
    }
    return { spentUnits, openPayments };
  }

  /** Drops what no limit and no resume needs: released after a day, settled beyond the bound. */
  forget(now: number, keptMax: number): void {
    const closed = this.list(["settled", "released", "expired"]).filter(
      ({ reservedAt }) => reservedAt <= now - dayMs,
    );
    const settled = closed.filter(({ state }) => state !== "released");
    const beyond = settled.slice(0, Math.max(0, settled.length - keptMax));
    const released = closed.filter(({ state }) => state === "released");
    for (const { requestId } of [...released, ...beyond]) this.#records.delete(requestId);
  }
}

function pinKeyOf(host: string, network: string): string {
  return `${network} ${host}`;
}

/** The open payments of a wallet at a host, in the order given. */
export function openAtHost(
  records: Iterable<LedgerRecord>,
  scope: LedgerScope,
  host: string,
): LedgerRecord[] {
  return [...records].filter(
    (record) =>
      record.host === host && openStates.includes(record.state) && isInScope(record, scope),
  );
}

/** Whether a payment is of the money that is counted together. */
export function isInScope(record: LedgerRecord, scope: LedgerScope): boolean {
  return (
    record.network === scope.network &&
    isSameAddress(record.wallet, scope.wallet) &&
    isSameAddress(record.asset, scope.asset)
  );
}
