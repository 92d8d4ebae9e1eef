/**
 * The spans of settlements beyond the request that claimed them: in which transaction a settlement was
 * sent, and when it was confirmed. A settlement whose request is not recorded costs nothing here.
 */
import { networkOfChain } from "@farthing/protocol";
import {
  context,
  ROOT_CONTEXT,
  trace,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from "@opentelemetry/api";
import { failSpan, isSampled, linkTo, markFailed, sharedContext } from "../base/tracing.ts";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import type { Settlement } from "../model/settlement.ts";
import type { EngineStore } from "../storage/engine-store.ts";

/** Settlements that are remembered: more than may wait, and a few megabytes. The oldest go first. */
const settlementsMax = 20_000;

interface RememberedSpans {
  readonly settlement: SpanContext;
  readonly transaction?: SpanContext;
}

type OutcomeStore = Pick<EngineStore, "recordConfirmed" | "recordFailed">;

export type SettlementTraces = ReturnType<typeof createSettlementTraces>;

export function createSettlementTraces(tracer: Tracer) {
  const remembered = new Map<string, RememberedSpans>();
  /** The spans of transactions that are being signed and sent, by the transaction's id. */
  const open = new Map<number, Span>();

  /** Remembers the active span as the one that a settlement belongs to. */
  function remember(settlementId: string): void {
    const span = trace.getActiveSpan()?.spanContext();
    if (span && isSampled(span)) put(settlementId, { settlement: span });
  }

  function put(settlementId: string, spans: RememberedSpans): void {
    remembered.delete(settlementId);
    remembered.set(settlementId, spans);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= settlementsMax) break;
      remembered.delete(oldest);
    }
  }

  function contextOf(settlementIds: readonly string[]): Context {
    const known = settlementIds.flatMap((id) => remembered.get(id)?.settlement ?? []);
    return sharedContext(known.map((span) => trace.setSpanContext(ROOT_CONTEXT, span)));
  }

  /** A transaction is a child of its first settlement's span, and linked to those of all. */
  function begin(transaction: RelayerTransaction): Span[] {
    const { id, chainId, lane, nonce, settlementIds } = transaction;
    const known = settlementIds.flatMap((one) => remembered.get(one)?.settlement ?? []);
    const [parent] = known;
    if (!parent) return [];
    const attributes = {
      "x402.network": networkOfChain(chainId).id,
      "x402.relayer": lane,
      "x402.nonce": nonce,
      "x402.settlements": settlementIds.length,
    };
    const options = { attributes, links: known.map(linkTo) };
    const within = trace.setSpanContext(ROOT_CONTEXT, parent);
    const span = tracer.startSpan("relayer transaction", options, within);
    open.set(id, span);
    for (const one of settlementIds) {
      const spans = remembered.get(one);
      if (spans) remembered.set(one, { ...spans, transaction: span.spanContext() });
    }
    return [span];
  }

  /** Runs the work that signs, stores and sends transactions, with a span for each. */
  async function inTransactions<T>(
    transactions: readonly RelayerTransaction[],
    work: () => Promise<T>,
  ): Promise<T> {
    const spans = transactions.flatMap(begin);
    const contexts = spans.map((span) => trace.setSpan(ROOT_CONTEXT, span));
    try {
      return await context.with(sharedContext(contexts), work);
    } catch (error) {
      for (const span of spans) markFailed(span, error);
      throw error;
    } finally {
      for (const span of spans) span.end();
      for (const { id } of transactions) open.delete(id);
    }
  }

  function noteOutcome(settlement: Settlement): void {
    const spans = remembered.get(settlement.id);
    if (!spans) return;
    remembered.delete(settlement.id);
    traceOutcome(tracer, settlement, spans);
  }

  return {
    remember,
    inTransactions,
    /** Runs work for settlements in the context of their spans. */
    around: <T>(settlementIds: readonly string[], work: () => T): T =>
      context.with(contextOf(settlementIds), work),
    /** Adds what is known of a transaction while it is sent. */
    note(transactionId: number, facts: Readonly<Record<string, string>>): void {
      open.get(transactionId)?.setAttributes(facts);
    },
    /** Records the outcomes that a store records. */
    watchStore: <S extends OutcomeStore>(store: S): S => watchOutcomes(store, noteOutcome),
  };
}

/** The time from the send to the outcome, once that is recorded. */
function traceOutcome(tracer: Tracer, settlement: Settlement, spans: RememberedSpans): void {
  const { id, chainId, state, transaction, blockNumber, settledBy, failure } = settlement;
  const from = settlement.submittedAt ?? settlement.createdAt;
  const to = settlement.confirmedAt ?? settlement.failedAt;
  const attributes = {
    "x402.network": networkOfChain(chainId).id,
    "x402.settlement_id": id,
    "x402.outcome": state,
    ...(transaction === null ? {} : { "x402.transaction": transaction }),
    ...(blockNumber === null ? {} : { "x402.block": blockNumber }),
    ...(settledBy === null ? {} : { "x402.settled_by": settledBy }),
  };
  const links = spans.transaction ? [linkTo(spans.transaction)] : [];
  const within = trace.setSpanContext(ROOT_CONTEXT, spans.settlement);
  const options = { attributes, links, startTime: new Date(from) };
  const span = tracer.startSpan("settlement confirmation", options, within);
  if (failure !== null) failSpan(span, failure);
  span.end(to === null ? undefined : new Date(to));
}

function watchOutcomes<S extends OutcomeStore>(
  store: S,
  noteOutcome: (settlement: Settlement) => void,
): S {
  return {
    ...store,
    async recordConfirmed(...args: Parameters<OutcomeStore["recordConfirmed"]>) {
      const moved = await store.recordConfirmed(...args);
      for (const settlement of moved) noteOutcome(settlement);
      return moved;
    },
    async recordFailed(...args: Parameters<OutcomeStore["recordFailed"]>) {
      const moved = await store.recordFailed(...args);
      for (const settlement of moved) noteOutcome(settlement);
      return moved;
    },
  };
}
