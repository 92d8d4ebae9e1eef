/**
 * The health of an endpoint: its failures, its head and its chain. A failing endpoint rests, longer
 * each time; one on another chain is excluded. XDC pauses up to a minute when a leader is missing,
 * so an endpoint counts as lagging only beside another one that is ahead.
 */
import { backOffMs, type BackOffBounds } from "../base/back-off.ts";
import type { Clock } from "../base/clock.ts";

const restAfterFailure: BackOffBounds = { minMs: 250, maxMs: 30_000 };

/** An endpoint further behind the newest known head is not asked first. */
const lagBlocksMax = 3;

/**
 * An endpoint that gave a false reply is asked last for this long: time for its operator to react.
 */
const distrustMs = 600_000;

export interface EndpointHealth {
  readonly index: number;
  head(): number;
  noteHead(number: number): void;
  noteAnswer(): void;
  noteFailure(): void;
  /** An endpoint on another chain is excluded until it shows ours. */
  noteChain(isOurs: boolean): void;
  isOurs(): boolean;
  /** Ranks the endpoint last for a while, because it gave a false reply. */
  distrust(): void;
  /** 0 is best: responsive and near the head; 1 lags; 2 rests; 3 is distrusted. */
  rank(newestHead: number): number;
}

export function createEndpointHealth(index: number, clock: Clock): EndpointHealth {
  let failures = 0;
  let restUntil = 0;
  let head = 0;
  let isOurChain = true;
  let distrustedUntil = 0;

  return {
    index,
    head: () => head,
    noteHead(number) {
      head = number;
    },
    noteAnswer() {
      failures = 0;
      restUntil = 0;
    },
    noteFailure() {
      failures++;
      restUntil = clock.nowMs() + backOffMs(failures, restAfterFailure);
    },
    noteChain(isOurs) {
      isOurChain = isOurs;
    },
    isOurs: () => isOurChain,
    distrust() {
      distrustedUntil = clock.nowMs() + distrustMs;
    },
    rank(newestHead) {
      if (distrustedUntil > clock.nowMs()) return 3;
      if (restUntil > clock.nowMs()) return 2;
      return head > 0 && newestHead - head > lagBlocksMax ? 1 : 0;
    },
  };
}
