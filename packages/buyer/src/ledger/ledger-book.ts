/** The rules of a ledger over records in memory; the file ledger replays its lines into it. */
import { isSameAddress, type Address } from "@farthing/protocol";
import {
  LedgerTransitionError,
  ledgerTransitions,
  openStates,
  type HeardToken,
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

export interface Pin {
  readonly host: string;
  readonly network: string;
  readonly payTo: Address;
}

/** Settled payments kept as receipts; older ones are forgotten. */
export const settledKeptMax = 10_000;

/** More than a buyer uses at once: some 30 KB, which are written anew with each use. */
const heardTokensMax = 100;

/** The tokens with the newest at the end, within the bound. */
export function withHeard(tokens: readonly HeardToken[], heard: HeardToken): HeardToken[] {
  const others = tokens.filter(({ token }) => token !== heard.token);
  return [...others, heard].slice(-heardTokensMax);
}

/** No method pauses, so each is atomic in a process. */
export class LedgerBook {
  readonly #records = new Map<string, LedgerRecord>();
  readonly #pins = new Map<string, Pin>();

  /** Evaluates a reservation without changing anything. */
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

  /** The record after a transition. Throws when there is no record or no such transition. */
  transitioned(requestId: string, transition: LedgerTransition): LedgerRecord {
    const record = this.#records.get(requestId);
    if (!record) throw new LedgerTransitionError(`The ledger has no request ${requestId}.`);
    if (!ledgerTransitions[record.state].includes(transition.state)) {
      throw new LedgerTransitionError(
        `A payment that is ${record.state} cannot become ${transition.state}.`,
      );
    }
    const { ofNonce, ofAttempt = record.attempt, ...next } = transition;
    const isOther = "ofNonce" in transition && ofNonce !== record.signed?.nonce;
    if (isOther || ofAttempt !== record.attempt) {
      throw new LedgerTransitionError(
        `Request ${requestId} has been reserved or signed anew meanwhile.`,
      );
    }
    return { ...record, ...next };
  }

  /** Takes a granted reservation. Throws when the request has another payment. */
  admit(record: LedgerRecord): void {
    const before = this.#records.get(record.requestId);
    if (before && before.state !== "released") {
      throw new LedgerTransitionError(
        `Request ${record.requestId} is reserved although it is not free.`,
      );
    }
    this.put(record);
  }

  put(record: LedgerRecord): LedgerRecord {
    this.#records.set(record.requestId, record);
    return record;
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
      // An open payment counts at any age: it is not proven that the money stayed.
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

const pinKeyOf = (host: string, network: string) => `${network} ${host}`;

/** The open payments of a wallet at a host, in the given order. */
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

export function isInScope(record: LedgerRecord, scope: LedgerScope): boolean {
  return (
    record.network === scope.network &&
    isSameAddress(record.wallet, scope.wallet) &&
    isSameAddress(record.asset, scope.asset)
  );
}
