/**
 * Exchanges: which settle response may say that a payment succeeded. Stock sellers keep no record
 * of payments and serve on every such response, and the buyer decides how often one payment is
 * shown. A payment that one exchange was opened with repeats its first result; one that several
 * were opened with, or that a seller settles before the work, is told to have succeeded once.
 *
 * Nothing here is decided from memory: the counts and the claiming call are in the database, and
 * several processes obey the same rules. Memory only knows which calls of this process are open.
 */
import type { Pair } from "../model/settlement.ts";
import { isSettled, type ClaimingCall, type Settlement } from "../model/settlement.ts";
import { createBatcher } from "../base/batcher.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type {
  ExchangeFacts,
  ExchangeOpening,
  ExchangeQuestion,
  ExchangeStore,
  OpenedExchange,
  SuccessTelling,
} from "../storage/exchange-store.ts";

/**
 * What a repeat of a confirmed settle is told: `auto`, by the number of exchanges; `return`, the
 * first result in any case; `once`, as if there had been several exchanges; `refuse`, a refusal.
 */
export type RepeatPolicy = "auto" | "return" | "once" | "refuse";

/** How a settle is answered. */
export type Presentation =
  /** Its present state, with `success` where it succeeded. */
  | {
      readonly kind: "whole";
      /** False for the one success of a repeat: sellers poll and serve by the id of the response. */
      readonly hasId: boolean;
      /** The call carries the key of the claiming call: this is its own exchange. */
      readonly isOwnExchange: boolean;
    }
  /** The facts without success and without the id. */
  | { readonly kind: "facts"; readonly isPending: boolean }
  | { readonly kind: "refused" };

/** A call of /settle or GET /settlements/{id}, as far as exchanges are concerned. */
export interface CallTerms {
  /** Names the call: no two have the same. */
  readonly writer: string;
  /** The account, or without a key the network address. */
  readonly caller: string;
  /** Resolves when the connection is done with the response: true when it was written whole. */
  readonly delivered: Promise<boolean>;
}

/** What a settle adds. */
export interface SettleCallTerms extends CallTerms {
  readonly idempotencyKey: string | null;
  readonly isUpfront: boolean;
  /** The caller waits for the outcome, and is expected to be told it. */
  readonly waitsForOutcome: boolean;
}

/** One call of /settle. */
export interface SettleCall {
  /** What is stored when the call claims its payment. */
  readonly claimingCall: ClaimingCall;
  /** To be called when it has claimed, before anybody can know the outcome. */
  claimed(settlementId: string): void;
  /** Decides about the response, and records a success that it tells before it is written. */
  present(settlement: Settlement, isRepeat: boolean): Promise<Presentation>;
}

/** What a settle needs to know of the call that asks for it. */
export type ClaimingExchange = Pick<SettleCall, "claimingCall" | "claimed">;

/** The exchanges of a service. */
export interface Exchanges {
  /** Notes that /verify calls a payment valid, unless it is claimed. */
  open(pair: Pair, validBefore: bigint): Promise<OpenedExchange>;
  /** Takes a note back whose verdict reached nobody. */
  cancel(pair: Pair): Promise<void>;
  beginSettle(terms: SettleCallTerms): SettleCall;
  /** A caller looks at a settlement: where it is the claiming one, that is how it is told. */
  looked(settlement: Settlement, terms: CallTerms): Promise<void>;
}

/** What exchanges work with. */
export interface ExchangeDeps {
  readonly store: ExchangeStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly policy: RepeatPolicy;
}

/** Notes are dropped this long after the last verdict: no seller works longer on one request. */
const keptMs = 60 * 60 * 1000;

/** How often notes are dropped, and how many at once: 2,500 a second, as one process may add. */
const forgetEveryMs = 2_000;
const forgetMax = 5_000;

/** How long a repeat waits for the response of the claiming call, which is being written. */
const openCallWaitMs = 1_000;

/**
 * A seller that polls begins within so many milliseconds after the claim, or after this process has
 * told it "pending": until then no repeat takes the success, or both would be told it.
 */
const pollBeginsMs = 1_500;

/** Requests that share a statement, and requests that may wait for one. */
const groupMax = 200;
const waitingMax = 10_000;

/** Callers remembered that have nothing more to record when they look at a settlement. */
const lookedMax = 10_000;

/** The writer of a success that belongs to the exchange which its key names. */
const keyWriter = "key";

/** The writer of a success that the claiming caller reads by polling. */
const pollWriter = "poll";

