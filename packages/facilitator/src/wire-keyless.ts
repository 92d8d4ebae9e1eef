/** The limits of callers without a key, wired for the routes. */
import { type Clock, createBatcher } from "@farthing/engine/base";
import type { PaymentContext } from "./payments/context.ts";
import type { KeylessQuestion, KeylessStore, KeylessVerdict } from "./payments/keyless/store.ts";

/** Questions of one statement, and questions that may wait for one. */
const batches = { itemsMax: 200, inFlightMax: 1, waitingMax: 10_000 };

/** Creates what the routes ask. */
export function wireKeyless(deps: {
  readonly store: Pick<KeylessStore, "checkKeyless" | "noteKeyless">;
  readonly clock: Clock;
}): Pick<PaymentContext, "checkKeyless" | "noteKeyless"> {
  const { store, clock } = deps;
  return {
    checkKeyless: createBatcher<KeylessQuestion, KeylessVerdict>({
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
