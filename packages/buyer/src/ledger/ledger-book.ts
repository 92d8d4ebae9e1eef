/** The rules of a ledger over records in memory; the file ledger replays its lines into it. */
import { isSameAddress, type Address } from "@farthing/protocol";
import { ChannelBook } from "./channel-book.ts";
import { ClosedPayments } from "./closed-payments.ts";
import {
  LedgerTransitionError,
  ledgerTransitions,
  openStates,
  type ChannelsView,
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

/**
 * No method pauses, so each is atomic in a process. A payment looks at the open payments, which a
 * limit bounds, and at a sum of the others, so its work does not grow with their number.
 */
export class LedgerBook {
  readonly #records = new Map<string, LedgerRecord>();
  readonly #open = new Map<string, LedgerRecord>();
  readonly #closed = new ClosedPayments();
  readonly #pins = new Map<string, Pin>();
  readonly channels = new ChannelBook();

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
    const atHost = openAtHost(this.#open.values(), reservation, host).length;
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
    const { requestId } = record;
    const before = this.#records.get(requestId);
    if (before && !isOpen(before)) this.#closed.remove(before);
    this.#records.set(requestId, record);
    if (isOpen(record)) {
      this.#open.set(requestId, record);
    } else {
      this.#open.delete(requestId);
      this.#closed.add(record);
    }
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
    const isOpenOnly = states?.every((state) => openStates.includes(state)) === true;
    return [...(isOpenOnly ? this.#open : this.#records).values()]
      .filter(({ state }) => states === undefined || states.includes(state))
      .sort((one, other) => one.reservedAt - other.reservedAt);
  }

  /** What the rules of channels may look at. */
  channelsView(): ChannelsView {
    return {
      find: (channelId) => this.channels.find(channelId),
      list: () => this.channels.list(),
      usage: (scope, since) => this.usage(scope, since),
      pinnedPayee: (host, network) => this.pinnedPayee(host, network),
    };
  }

  get size(): number {
    return this.#records.size;
  }

  get pinCount(): number {
    return this.#pins.size;
  }

  pins(): Pin[] {
    return [...this.#pins.values()];
  }

  usage(scope: LedgerScope, since: number): LedgerUsage {
    let spentUnits = this.#closed.spentUnits(scope, since) + this.channels.spentUnits(scope, since);
    let openPayments = 0;
    for (const record of this.#open.values()) {
      if (!isInScope(record, scope)) continue;
      if (record.answer?.saysUncharged !== true) openPayments += 1;
      // An open payment counts at any age: it is not proven that the money stayed.
      spentUnits += record.amountUnits;
    }
    return { spentUnits, openPayments };
  }

  /** Drops what no limit and no resume needs: released after a day, settled beyond the bound. */
  forget(now: number, keptMax: number): void {
    const dropped = this.#closed.dropUntil(now - dayMs, keptMax);
    for (const { requestId } of dropped) this.#records.delete(requestId);
    this.channels.forget(now);
  }
}

const isOpen = ({ state }: LedgerRecord): boolean => openStates.includes(state);

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
