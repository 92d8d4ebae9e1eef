/**
 * Settles a verified payment and waits until the transfer is confirmed, at facilitators that return
 * an id at once or respond after the receipt. An unknown outcome is never called failed.
 */
import {
  defined,
  findNetwork,
  isSameAddress,
  isTransactionHash,
  member,
  statusOf,
  type Network,
  type SettleResponse,
} from "@farthing/protocol";
import type { Clock } from "../clock.ts";
import {
  type AccountProblem,
  type Facilitator,
  type FacilitatorRequest,
  type Fault,
  type LookupOutcome,
} from "../facilitator.ts";
import type { SaleBooks } from "../sale-books.ts";
import { waitSecondsWithin } from "../wait-seconds.ts";

/** The state of a settlement when the wait ends. */
export type Settled =
  | { readonly kind: "confirmed" | "failed" | "pending"; readonly receipt: SettleResponse }
  | Fault
  | AccountProblem;

export interface Settlement {
  readonly settled: Settled;
  /** Whether the facilitator settles this payment for another exchange. */
  readonly isForeign: boolean;
  /** Whether every `/settle` of this wait was refused before the payment was evaluated. */
  readonly isUnsent: boolean;
  /** Whether every `/settle` was refused in this way or found no connection: another facilitator may be asked. */
  readonly isUntaken: boolean;
}

export interface Settling {
  readonly request: FacilitatorRequest;
  readonly network: Network;
  /** The network as the buyer names it; their receipt repeats it. */
  readonly networkName: string;
  readonly payer: string;
  readonly books?: SaleBooks;
  /** Identifies the exchange to the facilitator; absent in records of earlier versions. */
  readonly exchangeKey?: string;
  /** Whether to retry after faults: the buyer could not prove that a later request is theirs. */
  readonly isHeld?: boolean;
  /** Whether another facilitator is asked where this one certainly has not taken the payment. */
  readonly hasOther?: boolean;
  /** Whether the wait ends as soon as the facilitator has stored the settlement. */
  readonly endsQueued?: boolean;
  /** In the background, pauses do not keep the process alive. */
  readonly isInBackground?: boolean;
  /** The receipt of an earlier request; its settlement is looked up first. */
  readonly known?: SettleResponse;
  readonly deadlineMs: number;
  readonly onPending: (receipt: SettleResponse) => Promise<void>;
}

/** Pause between two lookups at facilitators that do not wait: an eighth of a block. */
const questionPauseMs = 250;

/** Pauses after faults of `/settle`, doubled: a few attempts within one wait. */
const minFaultPauseMs = 500;
const maxFaultPauseMs = 8_000;

/** Time to leave for a new settlement: a few blocks of two seconds, and the network. */
export const minSettleMs = 10_000;

/** A shorter call would only be cut off. */
export const minCallMs = 200;

export async function settleAndWait(
  { facilitator, clock }: { facilitator: Facilitator; clock: Clock },
  settling: Settling,
): Promise<Settlement> {
  const { deadlineMs, exchangeKey, books } = settling;
  let last = settling.known;
  let isForeign = exchangeKey !== undefined && last !== undefined && isForeignReplay(last);
  let hasLookup = true;
  let isUnsent = true;
  let isUntaken = true;
  let faultPauseMs = minFaultPauseMs;
  const end = (settled: Settled): Settlement => ({ settled, isForeign, isUnsent, isUntaken });
  for (let asked = 0; ; asked++) {
    const startedAtMs = clock.now();
    const timeoutMs = deadlineMs - startedAtMs;
    if (timeoutMs < minCallMs) return end(last ? { kind: "pending", receipt: last } : outOfTime);
    const id = last && hasLookup ? settlementIdOf(last) : undefined;
    const outcome = id
      ? await facilitator.settlement(id, { timeoutMs, waitSeconds: waitSecondsWithin(timeoutMs) })
      : await facilitator.settle(settling.request, {
          timeoutMs,
          ...defined({ exchangeKey, books, respondsAsync: settling.endsQueued }),
        });
    if (id && (outcome.kind === "not_found" || outcome.kind === "account")) {
      // Settling again is safe: one authorization is settled at most once.
      hasLookup = false;
      continue;
    }
    let pauseMs = startedAtMs + questionPauseMs - clock.now();
    if (!id) isUnsent &&= isRefusal(outcome);
    if (!id) isUntaken &&= isRefusal(outcome) || isUnopened(outcome);
    const settlement = outcome.kind === "settlement" ? onNetwork(outcome, settling) : undefined;
    if (settlement && isBelievable(settlement, settling)) {
      const receipt = inBuyersWords(withSettlementId(settlement, last), settling);
      // Without an exchange key, only the first response tells whether another exchange was first.
      const isTold = !id && (exchangeKey !== undefined || asked === 0);
      if (isTold) isForeign ||= isForeignReplay(receipt);
      const status = isSettledElsewhere(receipt) ? "failed" : statusOf(receipt);
      if (status !== "pending") return end({ kind: status, receipt });
      last = asPending(receipt);
      await settling.onPending(last);
      const isStored = !isForeign && settlementIdOf(last) !== undefined;
      if (settling.endsQueued === true && isStored) return end({ kind: "pending", receipt: last });
    } else if (!id) {
      const fault = outcome.kind === "fault" || outcome.kind === "account" ? outcome : unreadable;
      pauseMs = Math.max(faultPauseMs, retryAfterMs(fault));
      faultPauseMs = Math.min(2 * faultPauseMs, maxFaultPauseMs);
      const isInTime = clock.now() + pauseMs + minCallMs < deadlineMs;
      const isOver = isUnsent || (isUntaken && settling.hasOther === true);
      if (settling.isHeld !== true || isOver || !isInTime) return end(fault);
    } else if (outcome.kind === "fault") {
      pauseMs = Math.min(Math.max(pauseMs, retryAfterMs(outcome)), deadlineMs - clock.now());
    }
    const where = settling.isInBackground === true ? ("background" as const) : undefined;
    if (pauseMs > 0) await clock.sleep(pauseMs, where);
  }
}

