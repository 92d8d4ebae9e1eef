/**
 * A request that is charged to a balance: its highest cost is reserved before the work, and its
 * actual cost is charged after it. A request and its repeats with the same `Idempotency-Key` are
 * charged once.
 */
import type { Balance } from "../payment-records/balances/balance-store.ts";
import type { Reserved } from "../payment-records/balances/balances.ts";
import type { Lease } from "../payment-records/rules/payment-records.ts";
import { randomHex } from "../payment-records/rules/proof.ts";
import { addBalance, content, errorResponse } from "../responses.ts";
import { awaitFinal } from "./await-final.ts";
import { maxTimeMs } from "./binding.ts";
import { makePaid, retrySeconds, toStored, type Failure } from "./delivery.ts";
import { checkHeld } from "./lost-lease.ts";
import { meterWork, type UsedMoney } from "./metered-work.ts";
import { respondToFailures, useByKey, type TokenRequest } from "./once-by-key.ts";
import { factsOfMoney } from "./open-balance.ts";
import { ask, later, notFinal, undecided } from "./open-responses.ts";
import { refuseOverLimit } from "./payer-limit.ts";
import { receiptOfUse } from "./open-pass.ts";
import type { ExchangeDeps, ExchangeResult, SoldBalance } from "./paid-request.ts";

/** A request that shows the token of a balance. */
export interface BalanceRequest extends TokenRequest {
  readonly balance: SoldBalance;
}

/** Why a balance pays nothing here. */
const refusals = {
  unknown: "This balance is not known, or its token was replaced by newer ones.",
  elsewhere: "This balance was paid for something else, or on another network.",
  exhausted: "Too little is left in this balance for one request.",
} as const;

export function serveFromBalance(
  deps: ExchangeDeps,
  asked: BalanceRequest,
): Promise<ExchangeResult> {
  const { balances, scope } = asked.balance;
  return respondToFailures(async () => {
    const balance = await balances.find(asked.token);
    if (!balance) return refuse(asked, "unknown");
    const { network } = balance.payment;
    const isPaidHere = asked.terms.offers.some((offer) => offer.network.id === network);
    if (balance.scope !== scope || !isPaidHere) return refuse(asked, "elsewhere");
    return useByKey(deps, asked, {
      id: balance.id,
      // A balance has no end.
      expiresAtMs: maxTimeMs,
      run: (lease) => use(deps, asked, balance, lease),
      show: (headers) => addBalance(headers, balance, 0n),
    });
  });
}

function refuse(asked: BalanceRequest, why: keyof typeof refusals, balance?: Balance) {
  const result = ask(asked.terms, { error: `balance_${why}`, message: refusals[why] });
  if (balance) addBalance(result.response.headers, balance);
  return result;
}

async function use(
  deps: ExchangeDeps,
  asked: BalanceRequest,
  found: Balance,
  lease?: Lease,
): Promise<ExchangeResult> {
  const { reserve } = asked.balance;
  const useId = lease?.exchangeKey ?? randomHex();
  const reserved = await reserveOnceFinal(deps, asked.balance, found.id, useId);
  if (reserved.kind !== "reserved") {
    await lease?.discard();
    if (reserved.kind === "open") return undecided(notFinal("balance"));
    if (reserved.kind === "unknown") return refuse(asked, "unknown");
    if (reserved.kind === "short") return refuse(asked, "exhausted", reserved.balance);
    return undecided(later("busy", "Too many requests of this balance are under way."));
  }
  const limited = isBegun(reserved, useId)
    ? undefined
    : refuseOverLimit(deps, factsOfMoney({ balance: reserved.balance }, reserve));
  if (limited) {
    const left = await asked.balance.balances.release(found.id, useId);
    await lease?.discard();
    addBalance(limited.response.headers, left ?? found, 0n);
    return limited;
  }
  const { isStreamed, terms } = asked;
  const { kind: _reserved, ...hold } = reserved;
  const isRepeatable = lease !== undefined;
  const held = { useId, ...hold, url: terms.resource.url, isStreamed, isRepeatable };
  const work = meterWork(deps, asked.balance, held, asked.serve);
  const before = factsOfMoney({ balance: reserved.balance }, reserve);
  const made = await makePaid({ ...asked, serve: work.serve }, before, deps.records.answerBytesMax);
  const used = work.used();
  const payment = factsOfMoney(used, reserve);
  if ("error" in made) {
    // The store may have charged it. The record stays, so that a repeat is the same request.
    if (used.cost === undefined && !used.isSuspended) throw made.error;
    const isBilled = used.isSuspended === true || hold.isCharged || used.cost !== 0n;
    if (isBilled && lease) checkHeld(await lease.paid(receiptOfUse(found)));
    else await lease?.discard();
    return failed(payment, made, used, isBilled && isRepeatable);
  }
  const kept = asked.redeliver === "never" ? undefined : toStored(made, asked);
  if (lease) checkHeld(await lease.complete(receiptOfUse(found), kept));
  const response = content(made.response, made.body);
  addBalance(response.headers, used.balance, used.cost);
  return { response, outcome: { type: "used", payment } };
}

/** Whether an earlier request with the same key has cost something: it is finished, not limited. */
function isBegun(
  { balance, isCharged }: Extract<Reserved, { readonly kind: "reserved" }>,
  useId: string,
): boolean {
  const held = balance.reserves.find((one) => one.useId === useId);
  return isCharged || (held?.metered ?? 0n) > 0n;
}

/** Reserves the highest cost. Where too little is left, waits for payments that are not final yet. */
async function reserveOnceFinal(
  deps: ExchangeDeps,
  { balances, reserve: amount }: SoldBalance,
  id: string,
  useId: string,
): Promise<Reserved | { readonly kind: "open" }> {
  const deadlineMs = deps.clock.now() + deps.waitMs;
  for (;;) {
    const reserved = await balances.reserve(id, { useId, amount });
    const { network } = reserved.kind === "short" ? reserved.balance.payment : { network: "" };
    const [oldest] = reserved.kind === "short" ? reserved.balance.openTopUps : [];
    if (!oldest) return reserved;
    const end = await awaitFinal(deps, { ...oldest, network }, deadlineMs);
    if (end === "open") return { kind: "open" };
    await balances.settleTopUp(id, oldest.key, end);
  }
}

/** The seller's code failed: the buyer pays what was metered until then, and most often nothing. */
function failed(
  payment: ReturnType<typeof factsOfMoney>,
  { status, error }: Failure,
  { balance, cost }: UsedMoney,
  isOneWithRepeat: boolean,
): ExchangeResult {
  const isCharged = isOneWithRepeat || (cost ?? 0n) > 0n;
  const message = isOneWithRepeat
    ? "The seller could not make the answer. Repeat the same request with the same " +
      "Idempotency-Key soon: both together are charged once."
    : isCharged
      ? "The seller could not make the answer, and charged what it has cost until then."
      : "The seller could not make the answer, and nothing was charged. Repeat the request if you " +
        "still want it.";
  const code = isCharged ? "paid_undelivered" : "not_charged";
  const body = { error: code, message, retryable: isOneWithRepeat || !isCharged } as const;
  const response = errorResponse(status, body, { retryAfterSeconds: retrySeconds });
  addBalance(response.headers, balance, cost);
  return isCharged
    ? { response, outcome: { type: "undelivered", payment, error } }
    : { response, outcome: { type: "uncharged", payment, status, error } };
}
