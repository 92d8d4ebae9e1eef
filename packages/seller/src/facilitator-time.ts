/**
 * The time by which the seller judges an authorization. The facilitator decides by the chain's time,
 * and each of its responses names its own, so this server's clock is corrected by that.
 */
import type { Clock } from "./clock.ts";

/** What the responses of one facilitator say about this server's clock. */
export interface FacilitatorTime {
  /**
   * By how much this clock is ahead, in milliseconds. Undefined before the first response, and once
   * the clock was set or the process was suspended.
   */
  aheadMs(): number | undefined;
}

/** A response that was longer on its way, such as that of a settlement, says too little. */
const maxRoundTripMs = 5_000;

/** `Date` names whole seconds. */
const dateStepMs = 1_000;

/** More than the two clocks of a machine drift apart between two payments of a busy seller. */
const maxDriftMs = 5_000;

export function createFacilitatorTime() {
  let known: { readonly aheadMs: number; readonly steadyMs: number } | undefined;
  return {
    aheadMs(): number | undefined {
      // An old error would refuse every payment here, and no call would correct it.
      const isSame = known && Math.abs(steadyDifferenceMs() - known.steadyMs) <= maxDriftMs;
      return isSame ? known?.aheadMs : undefined;
    },
    /** Reads the `Date` of a response to a request that was sent at `sentAtMs`. */
    note(headers: Headers, sentAtMs: number): void {
      const dateMs = Date.parse(headers.get("Date") ?? "");
      const receivedAtMs = Date.now();
      if (Number.isNaN(dateMs) || receivedAtMs - sentAtMs > maxRoundTripMs) return;
      const leastMs = sentAtMs - dateMs - dateStepMs;
      const mostMs = receivedAtMs - dateMs;
      // The smallest error that explains the response.
      const aheadMs = leastMs > 0 ? leastMs : Math.min(mostMs, 0);
      known = { aheadMs, steadyMs: steadyDifferenceMs() };
    },
  };
}

/** Changes when the clock is set, which the steady one is not. */
function steadyDifferenceMs(): number {
  return Date.now() - performance.now();
}

/** The time, and the largest error it may have. */
export interface EvaluationTime {
  readonly nowMs: number;
  readonly maxErrorMs: number;
}

/** Largest difference between a facilitator's time and the chain's; within it the facilitator decides. */
export const maxMeasuredErrorMs = 90_000;

/** Before any response: a clock that is a day wrong fails elsewhere first, and older junk costs no call. */
const maxUnmeasuredErrorMs = 24 * 60 * 60 * 1000;

export function evaluationTime(deps: {
  readonly clock: Clock;
  readonly facilitators: readonly { readonly client: { readonly time?: FacilitatorTime } }[];
}): EvaluationTime {
  const nowMs = deps.clock.now();
  for (const { client } of deps.facilitators) {
    const aheadMs = client.time?.aheadMs();
    if (aheadMs !== undefined) return { nowMs: nowMs - aheadMs, maxErrorMs: maxMeasuredErrorMs };
  }
  return { nowMs, maxErrorMs: maxUnmeasuredErrorMs };
}
