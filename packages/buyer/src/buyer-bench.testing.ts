/** A paying fetch with a counting wallet, a clock that tests own, and a list of its events. */
import { memoryLedger } from "./ledger/memory-ledger.ts";
import type { PaymentEvent } from "./payment-events.ts";
import { PaymentError } from "./payment-error.ts";
import { countingSigner, fakeClock } from "./scripted-seller.testing.ts";
import { wrapFetch, type BuyerOptions } from "./wrap-fetch.ts";

/** Creates the bench; options replace its defaults. */
export function buyerBench(over: Partial<BuyerOptions> = {}) {
  const signer = countingSigner();
  const clock = fakeClock();
  const ledger = memoryLedger();
  const events: PaymentEvent[] = [];
  const pay = wrapFetch(fetch, {
    signer,
    ledger,
    runtime: clock,
    rpcUrl: "none",
    onEvent: (event) => events.push(event),
    ...over,
  });
  return { pay, signer, clock, ledger, events };
}

/** The PaymentError that a promise rejects with; fails when it does not. */
export async function paymentErrorOf(promise: Promise<unknown>): Promise<PaymentError> {
  const outcome = await promise.then(
    () => "it resolved",
    (error: unknown) => error,
  );
  if (outcome instanceof PaymentError) return outcome;
  throw new Error("A PaymentError was expected.", { cause: outcome });
}
