/**
 * Work within a reserve: runs the seller's code and charges its cost. Work that fails before anything
 * was sent costs what the handler has metered; a buyer who leaves pays as if they had stayed. Work
 * that can be repeated is charged once for all its tries, with the cost of the dearest one.
 */
import { defined, isBodiless, isEventStream } from "@farthing/protocol";
import { readHead, resume } from "../body.ts";
import { parseCost, type WorkEnd } from "../balance-options.ts";
import type { PaidRequest } from "../events.ts";
import { ConfigurationError, type Price } from "../option-values.ts";
import type { Balance } from "../payment-records/balances/balance-store.ts";
import { remainingOf } from "../payment-records/balances/balances.ts";
import { maxReserveMs, maxStreamHoldMs } from "../payment-records/retention.ts";
import { minFailureStatus } from "./delivery.ts";
import { watchBody } from "./metered-body.ts";
import type { ExchangeDeps, Serve, SoldBalance } from "./paid-request.ts";

/** A request that holds a reserve. */
export interface HeldUse {
  readonly useId: string;
  /** The balance without the reserve. */
  readonly balance: Balance;
  readonly url: string;
  readonly isStreamed: boolean;
  /** An earlier try of the request was charged, so that this one holds no reserve and costs nothing. */
  readonly isCharged: boolean;
  /** Whether a repeat would be the same request. */
  readonly isRepeatable: boolean;
}

/** The balance after the work, and its cost; no cost while a stream runs. */
export interface UsedMoney {
  readonly balance: Balance;
  readonly cost?: bigint;
  /** The work failed, and its cost is charged with that of its repeat, or when no repeat comes. */
  readonly isSuspended?: boolean;
}

export interface MeteredWork {
  readonly serve: Serve;
  used(): UsedMoney;
}

type Deps = Pick<ExchangeDeps, "clock" | "emit" | "records">;

const shape = "USDC of 0 or more as text, or base units as a bigint";

/** Ends an event stream that is cut, in the form that clients of OpenAI-shaped streams report. */
const reserveSpent = `event: error\ndata: ${JSON.stringify({
  error: {
    code: "reserve_spent",
    message: "This request has used all that was reserved for it, so its stream ends here.",
  },
})}\n\n`;

const minRefusalStatus = 400;

/** Renewals in the time of one reserve: two may fail before it ends. */
const renewalsPerReserve = 3;

export function meterWork(deps: Deps, sold: SoldBalance, use: HeldUse, serve: Serve): MeteredWork {
  const bill = openBill(deps, sold, use);
  const { answerBytesMax } = deps.records;

  async function work(given: PaidRequest): Promise<Response> {
    const { id } = use.balance;
    const [reserve, remaining] = [`${sold.reserve}`, `${remainingOf(use.balance)}`];
    const payment = { ...given, balance: { id, reserve, remaining } };
    let made: Response;
    try {
      made = await serve({ ...payment, meter: bill.meter });
      if (made.body !== null && !isStream(made, use)) {
        const head = await readHead(made.body, answerBytesMax);
        made = withBody(made, head.rest ? resume(head) : head.bytes);
        if (!head.rest) return await finish(made, head.bytes, payment);
      }
    } catch (error) {
      await bill.fail(payment);
      throw error;
    }
    const { body } = made;
    if (body === null || made.status >= minFailureStatus) return finish(made, body, payment);
    const head = withBody(made, null);
    const isCut = sold.stopsAtReserve;
    const over = new AbortController();
    void keepReserve(deps, sold, use, over.signal);
    const watched = watchBody(body, {
      onChunk: async () => (await bill.store()) || !isCut,
      onEnd: (end) => {
        over.abort();
        // A server on node:http breaks the body off when its buyer leaves.
        const isLeft = end === "failed" && sold.isGone();
        return bill.close(head, payment, isLeft ? "buyer-left" : end);
      },
      ...(isCut && isEventStream(made.headers) ? { lastEvent: reserveSpent } : {}),
    });
    return withoutCost(sold, made, watched);
  }

  async function finish(made: Response, body: BodyInit | null, payment: PaidRequest) {
    const isFailure = made.status >= minFailureStatus;
    // A stream is not read here.
    const read = body instanceof ReadableStream ? null : body;
    if (isFailure) await bill.fail(payment);
    else await bill.close(withBody(made, read), payment, sold.isGone() ? "buyer-left" : "complete");
    return withoutCost(sold, made, body);
  }

  return { serve: work, used: bill.used };
}

/** Keeps the reserve of a stream that runs, also while it pauses, until its end or a bound. */
async function keepReserve(
  { clock }: Deps,
  { balances }: SoldBalance,
  { balance, useId, isCharged }: HeldUse,
  over: AbortSignal,
): Promise<void> {
  const endMs = clock.now() + maxStreamHoldMs;
  let isHeld = !isCharged;
  while (isHeld && clock.now() < endMs) {
    await clock.sleep(maxReserveMs / renewalsPerReserve, "background", over);
    if (over.aborted) return;
    // After a failure of the store, the next renewal may succeed.
    isHeld = await balances.meter(balance.id, useId).catch(() => true);
  }
}

