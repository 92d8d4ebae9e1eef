import type { Facilitator } from "@farthing/seller";

export type TimeListener = (call: "verify" | "settle", ms: number) => void;

/** Returns the same facilitator; `onTime` receives the duration of each call. */
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

/** Returns a facilitator that verifies payments and settles none. */
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
