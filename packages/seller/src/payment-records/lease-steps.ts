/** The steps of one holder: each is a guarded change that takes effect only while the lease is theirs. */
import { overMsMin } from "./retention.ts";
import type { Binding } from "./payment-records.ts";
import type { Steps } from "./held-lease.ts";
import { makeRoomForAnswer } from "./make-room.ts";
import type { TransitionName } from "./record-transitions.ts";
import type { Lock, PaymentRecordStore } from "./store.ts";
import { transit, type Details } from "./transit.ts";

/** What the steps are about. */
export interface Holding {
  readonly binding: Binding;
  readonly lock: Lock;
  readonly replayMs: number;
  /** Longest body of a response that is kept, in bytes. */
  readonly keptBytesMax: number;
}

/** Creates the steps of a holder. */
export function createSteps(store: PaymentRecordStore, holding: Holding): Steps {
  const { binding, lock, replayMs, keptBytesMax } = holding;
  const { key, validBeforeMs } = binding;
  const { holder } = lock;

  async function step(name: TransitionName, details: Details = {}): Promise<boolean> {
    const { answer, ...others } = details;
    const isKept = answer && answer.body.byteLength <= keptBytesMax;
    const apply = (more: Details) => transit(store, key, name, { holder }, more);
    let changed = await apply(isKept ? details : others);
    if (changed.kind === "full") {
      await makeRoomForAnswer(store, changed.missingBytes);
      changed = await apply(details);
    }
    // Kept is what there is room for; the step counts either way.
    if (changed.kind === "full") changed = await apply(others);
    return changed.kind === "changed";
  }

  return {
    settling: ({ receipt, answer, isDispensable } = {}) =>
      step("settle", {
        ...(receipt ? { receipt } : {}),
        ...(answer ? { answer } : {}),
        dispensableFromMs: isDispensable ? 0 : validBeforeMs + overMsMin,
      }),
    paid: (receipt) => step("pay", { receipt }),
    complete: (receipt, answer) =>
      step("complete", {
        receipt,
        lock: null,
        answerUntil: { inMs: replayMs, notAfterMs: validBeforeMs },
        ...(answer ? { answer } : {}),
      }),
    discard: () => step("discard"),
    unlock: () => step("unlock", { lock: null }),
    renew: () => step("renew", { lock }),
  };
}