/** Whether the facilitator refused a call before it evaluated the payment. */
function isRefusal(outcome: LookupOutcome): boolean {
  return (
    (outcome.kind === "fault" || outcome.kind === "account") && outcome.certainty === "refused"
  );
}

/** Whether the call has not left this machine. */
function isUnopened(outcome: LookupOutcome): boolean {
  return outcome.kind === "fault" && outcome.isUnsent === true;
}

function retryAfterMs(fault: Fault | AccountProblem): number {
  return fault.kind === "fault" ? (fault.retryAfterSeconds ?? 0) * 1000 : 0;
}

/** Whether the facilitator had this payment for another exchange; it recognises ours by the key. */
function isForeignReplay({ extra }: SettleResponse): boolean {
  if (extra === undefined || member(extra, "replayed") !== true) return false;
  return member(extra, "ownExchange") !== true;
}

/** Whether the money moved for another exchange, which alone is told of success. */
function isSettledElsewhere({ success, errorReason }: SettleResponse): boolean {
  return !success && errorReason === "already_settled";
}

/** Restores the version 1 buyer's name of the network; the facilitator uses that of version 2. */
function inBuyersWords(receipt: SettleResponse, { network, networkName }: Settling) {
  return findNetwork(receipt.network) === network ? { ...receipt, network: networkName } : receipt;
}

/** Fills in the network of a record that names none. */
function onNetwork({ settlement }: { readonly settlement: SettleResponse }, { network }: Settling) {
  return settlement.network === "" ? { ...settlement, network: network.id } : settlement;
}

/** A success must name a transaction, this network and this payer. */
function isBelievable(settlement: SettleResponse, { network, payer }: Settling): boolean {
  if (statusOf(settlement) !== "confirmed") return true;
  return (
    isTransactionHash(settlement.transaction) &&
    findNetwork(settlement.network) === network &&
    (settlement.payer === undefined || isSameAddress(settlement.payer, payer))
  );
}

export function settlementIdOf(receipt: SettleResponse): string | undefined {
  const id = (receipt.extra && member(receipt.extra, "settlementId")) ?? receipt.id;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** Marks a receipt as pending, even when the facilitator's response contradicted itself. */
function asPending(receipt: SettleResponse): SettleResponse {
  return { ...receipt, success: false, status: "pending", errorReason: "settlement_pending" };
}

/** Keeps the id in `extra`, where stock buyers can read it. */
function withSettlementId(receipt: SettleResponse, last?: SettleResponse): SettleResponse {
  const settlementId = settlementIdOf(receipt) ?? (last && settlementIdOf(last));
  return settlementId === undefined
    ? receipt
    : { ...receipt, extra: { ...receipt.extra, settlementId } };
}

const unreadable: Fault = {
  kind: "fault",
  reason: "unreadable",
  message: "The facilitator's answer about the settlement contradicts itself or the payment.",
};

const outOfTime: Fault = {
  kind: "fault",
  reason: "timed_out",
  message: "No time was left to ask the facilitator.",
};
