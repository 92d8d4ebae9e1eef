/**
 * From a verified payment to its outcome: `/settle`, then waiting until the transfer is confirmed.
 *
 * Works with both kinds of facilitator: one that answers with a settlement id at once and is then
 * asked for it, and one that answers after the receipt. What is not known is never called failed.
 */
import {
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
  lookupWaitSecondsMax,
  type AccountProblem,
  type Facilitator,
  type FacilitatorRequest,
  type Fault,
  type LookupOutcome,
} from "../facilitator.ts";

/** Where a settlement stands when the wait for it ends. */
export type Settled =
  | { readonly kind: "confirmed" | "failed" | "pending"; readonly receipt: SettleResponse }
  | Fault
  | AccountProblem;

/** The end of a wait. */
export interface Settlement {
  readonly settled: Settled;
  /** Whether the facilitator settles this payment for another exchange. */
  readonly isForeign: boolean;
  /** Whether every `/settle` of this wait was refused before anything was judged. */
  readonly isUnsent: boolean;
}

/** One payment to be settled. */
export interface Settling {
  readonly request: FacilitatorRequest;
  readonly network: Network;
  /** The network as the buyer names it; his receipt repeats it. */
  readonly networkName: string;
  readonly payer: string;
  /** Names the exchange to the facilitator; absent in records of versions without it. */
  readonly exchangeKey?: string;
  /**
   * Whether faults are answered with another try until the deadline: the buyer could not prove that
   * a later request is theirs.
   */
  readonly isHeld?: boolean;
  /** Whether the wait ends as soon as the facilitator has stored the settlement. */
  readonly endsQueued?: boolean;
  /** Whether nobody waits for the end: pauses do not keep the process alive. */
  readonly isInBackground?: boolean;
  /** What an earlier request has learnt; its settlement is asked for first. */
  readonly known?: SettleResponse;
  /** Unix milliseconds. */
  readonly deadlineMs: number;
  /** Hears of every pending receipt. */
  readonly onPending: (receipt: SettleResponse) => Promise<void>;
}

/**
 * Shortest time between two questions about one settlement, in milliseconds, for facilitators that
 * do not hold the answer: an eighth of a block.
 */
const questionPauseMs = 250;

/**
 * Pauses between two tries of `/settle` after a fault, in milliseconds, doubled from the first to the
 * longest: a few tries within one wait, and no burden for a service that is down.
 */
const faultPauseMsMin = 500;
const faultPauseMsMax = 8_000;

/**
 * Time to leave for a settlement that is not asked for yet, in milliseconds: a few blocks of two
 * seconds and the way to the facilitator and back.
 */
export const settleMsMin = 10_000;

/** A call with less time than this, in milliseconds, would only be cut off. */
export const callMsMin = 200;

