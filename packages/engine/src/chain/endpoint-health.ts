/**
 * How an endpoint is doing: whether it answers, how new its head is, whether it is on our chain.
 * An endpoint that fails rests for a while, longer each time; one on another chain is left out for
 * good. "No new block" alone proves nothing: XDC pauses up to a minute when a leader is missing,
 * so an endpoint counts as lagging only beside another one that is ahead.
 */
import { backOffMs, type BackOffBounds } from "../base/back-off.ts";
import type { Clock } from "../base/clock.ts";

/** Rest after a failure. */
const restAfterFailure: BackOffBounds = { minMs: 250, maxMs: 30_000 };

/** Blocks behind the newest known head beyond which an endpoint is not asked first. */
const lagBlocksMax = 3;

/** How long an endpoint that was caught in a lie is asked last: time for its owner to look. */
const distrustMs = 600_000;

/** What is known of one endpoint. */
export interface EndpointHealth {
  readonly index: number;
  /** Newest head it showed; 0 until it showed one. */
  head(): number;
  noteHead(number: number): void;
  noteAnswer(): void;
  noteFailure(): void;
  /** It is on another chain; never asked again until it shows ours. */
  noteChain(isOurs: boolean): void;
  isOurs(): boolean;
  /** It gave an answer that cannot be true; asked last for a while, however well it answers. */
  distrust(): void;
  /** 0 is best: rested and near the head; then lagging; then resting; then distrusted. */
  rank(newestHead: number): number;
}

/** Creates the record of an endpoint. */
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
