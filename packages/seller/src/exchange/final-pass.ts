/** Passes above a price open only once their payment is final. The facilitator tells when it is. */
import { statusOf } from "@farthing/protocol";
import type { Pass } from "../payment-records/pass-store.ts";
import type { Passes } from "../payment-records/passes.ts";
import type { ExchangeDeps } from "./paid-request.ts";
import { minCallMs } from "./settle.ts";

/** An eighth of a block. */
const pauseMs = 250;

/** Asks until the payment of a pass is final or has failed, or the buyer's wait is over. */
export async function awaitFinal(
  { facilitator, clock, waitMs }: ExchangeDeps,
  passes: Passes,
  { id, payment: { settlementId } }: Pass,
): Promise<"final" | "void" | "open"> {
  // A facilitator that names no settlement cannot tell.
  if (settlementId === undefined) return "open";
  const deadlineMs = clock.now() + waitMs;
  for (;;) {
    const timeoutMs = deadlineMs - clock.now();
    if (timeoutMs < minCallMs) return "open";
    const outcome = await facilitator.settlement(settlementId, { timeoutMs, waitSeconds: 0 });
    const status = outcome.kind === "settlement" ? statusOf(outcome.settlement) : undefined;
    if (status === "failed") {
      await passes.voidPass(id);
      return "void";
    }
    const isFinal = outcome.kind === "settlement" && outcome.isFinal === true;
    if (status === "confirmed" && isFinal) {
      await passes.markFinal(id);
      return "final";
    }
    await clock.sleep(pauseMs);
  }
}
