/** The facilitator as the gateway asks it: measured, and without settling on a dry run. */
import type { Facilitator } from "@farthing/seller";

/** Hears how long calls took. */
export type TimeListener = (call: "verify" | "settle", ms: number) => void;

/** The same facilitator; `onTime` hears how long each of its calls took. */
export function measureCalls(facilitator: Facilitator, onTime: TimeListener): Facilitator {
  const timed = async <T>(call: "verify" | "settle", work: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    try {
      return await work();
    } finally {
      onTime(call, performance.now() - startedMs);
    }
  };
  return {
    ...facilitator,
    verify: (request, limit) => timed("verify", () => facilitator.verify(request, limit)),
    settle: (request, limit) => timed("settle", () => facilitator.settle(request, limit)),
    settlement: (id, limit) => timed("settle", () => facilitator.settlement(id, limit)),
  };
}

/**
 * A facilitator that checks payments and settles none, for trying a configuration out. A payment
 * comes as far as the answer, and is refused then: no money moves.
 */
export function withoutSettling(facilitator: Facilitator): Facilitator {
  const errorMessage = "This gateway runs dry: it checks payments and settles none.";
  return {
    ...facilitator,
    async settle({ paymentRequirements: { network } }) {
      const refused = { success: false, network, transaction: "" };
      const settlement = { ...refused, errorReason: "dry_run", errorMessage };
      return { kind: "settlement", settlement };
    },
    settlement: async () => ({ kind: "not_found" }),
  };
}