/** Settles one payment and waits for its outcome until the deadline. */
export async function settleAndWait(
  { facilitator, clock }: { facilitator: Facilitator; clock: Clock },
  settling: Settling,
): Promise<Settlement> {
  const { deadlineMs, exchangeKey } = settling;
  let last = settling.known;
  let isForeign = exchangeKey !== undefined && last !== undefined && isForeignReplay(last);
  let hasLookup = true;
  let isUnsent = true;
  let faultPauseMs = faultPauseMsMin;
  const end = (settled: Settled): Settlement => ({ settled, isForeign, isUnsent });
  for (let asked = 0; ; asked++) {
    const startedAtMs = clock.now();
    const timeoutMs = deadlineMs - startedAtMs;
    if (timeoutMs < callMsMin) return end(last ? { kind: "pending", receipt: last } : outOfTime);
    const id = last && hasLookup ? settlementIdOf(last) : undefined;
    const outcome = id
      ? await facilitator.settlement(id, { timeoutMs, waitSeconds: waitSeconds(timeoutMs) })
      : await facilitator.settle(settling.request, {
          timeoutMs,
          ...(exchangeKey === undefined ? {} : { exchangeKey }),
          ...(settling.endsQueued === true ? { respondsAsync: true } : {}),
        });
    if (id && (outcome.kind === "not_found" || outcome.kind === "account")) {
      // Settling again is safe: one pair of payer and nonce is settled at most once.
      hasLookup = false;
      continue;
    }
    let pauseMs = startedAtMs + questionPauseMs - clock.now();
    if (!id) isUnsent &&= isRefusal(outcome);
    const settlement = outcome.kind === "settlement" ? onNetwork(outcome, settling) : undefined;
    if (settlement && isBelievable(settlement, settling)) {
      const receipt = inBuyersWords(withSettlementId(settlement, last), settling);
      // Without a key of ours, only the first answer tells whether somebody came before.
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
      faultPauseMs = Math.min(2 * faultPauseMs, faultPauseMsMax);
      const isInTime = clock.now() + pauseMs + callMsMin < deadlineMs;
      if (settling.isHeld !== true || isUnsent || !isInTime) return end(fault);
    }
    const where = settling.isInBackground === true ? ("background" as const) : undefined;
    if (pauseMs > 0) await clock.sleep(pauseMs, where);
  }
}

/** Whether the facilitator itself has refused a call before it judged anything. */
function isRefusal(outcome: LookupOutcome): boolean {
  return (
    (outcome.kind === "fault" || outcome.kind === "account") && outcome.certainty === "refused"
  );
}

function retryAfterMs(fault: Fault | AccountProblem): number {
  return fault.kind === "fault" ? (fault.retryAfterSeconds ?? 0) * 1000 : 0;
}

/**
 * Whether the facilitator says that it had this payment for another exchange: a repeat, and not one
 * of ours, which it knows by the key of the exchange.
 */
function isForeignReplay({ extra }: SettleResponse): boolean {
  if (extra === undefined || member(extra, "replayed") !== true) return false;
  return member(extra, "ownExchange") !== true;
}

/** Whether the money moved for another exchange, which alone is told of success. */
function isSettledElsewhere({ success, errorReason }: SettleResponse): boolean {
  return !success && errorReason === "already_settled";
}

/** The facilitator was spoken to in version 2; a version 1 buyer knows the network by its label. */
function inBuyersWords(receipt: SettleResponse, { network, networkName }: Settling) {
  return findNetwork(receipt.network) === network ? { ...receipt, network: networkName } : receipt;
}

/** A record that names no network is of the one that was asked for: its id tells which it is. */
function onNetwork(
  { settlement }: { readonly settlement: SettleResponse },
  { network }: Settling,
): SettleResponse {
  return settlement.network === "" ? { ...settlement, network: network.id } : settlement;
}

/** No success counts that names no transaction, another network or another payer. */
function isBelievable(settlement: SettleResponse, { network, payer }: Settling): boolean {
  if (statusOf(settlement) !== "confirmed") return true;
  return (
    isTransactionHash(settlement.transaction) &&
    findNetwork(settlement.network) === network &&
    (settlement.payer === undefined || isSameAddress(settlement.payer, payer))
  );
}

function waitSeconds(timeoutMs: number): number {
  // A second less than the call may take, so that the answer comes before the call is cut off.
  return Math.max(0, Math.min(lookupWaitSecondsMax, Math.floor(timeoutMs / 1000) - 1));
}

/** The id under which a facilitator knows a settlement; undefined when it gives none. */
export function settlementIdOf(receipt: SettleResponse): string | undefined {
  const id = (receipt.extra && member(receipt.extra, "settlementId")) ?? receipt.id;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** The receipt of what is open says so, also when the facilitator's answer contradicted itself. */
function asPending(receipt: SettleResponse): SettleResponse {
  return { ...receipt, success: false, status: "pending", errorReason: "settlement_pending" };
}

/** Keeps the id in `extra`, the one place from which stock buyers can read it. */
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
