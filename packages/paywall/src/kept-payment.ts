/**
 * The one payment of this page, kept by the browser's tab: after a reload the buyer's
 * signature is still there, and no second one is requested while the first can be used.
 */
import {
  LedgerMoveError,
  ledgerTransitions,
  type LedgerRecord,
  type Reservation,
  type SendingLedger,
} from "@farthing/buyer/steps";

/** A ledger of one record. */
export interface KeptPayment extends SendingLedger {
  /** The payment that is out, or settled and still of use. */
  current(): LedgerRecord | undefined;
  /** Begins a payment; throws while there is one that is not released. */
  reserve(reservation: Reservation): LedgerRecord;
  /** Called when the payment has moved. */
  onMove: (record: LedgerRecord) => void;
  /** False when the browser keeps nothing: a reload would then forget the signature. */
  readonly isLasting: boolean;
}

/** What the tab has kept for an address; another address has its own. */
export function openKeptPayment(url: string, nowMs: number): KeptPayment {
  const storage = openStorage();
  const key = `farthing.payment ${url}`;
  let record = read(storage?.getItem(key));
  // After its end nobody gives the content again: the next visit is a new purchase.
  if (record?.state === "settled" && isOver(record, nowMs)) record = undefined;

  const kept: KeptPayment = {
    isLasting: storage !== undefined,
    current: () => record,
    find: async () => record,
    onMove: () => {},
    reserve(reservation) {
      if (record)
        throw new Error("A payment for this page is already in progress. Reload the page.");
      // Nothing is signed yet, so nothing has to last.
      record = { ...reservation, state: "reserved", attempt: 0 };
      return record;
    },
    async move(_requestId, { answer: _unkept, ...move }) {
      if (!record || !ledgerTransitions[record.state].includes(move.state)) {
        throw new LedgerMoveError(`A payment that is ${record?.state} cannot be ${move.state}.`);
      }
      const moved = { ...record, ...move };
      if (moved.state === "released") storage?.removeItem(key);
      else storage?.setItem(key, write(moved));
      record = moved.state === "released" ? undefined : moved;
      kept.onMove(moved);
      return moved;
    },
  };
  return kept;
}

/** Whether a signed payment can no longer be used by this clock. */
export function isOver({ signed }: LedgerRecord, nowMs: number): boolean {
  return signed !== undefined && nowMs >= signed.validBefore * 1000;
}

/** Undefined where the person has turned storage off. */
function openStorage(): Storage | undefined {
  try {
    sessionStorage.setItem("farthing.test", "");
    sessionStorage.removeItem("farthing.test");
    return sessionStorage;
  } catch {
    return undefined;
  }
}

function write(record: LedgerRecord): string {
  return JSON.stringify({ ...record, amountUnits: record.amountUnits.toString() });
}

/** Only this page's origin writes there: what is no record of ours is none. */
function read(text: string | null | undefined): LedgerRecord | undefined {
  if (text === null || text === undefined) return undefined;
  try {
    const record: Omit<LedgerRecord, "amountUnits"> & { readonly amountUnits: string } =
      JSON.parse(text);
    return { ...record, amountUnits: BigInt(record.amountUnits) };
  } catch {
    return undefined;
  }
}
