/**
 * The one payment of this page, kept by the browser's tab: after a reload the signature is still
 * there, and no second one is requested while it can be used.
 */
import {
  LedgerTransitionError,
  ledgerTransitions,
  type LedgerRecord,
  type Reservation,
  type SendingLedger,
} from "@farthing/buyer/steps";
import { texts } from "./texts.ts";

export interface KeptPayment extends SendingLedger {
  /** The payment in progress, or settled and still of use. */
  current(): LedgerRecord | undefined;
  /** Throws while there is another payment. */
  reserve(reservation: Reservation): LedgerRecord;
  onTransition: (record: LedgerRecord) => void;
  /** False when the browser keeps nothing: a reload would lose the signature. */
  readonly isLasting: boolean;
}

/** Each address has its own payment. */
export function openKeptPayment(url: string, nowMs: number): KeptPayment {
  const storage = openStorage();
  const key = `farthing.payment ${url}`;
  let record = read(storage?.getItem(key));
  // Then the seller no longer repeats the content: the next visit is a new purchase.
  if (record?.state === "settled" && isOver(record, nowMs)) record = undefined;

  const kept: KeptPayment = {
    isLasting: storage !== undefined,
    current: () => record,
    find: async () => record,
    onTransition: () => {},
    reserve(reservation) {
      if (record) throw new Error(texts.wallet.inProgress);
      // Nothing is signed yet, so nothing has to be kept.
      record = { ...reservation, state: "reserved", attempt: 0 };
      return record;
    },
    async transition(_requestId, { answer: _unkept, ...transition }) {
      const { state } = transition;
      if (!record || !ledgerTransitions[record.state].includes(state)) {
        throw new LedgerTransitionError(`A payment that is ${record?.state} cannot be ${state}.`);
      }
      const changed = { ...record, ...transition };
      if (state === "released") storage?.removeItem(key);
      else storage?.setItem(key, write(changed));
      record = state === "released" ? undefined : changed;
      kept.onTransition(changed);
      return changed;
    },
  };
  return kept;
}

/** By this clock. */
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

/** Only this page's origin writes there; malformed records do not count. */
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