/** What the handler counts of one request, in base units. */
function createCounter(reserve: bigint) {
  let metered: bigint | undefined;
  let estimated: bigint | undefined;
  const count = (cost: bigint): boolean => (metered = cost) < reserve;
  return {
    meter: {
      add: (cost: Price): boolean => count((metered ?? 0n) + parseCounted(cost)),
      set: (cost: Price): boolean => count(parseCounted(cost)),
      estimate: (cost: Price): boolean => (estimated = parseCounted(cost)) < reserve,
    },
    read: () => ({ metered, estimated }),
  };
}

/** Returns what a response says that it has cost; undefined where nothing can be read. */
async function costOf(
  { cost: read, costHeader, reserve }: SoldBalance,
  response: Response,
  { metered, end }: { readonly metered: bigint | undefined; readonly end: WorkEnd },
): Promise<bigint | undefined> {
  const cost = read
    ? parseCost(await read(response, { metered: metered ?? 0n, end }))
    : (metered ?? parseCost(response.headers.get(costHeader)));
  if (cost !== undefined) return cost;
  // A refusal costs nothing unless it says so.
  if (response.status >= minRefusalStatus) return 0n;
  // Work that was stopped at its reserve has cost it.
  return end === "reserve-spent" ? reserve : undefined;
}

/** What one request costs: counted while the work runs, and charged once. */
function openBill({ emit }: Deps, sold: SoldBalance, use: HeldUse) {
  const { useId, balance, url, isCharged, isRepeatable } = use;
  const { balances, reserve } = sold;
  /** What an earlier try of the same request has cost. */
  const earlier = balance.reserves.find((one) => one.useId === useId)?.metered ?? 0n;
  const counter = createCounter(reserve);
  let used: UsedMoney = { balance };
  let stored: bigint | undefined;
  let isChargeTried = false;

  const withEarlier = (cost: bigint) => (cost > earlier ? cost : earlier);

  async function charge(cost: bigint): Promise<void> {
    isChargeTried = true;
    // The store does not know the reserve any more once its time is over.
    const bounded = cost > reserve ? reserve : cost;
    used = (await balances.charge(balance.id, useId, bounded)) ?? used;
  }

  function warn(payment: PaidRequest, error?: unknown): void {
    emit({ type: "cost_unreadable", url, payment, ...defined({ error }) });
  }

  return {
    used: () => used,
    meter: counter.meter,
    /**
     * Stores what was metered, before the buyer gets what it was metered for. Returns whether it is
     * within the reserve. Throws once the reserve has ended by its time, as in a process that was
     * suspended: what was metered until then is charged, and nothing more can be.
     */
    async store(): Promise<boolean> {
      // More may be added while this is stored.
      const { metered, estimated } = counter.read();
      const counted = metered ?? estimated;
      if (counted === undefined) return true;
      const now = withEarlier(counted);
      if (now !== stored && !(await balances.meter(balance.id, useId, now)) && !isCharged) {
        throw new Error("The reserve of this request has ended.");
      }
      stored = now;
      return now <= reserve;
    },
    /** Charges the cost of a response; the reserve where none can be read. */
    async close(response: Response, payment: PaidRequest, end: WorkEnd): Promise<void> {
      let cost: bigint | undefined;
      try {
        cost = await costOf(sold, response, { ...counter.read(), end });
        if (cost === undefined) warn(payment);
      } catch (error) {
        warn(payment, error);
      }
      await charge(withEarlier(cost ?? reserve));
    },
    /** Ends work of which nothing was sent. */
    async fail(payment: PaidRequest): Promise<void> {
      // A charge whose reply was lost may be done, so nothing is known of the cost.
      if (isChargeTried) return;
      const { metered } = counter.read();
      const isUnread = metered === undefined && sold.isGone();
      if (isUnread) warn(payment, new Error("The buyer left before the response was made."));
      const cost = withEarlier(isUnread ? reserve : (metered ?? 0n));
      // A repeat can cost no more than the reserve.
      if (isRepeatable && !isCharged && cost > 0n && cost < reserve) {
        const kept = await balances.suspend(balance.id, useId, cost);
        if (kept) {
          used = { balance: kept, isSuspended: true };
          return;
        }
      }
      if (metered !== undefined || cost > 0n) return charge(cost);
      const released = await balances.release(balance.id, useId);
      used = { balance: released ?? balance, cost: 0n };
    },
  };
}

function parseCounted(cost: Price): bigint {
  const units = parseCost(cost);
  if (units !== undefined && units >= 0n) return units;
  throw new ConfigurationError("cost", shape, '"0.0001"');
}

function isStream(response: Response, { isStreamed }: HeldUse): boolean {
  return isStreamed || isEventStream(response.headers);
}

/** Returns the response as the buyer sees it. */
function withoutCost({ costHeader }: SoldBalance, response: Response, body: BodyInit | null) {
  const visible = withBody(response, body);
  visible.headers.delete(costHeader);
  return visible;
}

function withBody(response: Response, body: BodyInit | null): Response {
  const { status } = response;
  // A copy: the Response of @hono/node-server shares the headers that it is given.
  const headers = new Headers(response.headers);
  return new Response(isBodiless(status) ? null : body, { status, headers });
}
