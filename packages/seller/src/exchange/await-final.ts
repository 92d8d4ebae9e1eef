/** Passes and top-ups above a price open only once their payment is final, as the facilitator tells. */
import { statusOf } from "@farthing/protocol";
import type { ExchangeDeps } from "./paid-request.ts";
import { minCallMs } from "./settle.ts";

/** An eighth of a block. */
const pauseMs = 250;

/** Asks until a settlement is final or has failed, or the time is over. */
export async function awaitFinal(
  { facilitator, clock }: ExchangeDeps,
  settlementId: string | undefined,
  deadlineMs: number,
): Promise<"final" | "void" | "open"> {
  // A facilitator that names no settlement cannot tell.
  if (settlementId === undefined) return "open";
  for (;;) {
    const timeoutMs = deadlineMs - clock.now();
    if (timeoutMs < minCallMs) return "open";
    const outcome = await facilitator.settlement(settlementId, { timeoutMs, waitSeconds: 0 });
    const status = outcome.kind === "settlement" ? statusOf(outcome.settlement) : undefined;
    if (status === "failed") return "void";
    const isFinal = outcome.kind === "settlement" && outcome.isFinal === true;
    if (status === "confirmed" && isFinal) return "final";
    await clock.sleep(pauseMs);
  }
}