/** Creates the exchanges of a service. */
export function createExchanges(deps: ExchangeDeps): Exchanges {
  const { store, clock, log, policy } = deps;
  const group = { itemsMax: groupMax, inFlightMax: 1, waitingMax };
  const openOne = createBatcher<ExchangeOpening, OpenedExchange>({
    run: (openings) => store.openExchanges(openings, clock.nowMs()),
    ...group,
  });
  const findFacts = createBatcher<ExchangeQuestion, ExchangeFacts>({
    run: (questions) => store.findExchangeFacts(questions),
    ...group,
  });
  const takeSuccess = createBatcher<SuccessTelling, boolean>({
    run: (tellings) => store.takeSuccess(tellings),
    ...group,
  });
  /** Claiming calls of this process whose response is not written yet; each resolves when it is. */
  const openCalls = new Map<string, Promise<void>>();
  const answeredAt = createAnswerTimes(clock);
  const looked = new Set<string>();
  let forgetAtMs = 0;

  /** Gives the success back; where that fails it stays used up, which is safe. */
  async function release(telling: SuccessTelling): Promise<void> {
    try {
      await store.releaseSuccess([telling]);
    } catch (error) {
      const { settlementId } = telling;
      log.warn(
        { event: "success_not_released", settlementId, problem: messageOf(error) },
        "Success of a settlement not released",
      );
    }
  }

  /** Takes the success for a response; gives it back when the response was not written whole. */
  async function take(telling: SuccessTelling, delivered: Promise<boolean>): Promise<boolean> {
    const isTaken = await takeSuccess(telling);
    if (isTaken) {
      void delivered.then((isWhole) => (isWhole ? undefined : release(telling)));
    }
    return isTaken;
  }

  function forgetNowAndThen(): void {
    const now = clock.nowMs();
    if (now < forgetAtMs) return;
    forgetAtMs = now + forgetEveryMs;
    store.forgetExchanges(now, forgetMax).catch((error: unknown) => {
      log.warn(
        { event: "exchanges_not_dropped", problem: messageOf(error) },
        "Old exchanges not dropped; trying again",
      );
    });
  }

  function beginSettle(terms: SettleCallTerms): SettleCall {
    return createSettleCall(terms, {
      policy,
      clock,
      openCalls,
      answeredAt,
      findFacts,
      takeSuccess,
      take,
      release,
    });
  }

  async function look(settlement: Settlement, terms: CallTerms): Promise<void> {
    const { caller, writer, delivered } = terms;
    const key = `${settlement.id} ${caller}`;
    if (policy === "return" || settlement.state === "failed" || looked.has(key)) return;
    const facts = await findFacts({ settlement, caller, idempotencyKey: null });
    if (facts.isClaimant && facts.successToldTo === null) {
      const { id: settlementId } = settlement;
      // While it is pending, the caller that polls is the one who will be told.
      if (!isSettled(settlement)) await takeSuccess({ settlementId, writer: pollWriter });
      else if (await take({ settlementId, writer }, delivered)) {
        void delivered.then((isWhole) => isWhole || looked.delete(key));
      }
    } else if (facts.isClaimant && !isSettled(settlement)) {
      // An open call may yet give the success back.
      return;
    }
    if (looked.size >= lookedMax) looked.clear();
    looked.add(key);
  }

  return {
    open: async (pair, validBefore) => {
      forgetNowAndThen();
      const lastMs = clock.nowMs() + keptMs;
      const isEarlier = validBefore * 1000n < BigInt(lastMs);
      return openOne({ ...pair, forgetAt: isEarlier ? Number(validBefore) * 1000 : lastMs });
    },
    cancel: async (pair) => {
      try {
        await store.cancelExchanges([pair]);
      } catch (error) {
        // The exchange counts, and the payment is told once: that is safe.
        log.warn(
          { event: "exchange_not_canceled", problem: messageOf(error) },
          "Exchange not canceled",
        );
      }
    },
    beginSettle,
    looked: look,
  };
}

interface SettleCallDeps {
  readonly policy: RepeatPolicy;
  readonly clock: Clock;
  readonly openCalls: Map<string, Promise<void>>;
  readonly answeredAt: AnswerTimes;
  findFacts(question: ExchangeQuestion): Promise<ExchangeFacts>;
  takeSuccess(telling: SuccessTelling): Promise<boolean>;
  /** The same; gives it back by itself when the response was not written whole. */
  take(telling: SuccessTelling, delivered: Promise<boolean>): Promise<boolean>;
  release(telling: SuccessTelling): Promise<void>;
}

