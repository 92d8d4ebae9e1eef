/** Checks of the limits for callers without a key, many in one statement. */
import { type Clock, createBatcher } from "@farthing/engine/base";
import type { PaymentContext } from "../context.ts";
import type { KeylessStore } from "./participant.ts";
import type { KeylessQuestion, KeylessResult } from "./store.ts";

/** Bounds of the checks in one statement, of statements at once, and of waiting checks. */
const batches = { itemsMax: 200, inFlightMax: 1, waitingMax: 10_000 };

type CheckName = "checkKeyless" | "noteKeyless" | "chargeKeylessCall" | "returnKeylessCall";

export function batchKeylessChecks(deps: {
  readonly store: Pick<KeylessStore, CheckName>;
  readonly clock: Clock;
}): Pick<PaymentContext, CheckName> {
  const { store, clock } = deps;
  return {
    chargeKeylessCall: (call) => store.chargeKeylessCall(call, clock.nowMs()),
    returnKeylessCall: store.returnKeylessCall,
    checkKeyless: createBatcher<KeylessQuestion, KeylessResult>({
      run: (questions) => store.checkKeyless(questions, clock.nowMs()),
      ...batches,
    }),
    noteKeyless: createBatcher<KeylessQuestion, undefined>({
      async run(questions) {
        await store.noteKeyless(questions, clock.nowMs());
        return questions.map(() => undefined);
      },
      ...batches,
    }),
  };
}
