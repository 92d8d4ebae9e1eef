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
} from "../facilitator.ts";

/** Where a settlement stands when the wait for it ends. */
export type Settled =
  | { readonly kind: "confirmed" | "failed" | "pending"; readonly receipt: SettleResponse }
  | Fault
  | AccountProblem;

/** The end of a wait. */
export interface Settlement {
  readonly settled: Settled;
  /** Whether the very first call of this wait was already a repeat of somebody else's. */
  readonly isReplay: boolean;
}

/** One payment to be settled. */
export interface Settling {
  readonly request: FacilitatorRequest;
  readonly network: Network;
  /** The network as the buyer names it; his receipt repeats it. */
  readonly networkName: string;
  readonly payer: string;
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
  const { deadlineMs } = settling;
  let last = settling.known;
  let isReplay = false;
  let hasLookup = true;
  for (let asked = 0; ; asked++) {
    const startedAtMs = clock.now();
    const timeoutMs = deadlineMs - startedAtMs;
    if (timeoutMs < callMsMin) {
      return { settled: last ? { kind: "pending", receipt: last } : outOfTime, isReplay };
    }
    const id = last && hasLookup ? settlementIdOf(last) : undefined;
    const outcome = id
      ? await facilitator.settlement(id, { timeoutMs, waitSeconds: waitSeconds(timeoutMs) })
      : await facilitator.settle(settling.request, { timeoutMs });
    if (id && (outcome.kind === "not_found" || outcome.kind === "account")) {
      // Settling again is safe: one pair of payer and nonce is settled at most once.
      hasLookup = false;
      continue;
    }
    if (outcome.kind === "settlement" && isBelievable(outcome.settlement, settling)) {
      const receipt = inBuyersWords(withSettlementId(outcome.settlement, last), settling);
      if (asked === 0 && !id) isReplay = isReplayed(receipt);
      const status = statusOf(receipt);
      if (status !== "pending") return { settled: { kind: status, receipt }, isReplay };
      last = asPending(receipt);
      await settling.onPending(last);
    } else if (!id) {
      const isTyped = outcome.kind === "fault" || outcome.kind === "account";
      return { settled: isTyped ? outcome : unreadable, isReplay };
    }
    const pauseMs = startedAtMs + questionPauseMs - clock.now();
    if (pauseMs > 0) await clock.sleep(pauseMs);
  }
}

/** The facilitator was spoken to in version 2; a version 1 buyer knows the network by its label. */
function inBuyersWords(receipt: SettleResponse, { network, networkName }: Settling) {
  return findNetwork(receipt.network) === network ? { ...receipt, network: networkName } : receipt;
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

/** Whether the facilitator says that it had settled this payment for an earlier call. */
function isReplayed(receipt: SettleResponse): boolean {
  return receipt.extra !== undefined && member(receipt.extra, "replayed") === true;
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
