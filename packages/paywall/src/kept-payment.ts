/**
 * The one payment of this page, kept by the browser's tab: whoever reloads finds his signature
 * again and is never asked for a second one while the first can still be used.
 */
import {
  memoryLedger,
  type Ledger,
  type LedgerRecord,
  type Reservation,
  type ReserveOutcome,
} from "@farthing/buyer/steps";

/** A ledger of one record, and where it is kept. */
export interface KeptPayment extends Ledger {
  reserve(reservation: Reservation): Promise<ReserveOutcome>;
  /** The payment that is out, or settled and still of use. */
  current(): LedgerRecord | undefined;
  /** Called when the payment has moved. */
  onMove: (record: LedgerRecord) => void;
  /** False when the browser keeps nothing: a reload would then forget the signature. */
  readonly isLasting: boolean;
}

/** A payment is made for one address; another address has its own. */
const keyOf = (url: string) => `farthing.payment ${url}`;

/** The page has a price and a person; nothing is counted here. */
const rules = {
  perDayUnits: undefined,
  windowMs: 0,
  openPaymentsMax: 1,
  payeePin: "off",
} as const;

/** What the tab has kept for an address. */
export async function openKeptPayment(url: string, nowMs: number): Promise<KeptPayment> {
  const storage = openStorage();
  const key = keyOf(url);
  const ledger = memoryLedger();
  let current = read(storage?.getItem(key));
  // After its end nobody gives the content again: the next visit is a new purchase.
  if (current?.state === "settled" && isOver(current, nowMs)) current = undefined;
  if (current) await restore(ledger, current);

  function keep(record: LedgerRecord): void {
    current = record.signed === undefined || record.state === "released" ? undefined : record;
    if (current) storage?.setItem(key, write(current));
    else storage?.removeItem(key);
    kept.onMove(record);
  }

  const kept: KeptPayment = {
    ...ledger,
    reserve: (reservation) => ledger.reserve(reservation, rules),
    async move(requestId, { answer: _unkept, ...move }) {
      const record = await ledger.move(requestId, move);
      keep(record);
      return record;
    },
    current: () => current,
    onMove: () => {},
    isLasting: storage !== undefined,
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

/** Only this page writes there: what is not its own record is nobody's. */
function read(text: string | null | undefined): LedgerRecord | undefined {
  if (text === null || text === undefined) return undefined;
  try {
    const record: LedgerRecord = JSON.parse(text);
    return { ...record, amountUnits: BigInt(record.amountUnits) };
  } catch {
    return undefined;
  }
}

/** Takes a record through its states again: the ledger's rules hold for it as for a new one. */
async function restore(ledger: Ledger, record: LedgerRecord): Promise<void> {
  const { requestId, signed, state, transaction } = record;
  const reservation: Reservation = record;
  await ledger.reserve(reservation, rules);
  if (signed === undefined) return;
  await ledger.move(requestId, { state: "signed", signed });
  if (state === "signed") return;
  await ledger.move(requestId, { state: "sent" });
  if (state === "sent" || state === "reserved") return;
  await ledger.move(requestId, { state, ...(transaction === undefined ? {} : { transaction }) });
}
