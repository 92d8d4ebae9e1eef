/**
 * Claims and refunds that sellers ask for by /settle and that a block may contain later. A caller that
 * repeats one is told of its transaction: another one would burn gas for nothing, and be paid for.
 */
import type { Channels } from "@farthing/engine";
import type { Clock } from "@farthing/engine/base";
import type { Hex } from "@farthing/protocol";

type Called = Awaited<ReturnType<Channels["call"]>>;

/** Calls, unless the call of this name was sent within the last minute and may be in a block later. */
export type CallOnce = (name: string, call: () => Promise<Called>) => Promise<Called>;

/** As long as the vault waits for a claim of its own before it makes another one. */
const rememberedMs = 60_000;

/** Several times as many as wallets send in that time; beyond them the oldest is forgotten. */
const rememberedMax = 10_000;

export function createCallOnce(clock: Pick<Clock, "nowMs">): CallOnce {
  /** In the order in which they were sent. */
  const sent = new Map<string, { transaction: Hex | null; readonly untilMs: number }>();
  return async (name, call) => {
    const before = sent.get(name);
    if (before && before.untilMs > clock.nowMs()) {
      return { kind: "pending", transaction: before.transaction };
    }
    const own = { transaction: null as Hex | null, untilMs: clock.nowMs() + rememberedMs };
    sent.delete(name);
    sent.set(name, own);
    const [oldest] = sent.keys();
    if (sent.size > rememberedMax && oldest !== undefined) sent.delete(oldest);
    let called: Called | undefined;
    try {
      called = await call();
    } finally {
      // Nothing was sent.
      if (called === undefined || called.kind === "reverts") sent.delete(name);
    }
    if (called.kind !== "reverts") own.transaction = called.transaction;
    return called;
  };
}
