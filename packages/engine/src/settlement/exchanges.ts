/**
 * Exchanges: which settle response may say that a payment succeeded. Stock sellers keep no record
 * of payments and serve on every such response, and the buyer decides how often one payment is
 * shown. A payment that one exchange was opened with repeats its first result; one that several
 * were opened with, or that a seller settles before the work, is told to have succeeded once.
 *
 * Nothing here is decided from memory: the counts and the claiming call are in the database, and
 * several processes obey the same rules. Memory only knows which calls of this process are open.
 */
import { isSettled, type Pair, type Settlement } from "../model/settlement.ts";
import { createBatcher } from "../base/batcher.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import {
  lastingWriters,
  type ExchangeFacts,
  type ExchangeOpening,
  type ExchangeQuestion,
  type ExchangeStore,
  type OpenedExchange,
  type SuccessTelling,
} from "../storage/exchange-store.ts";
import { createOwnCalls } from "./claiming-calls.ts";
import type { CallTerms, RepeatPolicy, SettleCall, SettleCallTerms } from "./exchange-calls.ts";
import { createSettleCall } from "./settle-call.ts";

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

/** Requests that share a statement, and requests that may wait for one. */
const groupMax = 200;
const waitingMax = 10_000;

/** Callers remembered that have nothing more to record when they look at a settlement. */
const lookedMax = 10_000;

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
    run: (tellings) => store.takeSuccess(tellings, clock.nowMs()),
    ...group,
  });
  const releaseSuccess = createBatcher<SuccessTelling, undefined>({
    run: async (tellings) => {
      await store.releaseSuccess(tellings, clock.nowMs());
      return tellings.map(() => undefined);
    },
    ...group,
  });
  const ownCalls = createOwnCalls(clock);
  const looked = new Set<string>();
  let forgetAtMs = 0;

  /** Gives the success back, or says that a call ended without it; where that fails it is safe. */
  async function release(telling: SuccessTelling): Promise<void> {
    try {
      await releaseSuccess(telling);
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
    store.forgetExpired(now, forgetMax).catch((error: unknown) => {
      log.warn(
        { event: "exchanges_not_dropped", problem: messageOf(error) },
        "Old exchanges not dropped; trying again",
      );
    });
  }

  function beginSettle(terms: SettleCallTerms): SettleCall {
    forgetNowAndThen();
    return createSettleCall(terms, {
      policy,
      clock,
      ownCalls,
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
      if (!isSettled(settlement)) await takeSuccess({ settlementId, writer: lastingWriters.poll });
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
