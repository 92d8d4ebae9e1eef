/** Leases and waiting in stores that outlive their processes: what is the same in all of them. */
import type { SettleResponse } from "@farthing/protocol";
import type { PaymentRecordState, Lease, StoredAnswer } from "./payment-records.ts";

/** A grant as it was found when its lease was taken. */
export interface Found {
  readonly state: PaymentRecordState;
  readonly exchangeKey?: string;
  readonly receipt?: SettleResponse;
  readonly answer?: StoredAnswer;
}

/** A lease in the store; every step takes effect only while the lease is in force. */
export interface Steps extends Omit<Lease, keyof Found> {
  /** Puts off the end of the lease. False when it is somebody else's by now. */
  renew(): Promise<boolean>;
}

/** Renewals in the time of one lease: two may be late or lost before it ends. */
const renewalsPerLease = 3;

/** Holds a lease: renews it until the work ends, and then does nothing more. */
export function holdLease(found: Found, steps: Steps, leaseMs: number): Lease {
  let isHeld = true;
  const beat = setInterval(() => {
    steps
      .renew()
      .then((isOurs) => isOurs || stop())
      // Tried again at the next beat; if all fail the lease ends, and the steps say so.
      .catch(() => undefined);
  }, leaseMs / renewalsPerLease);
  beat.unref();
  function stop(): void {
    isHeld = false;
    clearInterval(beat);
  }
  async function end(step: () => Promise<boolean>): Promise<boolean> {
    if (!isHeld) return false;
    stop();
    return step();
  }
  return {
    ...found,
    settling: async (known) => isHeld && steps.settling(known),
    paid: async (receipt) => isHeld && steps.paid(receipt),
    complete: (receipt, answer) => end(() => steps.complete(receipt, answer)),
    discard: () => end(() => steps.discard()),
    unlock: () => end(() => steps.unlock()),
  };
}

/** Requests that wait at once in one process, for all payments; the others are told to repeat. */
const waitersMax = 1_000;

/** Creates the waiting for leases of other processes, which nobody is told the end of. */
export function createWaiting(isBusy: (key: string) => Promise<boolean>, pollMs: number) {
  let waiting = 0;
  async function poll(key: string, untilMs: number): Promise<boolean> {
    while (await isBusy(key)) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return false;
      await new Promise((resolve) => setTimeout(resolve, Math.min(pollMs, leftMs)));
    }
    return true;
  }
  return async (key: string, timeoutMs: number): Promise<boolean> => {
    if (waiting >= waitersMax) return false;
    waiting++;
    try {
      return await poll(key, performance.now() + timeoutMs);
    } finally {
      waiting--;
    }
  };
}
