/**
 * Exchanges decide which settle response may report a success. Stock sellers keep no record of
 * payments and serve on every such response, while a buyer may present one payment repeatedly. A
 * payment with one exchange repeats its first result; a payment with several exchanges, or one that
 * is settled before the work, reports its success once. All decisions rest on the database, so that
 * several processes follow the same rules; memory only knows the open calls of this process.
 */
import { isSettled, type AuthorizationKey, type Settlement } from "../model/settlement.ts";
import { createBatcher } from "../base/batcher.ts";
import { warning, type Runtime } from "../base/log.ts";
import {
  lastingWriters,
  type ExchangeFacts,
  type ExchangeOpening,
  type ExchangeQuestion,
  type ExchangeStore,
  type OpenedExchange,
  type SuccessReport,
} from "../storage/exchange-store.ts";
import type { CallTerms, RepeatPolicy, SettleCall, SettleCallTerms } from "./exchange-calls.ts";
import { createClaimingCalls, createSettleCall } from "./settle-call.ts";

export type Exchanges = ReturnType<typeof createExchanges>;

/** Exchanges are kept for an hour after the last /verify: no seller works longer on one request. */
const keptMs = 60 * 60 * 1000;

/** Expired exchanges are deleted at 2,500 a second, the rate at which one process may add them. */
const forgetEveryMs = 2_000;
const forgetMax = 5_000;

/** Requests that share a statement, and requests that may wait for one. */
const batches = { itemsMax: 200, inFlightMax: 1, waitingMax: 10_000 };

/** Remembered reads of settlements after which there is nothing more to record. */
const lookedMax = 10_000;

interface ExchangesDeps extends Runtime {
  readonly store: ExchangeStore;
  readonly policy: RepeatPolicy;
}

export function createExchanges(deps: ExchangesDeps) {
  const { store, clock, log, policy } = deps;
  const openOne = createBatcher<ExchangeOpening, OpenedExchange>({
    run: (openings) => store.openExchanges(openings, clock.nowMs()),
    ...batches,
  });
  const findFacts = createBatcher<ExchangeQuestion, ExchangeFacts>({
    run: (questions) => store.findExchangeFacts(questions),
    ...batches,
  });
  const takeSuccess = createBatcher<SuccessReport, boolean>({
    run: (reports) => store.takeSuccess(reports, clock.nowMs()),
    ...batches,
  });
  const releaseSuccess = createBatcher<SuccessReport, undefined>({
    run: async (reports) => {
      await store.releaseSuccess(reports, clock.nowMs());
      return reports.map(() => undefined);
    },
    ...batches,
  });
  const claimingCalls = createClaimingCalls(clock);
  const looked = new Set<string>();
  let forgetAtMs = 0;

  /** Releases the success, or records that a call ended without it. A failed release is safe. */
  async function release(report: SuccessReport): Promise<void> {
    const fields = { event: "success_not_released", settlementId: report.settlementId };
    const message = "Success of a settlement not released";
    await releaseSuccess(report).catch(warning(log, fields, message));
  }

  /** Takes the success for a response; releases it when the response was not written whole. */
  async function take(report: SuccessReport, delivered: Promise<boolean>): Promise<boolean> {
    const isTaken = await takeSuccess(report);
    if (isTaken) void delivered.then((isWhole) => (isWhole ? undefined : release(report)));
    return isTaken;
  }

  function deleteExpired(): void {
    const now = clock.nowMs();
    if (now < forgetAtMs) return;
    forgetAtMs = now + forgetEveryMs;
    const fields = { event: "exchanges_not_deleted" };
    const message = "Expired exchanges not deleted; trying again";
    store.forgetExpired(now, forgetMax).catch(warning(log, fields, message));
  }

  function beginSettle(terms: SettleCallTerms): SettleCall {
    deleteExpired();
    const shared = { policy, clock, claimingCalls, findFacts, takeSuccess, take, release };
    return createSettleCall(terms, shared);
  }

  async function look(settlement: Settlement, terms: CallTerms): Promise<void> {
    const { caller, writer, delivered } = terms;
    const key = `${settlement.id} ${caller}`;
    if (policy === "return" || settlement.state === "failed" || looked.has(key)) return;
    const facts = await findFacts({ settlement, caller, idempotencyKey: null });
    if (facts.isClaimant && facts.successWriter === null) {
      const { id: settlementId } = settlement;
      // While the settlement is pending, the success belongs to the caller that polls.
      if (!isSettled(settlement)) await takeSuccess({ settlementId, writer: lastingWriters.poll });
      else if (await take({ settlementId, writer }, delivered)) {
        void delivered.then((isWhole) => isWhole || looked.delete(key));
      }
    } else if (facts.isClaimant && !isSettled(settlement)) {
      // An open call may still release the success.
      return;
    }
    if (looked.size >= lookedMax) looked.clear();
    looked.add(key);
  }

  return {
    /** Records that /verify reports a payment as valid, unless the payment is claimed. */
    open: async (key: AuthorizationKey, validBefore: bigint) => {
      deleteExpired();
      const lastMs = clock.nowMs() + keptMs;
      const isEarlier = validBefore * 1000n < BigInt(lastMs);
      return openOne({ ...key, forgetAt: isEarlier ? Number(validBefore) * 1000 : lastMs });
    },
    /** Cancels an exchange whose response to /verify was lost. */
    cancel: (key: AuthorizationKey) => {
      const fields = { event: "exchange_not_canceled" };
      // Safe: the exchange counts, so the success is reported once.
      return store.cancelExchanges([key]).catch(warning(log, fields, "Exchange not canceled"));
    },
    beginSettle,
    /** Records that a caller read a settlement: the claiming caller learns of the success this way. */
    looked: look,
  };
}
