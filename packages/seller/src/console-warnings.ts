/**
 * Warns on the console of what the seller has to act on, where no listener is configured. What
 * concerns one payment is always printed. A problem that stays the same, such as a facilitator that
 * is away, would repeat itself with every request and every attempt of it, so it is printed once in
 * a while, with the number of requests that met it since.
 */
import type { Clock } from "./clock.ts";
import type { EventListener, SellerEvent } from "./events.ts";

/** A person who watches a log sees in a minute whether the problem still exists. */
const repeatAfterMs = 60_000;

/**
 * Problems that are remembered; the oldest is forgotten, and printed again when it returns. More
 * than a seller has facilitators and routes. Some 200 bytes each.
 */
const maxProblems = 100;

interface Warning {
  readonly message: string;
  readonly error?: unknown;
  /** Names the problem of a warning that can repeat itself. */
  readonly problem?: string;
}

export function createConsoleWarnings(clock: Clock): EventListener {
  // In the order in which they were printed last.
  const printed = new Map<string, { readonly atMs: number; repeats: number }>();

  /** Returns how often the problem was met since it was printed, or undefined while it is known. */
  function repeatsOf(problem: string): number | undefined {
    const nowMs = clock.now();
    const last = printed.get(problem);
    // A clock that was set back must not silence a problem for longer than the interval.
    if (last && Math.abs(nowMs - last.atMs) < repeatAfterMs) {
      last.repeats++;
      return undefined;
    }
    printed.delete(problem);
    printed.set(problem, { atMs: nowMs, repeats: 0 });
    for (const oldest of printed.keys()) {
      if (printed.size <= maxProblems) break;
      printed.delete(oldest);
    }
    return last?.repeats ?? 0;
  }

  return (event) => {
    const warning = warningOf(event);
    if (!warning) return;
    const repeats = warning.problem === undefined ? 0 : repeatsOf(warning.problem);
    if (repeats === undefined) return;
    const since = repeats === 0 ? "" : ` (${repeats} more since the last warning)`;
    print(warning.message + since, warning.error);
  };
}

function warningOf(event: SellerEvent): Warning | undefined {
  switch (event.type) {
    case "account_problem": {
      const { code, message, facilitator = "" } = event.problem;
      return {
        message: `Payments stand still: the facilitator answers ${code} (${message}).`,
        problem: `${event.type} ${code} ${facilitator}`,
      };
    }
    case "facilitator_skipped": {
      const { failure, next } = event;
      const { facilitator = "the facilitator", message } = failure;
      const cause = failure.kind === "fault" ? failure.reason : failure.code;
      return {
        message: `${facilitator} cannot be used, so ${next} takes its payments: ${message}`,
        problem: `${event.type} ${cause} ${facilitator} ${next}`,
      };
    }
    case "facilitator_missing":
      return {
        message: `A payment is under way at ${event.facilitator}, which is not configured any more. Only it knows the outcome: add it again, as the last facilitator.`,
        problem: `${event.type} ${event.facilitator}`,
      };
    case "facilitator_fault": {
      const { reason, facilitator = "" } = event.fault;
      return {
        message: "The facilitator does not answer as it should; buyers are asked to repeat.",
        error: event.fault,
        problem: `${event.type} ${reason} ${facilitator}`,
      };
    }
    case "full":
      return {
        message: "No payment can be taken: the store of payment records is full.",
        problem: event.type,
      };
    case "challenged":
      // Every payment of the route ends so, and only the seller can change it.
      if (event.reason !== "amount_below_minimum") return undefined;
      return {
        message: `The price of ${event.url} is below the minimum of the facilitator; buyers cannot pay it.`,
        problem: `${event.type} ${event.url}`,
      };
    default:
      return aboutOnePayment(event);
  }
}

function aboutOnePayment(event: SellerEvent): Warning | undefined {
  switch (event.type) {
    case "undelivered":
      return {
        message: `A paid request was not answered (transaction ${event.payment.transaction}).`,
        error: event.error,
      };
    case "unserved": {
      const { transaction, payer = "unknown" } = event.receipt;
      return {
        message: `A used payment opened nothing (payer ${payer}, transaction ${transaction || "unknown"}).`,
      };
    }
    case "uncharged":
      if (event.error === undefined) return undefined;
      return {
        message: "A request with a good payment was not answered, and not charged.",
        error: event.error,
      };
    case "broken":
      return { message: "A request could not be handled.", error: event.error };
    case "cost_unreadable":
      return {
        message: `The cost of a request to ${event.url} cannot be read; it cost its reserve.`,
        error: event.error,
      };
    default:
      return undefined;
  }
}

function print(message: string, error: unknown): void {
  const parts = error === undefined ? [message] : [message, error];
  // oxlint-disable-next-line no-console -- the last resort of a seller who listens to nothing
  console.warn("@farthing/seller:", ...parts);
}
