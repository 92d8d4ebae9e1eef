/** Leases: renewed while their holder works, and not a moment longer. */
import type { SettleResponse } from "@farthing/protocol";
import type { PaymentRecordState, Lease, StoredAnswer } from "./payment-records.ts";

/** A record as it was found when its lease was acquired. */
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
  const beat = Number.isFinite(leaseMs)
    ? setInterval(() => {
        steps
          .renew()
          .then((isOurs) => isOurs || stop())
          // Tried again at the next beat; if all fail the lease ends, and the steps say so.
          .catch(() => undefined);
      }, leaseMs / renewalsPerLease)
    : undefined;
  beat?.unref();
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