function createSettleCall(terms: SettleCallTerms, deps: SettleCallDeps): SettleCall {
  const { writer, caller, idempotencyKey, isUpfront, delivered } = terms;
  const { policy, openCalls } = deps;
  const isKeyed = idempotencyKey !== null;
  /** The success, from the time this call may tell it. */
  let held: SuccessTelling | undefined;
  let isTold = false;
  /** The connection is closed, and the response reaches nobody. */
  let isLost = false;

  async function releaseHeld(): Promise<void> {
    if (!held) return;
    const telling = held;
    held = undefined;
    await deps.release(telling);
  }

  function claimed(settlementId: string): void {
    if (claimingCall.successToldTo === writer) held = { settlementId, writer };
    const ended = delivered.then((isWhole) => {
      isLost = !isWhole;
      // Whole and with success it is told; `present` has let go of everything else.
      if (isWhole && isTold) return undefined;
      return releaseHeld();
    });
    const open = ended.finally(() => {
      openCalls.delete(settlementId);
      deps.answeredAt.note(settlementId);
    });
    openCalls.set(settlementId, open);
  }

  /** The call that claimed the payment. */
  async function presentFirst(settlement: Settlement): Promise<Presentation> {
    if (settlement.state !== "confirmed") {
      await releaseHeld();
      return whole;
    }
    if (held || isLost || isKeyed || policy === "return") {
      isTold = held !== undefined;
      return whole;
    }
    const telling = { settlementId: settlement.id, writer };
    if (await deps.takeSuccess(telling)) {
      held = telling;
      isTold = true;
      // It may have been closed while the success was recorded.
      if (isLost) await releaseHeld();
      return whole;
    }
    // A repeat was quicker, at another process.
    const facts = await deps.findFacts({ settlement, caller, idempotencyKey });
    return hasSeveralOf(facts) ? { kind: "facts", isPending: false } : whole;
  }

  function hasSeveralOf(facts: ExchangeFacts): boolean {
    return policy === "once" || facts.isUpfront || facts.hasSeveral;
  }

  async function presentRepeat(settlement: Settlement): Promise<Presentation> {
    if (policy === "return") return whole;
    const question = { settlement, caller, idempotencyKey };
    const facts = await deps.findFacts(question);
    const isConfirmed = settlement.state === "confirmed";
    const telling = { settlementId: settlement.id, writer };
    if (facts.hasSameKey) return { kind: "whole", hasId: true, isOwnExchange: true };
    if (policy === "refuse" && isConfirmed) return { kind: "refused" };
    // Another exchange by its name, or by its flow: an upfront seller never asks /verify.
    if (isKeyed || (isUpfront && !facts.isUpfront)) {
      return { kind: "facts", isPending: false };
    }
    if (policy === "refuse" || !hasSeveralOf(facts)) {
      if (isConfirmed && facts.successToldTo === null) await deps.take(telling, delivered);
      return whole;
    }
    if (!isConfirmed || !facts.isClaimant) return { kind: "facts", isPending: false };
    return presentOnce(question, facts, telling);
  }

  /** The claiming caller asks again, and the success is told once. */
  async function presentOnce(
    question: ExchangeQuestion,
    before: ExchangeFacts,
    telling: SuccessTelling,
  ): Promise<Presentation> {
    const open = openCalls.get(telling.settlementId);
    let facts = before;
    if (open) {
      const isOver = await endsInTime(open, deps.clock);
      if (!isOver) return { kind: "facts", isPending: true };
      facts = await deps.findFacts(question);
    }
    const { id, createdAt } = question.settlement;
    const answeredMs = Math.max(createdAt, deps.answeredAt.find(id) ?? 0);
    const untilPollMs = answeredMs + pollBeginsMs - deps.clock.nowMs();
    if (facts.successToldTo === null && untilPollMs > 0) {
      await deps.clock.sleep(Math.min(untilPollMs, pollBeginsMs));
    }
    const isOurs = facts.successToldTo === null && (await deps.take(telling, delivered));
    return isOurs
      ? { kind: "whole", hasId: false, isOwnExchange: false }
      : { kind: "facts", isPending: false };
  }

  const claimingCall: ClaimingCall = {
    caller,
    idempotencyKey,
    isUpfront,
    successToldTo: isKeyed ? keyWriter : terms.waitsForOutcome ? writer : null,
  };
  return {
    claimingCall,
    claimed,
    present: (settlement, isRepeat) =>
      isRepeat ? presentRepeat(settlement) : presentFirst(settlement),
  };
}

/** When claiming calls of this process were answered, as long as their callers may begin to poll. */
interface AnswerTimes {
  note(settlementId: string): void;
  find(settlementId: string): number | undefined;
}

function createAnswerTimes(clock: Clock): AnswerTimes {
  // In order of the answers: those of the last moment, and no more.
  const times = new Map<string, number>();
  return {
    find: (settlementId) => times.get(settlementId),
    note(settlementId) {
      const now = clock.nowMs();
      times.set(settlementId, now);
      for (const [id, answeredMs] of times) {
        if (answeredMs + pollBeginsMs > now) break;
        times.delete(id);
      }
    },
  };
}

const whole: Presentation = { kind: "whole", hasId: true, isOwnExchange: false };

/** Whether something ends within the time that a repeat waits for it. */
async function endsInTime(ending: Promise<void>, clock: Clock): Promise<boolean> {
  const waiting = new AbortController();
  const late = clock.sleep(openCallWaitMs, waiting.signal).then(() => false);
  try {
    return await Promise.race([ending.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}
