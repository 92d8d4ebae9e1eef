/** Passes and top-ups above a price open only once their payment is final. */
import { statusOf } from "@farthing/protocol";
import { lookUpInOrder, type KnownSettlement } from "../facilitator-order.ts";
import type { Finality } from "../finality-at.ts";
import type { OpenPayment } from "./finality-source.ts";
import { laterUntaken } from "./open-responses.ts";
import {
  factsAfter,
  type ChargedRequest,
  type ExchangeDeps,
  type ExchangeResult,
} from "./paid-request.ts";
import { minCallMs } from "./settle.ts";

/** An eighth of a block. */
const pauseMs = 250;

/** A block: a node has nothing new before the next one. */
const nodePauseMs = 2_000;

/** Asks until a payment is final or has failed, or the time is over. */
export async function awaitFinal(
  deps: ExchangeDeps,
  payment: OpenPayment,
  deadlineMs: number,
): Promise<Finality> {
  const { settlementId, transaction, network } = payment;
  if (settlementId !== undefined) {
    return awaitSettlement(deps, { id: settlementId, transaction }, deadlineMs);
  }
  const { read } = deps.finality;
  if (!read || !transaction) return "open";
  for (;;) {
    // A node that fails may answer the next time.
    const reading = (async () => read({ network, transaction }))();
    const found = await reading.catch(() => "open" as const);
    if (found !== "open" || deps.clock.now() + nodePauseMs >= deadlineMs) return found;
    await deps.clock.sleep(nodePauseMs);
  }
}

async function awaitSettlement(
  { facilitators, clock }: ExchangeDeps,
  known: KnownSettlement,
  deadlineMs: number,
): Promise<Finality> {
  for (;;) {
    const timeoutMs = deadlineMs - clock.now();
    if (timeoutMs < minCallMs) return "open";
    const limit = { timeoutMs, waitSeconds: 0, nowMs: clock.now() };
    const outcome = await lookUpInOrder(facilitators, known, limit);
    const status = outcome.kind === "settlement" ? statusOf(outcome.settlement) : undefined;
    if (status === "failed") return "void";
    const isFinal = outcome.kind === "settlement" && outcome.isFinal === true;
    if (status === "confirmed" && isFinal) return "final";
    await clock.sleep(pauseMs);
  }
}

const isFinalOnly = ({ pass, balance }: ChargedRequest) => (pass ?? balance)?.isFinalOnly === true;

/** Refuses a payment that would buy what no one can open; undefined for others. */
export async function refuseUnknownFinality(
  { finality, records }: ExchangeDeps,
  charged: ChargedRequest,
): Promise<ExchangeResult | undefined> {
  const error = isFinalOnly(charged) ? finality.problem() : undefined;
  if (!error || (await records.has(charged.binding))) return undefined;
  const response = laterUntaken(
    "busy",
    "The seller cannot take this payment now. Yours was not taken.",
  );
  return { response, outcome: { type: "broken", error } };
}

/** Tells the seller of a payment whose finality no one can tell. */
export function noteFinality(
  { finality, emit }: ExchangeDeps,
  charged: ChargedRequest,
  { receipt }: ExchangeResult,
): void {
  if (!isFinalOnly(charged) || receipt?.success !== true) return;
  const error = finality.note(factsAfter(charged, receipt));
  if (error) emit({ type: "broken", url: charged.terms.resource.url, error });
}
