/** Time that a test moves, and a node that limits how much it is asked, in every style. */
import type { Clock } from "../../base/clock.ts";
import type { RpcReply, RpcCall, RpcEndpoint, RpcResponse } from "./rpc-endpoint.ts";

/** A clock that stands still until it is moved. */
export interface VirtualClock extends Clock {
  /** Moves on, and lets everything happen that is due until then. */
  advance(ms: number): Promise<void>;
  /** Puts the time of day back. Who sleeps does so no longer for it. */
  putBack(ms: number): void;
}

/** Lets everything run that needs no time. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Creates a clock. */
export function createVirtualClock(startMs = 1_700_000_000_000): VirtualClock {
  let nowMs = startMs;
  let sleepers: { readonly atMs: number; wake(): void }[] = [];

  async function advance(ms: number): Promise<void> {
    const untilMs = nowMs + ms;
    await settle();
    for (;;) {
      const due = sleepers.filter(({ atMs }) => atMs <= untilMs);
      const [next] = due.toSorted((one, other) => one.atMs - other.atMs);
      if (!next) break;
      nowMs = Math.max(nowMs, next.atMs);
      sleepers = sleepers.filter((other) => other !== next);
      next.wake();
      await settle();
    }
    nowMs = untilMs;
  }

  return {
    nowMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        sleepers.push({ atMs: nowMs + ms, wake: resolve });
        const leave = () => {
          sleepers = sleepers.filter(({ wake }) => wake !== resolve);
          resolve();
        };
        signal?.addEventListener("abort", leave, { once: true });
      }),
    advance,
    putBack(ms) {
      nowMs -= ms;
      sleepers = sleepers.map(({ atMs, wake }) => ({ atMs: atMs - ms, wake }));
    },
  };
}

/** How much a node takes. */
export interface NodeLimit {
  readonly perSecond: number;
  /** `window`: of each second; `bucket`: refilled evenly, with a burst; `spaced`: no burst at all. */
  readonly kind: "window" | "bucket" | "spaced";
  /** Size of the bucket. */
  readonly burst?: number;
  readonly counts: "requests" | "calls";
  /** Where calls are counted: whether what is left is used for the first calls of a request. */
  readonly isPartial?: boolean;
}

/** Counts what is asked and says what is too much. */
export function createGate({ perSecond, kind, burst = 1, counts, isPartial = false }: NodeLimit) {
  let windowMs = 0;
  let used = 0;
  let tokens = kind === "spaced" ? 1 : burst;
  let filledAtMs = 0;
  /** How many of these calls are taken. */
  return (calls: number, nowMs: number): number => {
    const units = counts === "calls" ? calls : 1;
    let left: number;
    if (kind === "window") {
      const second = Math.floor(nowMs / 1000);
      if (second !== windowMs) used = 0;
      windowMs = second;
      left = perSecond - used;
    } else {
      const full = kind === "spaced" ? 1 : burst;
      tokens = Math.min(full, tokens + ((nowMs - filledAtMs) / 1000) * perSecond);
      filledAtMs = nowMs;
      left = Math.floor(tokens + 1e-9);
    }
    const taken = units <= left ? units : isPartial && counts === "calls" ? left : 0;
    used += taken;
    tokens -= taken;
    return counts === "calls" ? taken : taken * calls;
  };
}

/** A limited node in virtual time. */
export interface LimitedNode extends RpcEndpoint {
  /** Requests that came, and those of them that were refused, at least partly. */
  asked: number;
  refused: number;
  takenCalls: number;
}

const limited = { code: -32_005, message: "limit exceeded", data: undefined };

/** Creates a node that answers "0x1" to everything within its limit. */
export function createLimitedNode(
  limit: NodeLimit,
  clock: Clock,
  latencyMs: () => number = () => 40,
): LimitedNode {
  const gate = createGate(limit);
  const node: LimitedNode = { index: 0, asked: 0, refused: 0, takenCalls: 0, send };

  async function send(calls: readonly RpcCall[]): Promise<RpcResponse> {
    const ms = latencyMs();
    await clock.sleep(ms / 2);
    const taken = gate(calls.length, clock.nowMs());
    node.asked++;
    node.takenCalls += taken;
    if (taken < calls.length) node.refused++;
    await clock.sleep(ms / 2);
    if (taken === 0) {
      const retryAfterMs = undefined;
      return {
        kind: "refused",
        refusal: "rate_limited",
        error: limited,
        bodyBytes: 100,
        retryAfterMs,
      };
    }
    const answers = calls.map((_, index): RpcReply =>
      index < taken ? { ok: true, result: "0x1" } : { ok: false, error: limited },
    );
    return { kind: "answered", answers };
  }
  return node;
}
