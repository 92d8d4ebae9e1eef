/**
 * Claims and refunds that sellers ask for by /settle. A caller that repeats one is told of its
 * transaction: another one would burn gas for nothing, and be paid for.
 */
import type { Clock } from "@farthing/engine/base";
import { callOrUndo, type Called } from "./call-or-undo.ts";

/** Calls, unless the call of this name was sent within the last minute; then its result is returned. */
export type CallOnce = (name: string, call: () => Promise<Called>) => Promise<Called>;

/** As long as the vault waits for a claim of its own before it makes another one. */
const rememberedMs = 60_000;

/** Several times as many as wallets send in that time; beyond them the oldest is forgotten. */
const rememberedMax = 10_000;

interface Sent {
  called: Called;
  readonly untilMs: number;
}

export function createCallOnce(clock: Pick<Clock, "nowMs">): CallOnce {
  /** In the order in which they were sent. */
  const sent = new Map<string, Sent>();
  return async (name, call) => {
    const before = sent.get(name);
    if (before && before.untilMs > clock.nowMs()) return before.called;
    const own: Sent = {
      called: { kind: "pending", transaction: null },
      untilMs: clock.nowMs() + rememberedMs,
    };
    sent.delete(name);
    sent.set(name, own);
    const [oldest] = sent.keys();
    if (sent.size > rememberedMax && oldest !== undefined) sent.delete(oldest);
    own.called = await callOrUndo(call, async () => void sent.delete(name));
    return own.called;
  };
}
