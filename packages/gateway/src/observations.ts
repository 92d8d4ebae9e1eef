/** What is noted about one request while it is answered, for its log line and the metrics. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Facilitator, SellerEvent } from "@farthing/seller";
import type { UpstreamFailure } from "./upstream.ts";

/** Notes on one request. Times in milliseconds. */
export interface Notes {
  /** `denied` until a rule says otherwise; `own` for what the gateway itself answers. */
  kind: "denied" | "own" | "free" | "paid";
  /** As the configuration names it, never the path; `none` when no rule matched. */
  route: string;
  upstream?: string;
  events: SellerEvent[];
  verifyMs?: number;
  settleMs?: number;
  upstreamMs?: number;
  failure?: UpstreamFailure;
}

/** Hears how long calls took. */
export type TimeListener = (call: "verify" | "settle", ms: number) => void;

const current = new AsyncLocalStorage<Notes>();

/** Runs the work of one request, whose notes they are. */
export function takeNotes<T>(notes: Notes, work: () => Promise<T>): Promise<T> {
  return current.run(notes, work);
}

/** Why the upstream gave no answer to the request at hand, if it did not. */
export function noteFailure(): UpstreamFailure | undefined {
  return current.getStore()?.failure;
}

/** The same facilitator, with a watch on how long its answers take. */
export function watchFacilitator(facilitator: Facilitator, onTime: TimeListener): Facilitator {
  const timed = async <T>(call: "verify" | "settle", work: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    try {
      return await work();
    } finally {
      const ms = performance.now() - startedMs;
      onTime(call, ms);
      const notes = current.getStore();
      if (notes && call === "verify") notes.verifyMs = (notes.verifyMs ?? 0) + ms;
      if (notes && call === "settle") notes.settleMs = (notes.settleMs ?? 0) + ms;
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
