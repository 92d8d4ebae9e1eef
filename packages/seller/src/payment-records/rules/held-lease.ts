/** Leases: renewed while their holder works; each step takes effect only while the lease is in force. */
import { defined } from "@farthing/protocol";
import { unref } from "../../clock.ts";
import { minOverMs } from "../retention.ts";
import type { Binding, Lease } from "./payment-records.ts";
import { recordFormat, type TransitionName } from "./record-transitions.ts";
import type { Lock, PaymentRecordStore } from "./store.ts";
import { makeRoomForResponse, transit, type Details } from "./transit.ts";

/** A record as it was found when its lease was acquired. */
export type Found = Pick<Lease, "state" | "exchangeKey" | "facilitator" | "receipt" | "response">;

export interface Steps extends Omit<Lease, keyof Found> {
  /** Extends the lease. Returns false when another holder has it. */
  renew(): Promise<boolean>;
}

export interface Holding {
  readonly binding: Binding;
  readonly lock: Lock;
  readonly replayMs: number;
  readonly maxKeptBytes: number;
}

/** Creates the steps of a holder: guarded changes of the record. */
export function createSteps(store: PaymentRecordStore, holding: Holding): Steps {
  const { binding, lock, replayMs, maxKeptBytes } = holding;
  const { key, validBeforeMs } = binding;

  async function step(name: TransitionName, details: Details = {}): Promise<boolean> {
    const { response, ...others } = details;
    const isKept = response && response.body.byteLength <= maxKeptBytes;
    const apply = (more: Details) => transit(store, key, name, { holder: lock.holder }, more);
    let changed = await apply(isKept ? details : others);
    if (changed.kind === "full") {
      await makeRoomForResponse(store, changed.missingBytes);
      changed = await apply(details);
    }
    // The step counts even where there is no room for its response.
    if (changed.kind === "full") changed = await apply(others);
    return changed.kind === "changed";
  }

  return {
    settling: ({ isDispensable, isForLaterVersions, ...known } = {}) =>
      step("settle", {
        ...known,
        ...(isForLaterVersions ? { format: recordFormat } : {}),
        dispensableFromMs: isDispensable ? 0 : validBeforeMs + minOverMs,
      }),
    paid: (receipt) => step("pay", { receipt }),
    complete: (receipt, response) =>
      step("complete", {
        receipt,
        lock: null,
        responseUntil: { inMs: replayMs, notAfterMs: validBeforeMs },
        ...defined({ response }),
      }),
    discard: () => step("discard"),
    unlock: () => step("unlock", { lock: null }),
    renew: () => step("renew", { lock }),
  };
}

/** Renewals in the time of one lease: two may be late or lost before it ends. */
const renewalsPerLease = 3;

/** Renews a lease until its work ends; later steps have no effect. */
export function holdLease(found: Found, steps: Steps, leaseMs: number): Lease {
  let isHeld = true;
  const timer = Number.isFinite(leaseMs)
    ? setInterval(() => {
        steps
          .renew()
          .then((isOurs) => isOurs || stop())
          // The next renewal may succeed; if all fail the lease ends, and the steps say so.
          .catch(() => undefined);
      }, leaseMs / renewalsPerLease)
    : undefined;
  unref(timer);
  function stop(): void {
    isHeld = false;
    clearInterval(timer);
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
    complete: (receipt, response) => end(() => steps.complete(receipt, response)),
    discard: () => end(() => steps.discard()),
    unlock: () => end(() => steps.unlock()),
  };
}
