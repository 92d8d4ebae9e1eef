/** This machine's clock beside the chain's, by the blocks that are seen as they come. */
import type { ChainId } from "@farthing/protocol";
import type { Log } from "../base/log.ts";

/** Tells how far our clock is from the chain's. */
export interface ClockSkew {
  /** Notes a block that was not there at the look before; its time in Unix seconds. */
  note(blockTime: bigint, nowMs: number): void;
  /**
   * Our clock minus the chain's, in whole seconds; undefined until enough blocks were seen. A right
   * clock shows up to a block period more than zero: that long a block is there before it is seen.
   */
  seconds(): number | undefined;
}

/** Blocks that are compared. The one nearest to our clock counts: one may be seen late, or be odd. */
const rememberedBlocks = 8;

/** Blocks that are needed before anything is said. */
const blocksMin = 3;

/** Seconds that our clock and a new block may differ: a period, a round trip, rounding. */
export const clockSkewSecondsMax = 5;

/** Creates it; says in the log when the clock is wrong, and when it is right again. */
export function createClockSkew({
  chainId,
  log,
}: {
  readonly chainId: ChainId;
  readonly log: Log;
}): ClockSkew {
  let ages: number[] = [];
  let isWrong = false;

  function seconds(): number | undefined {
    if (ages.length < blocksMin) return undefined;
    return Math.round(ages.reduce((one, other) => (Math.abs(other) < Math.abs(one) ? other : one)));
  }

  return {
    seconds,
    note(blockTime, nowMs) {
      ages = [...ages, nowMs / 1_000 - Number(blockTime)].slice(-rememberedBlocks);
      const skewSeconds = seconds();
      if (skewSeconds === undefined || isWrong === Math.abs(skewSeconds) > clockSkewSecondsMax)
        return;
      isWrong = !isWrong;
      if (isWrong) {
        const fix = "set this machine's clock by NTP; payments are judged by it";
        log.warn(
          { event: "clock_skewed", chainId, skewSeconds, fix },
          "Clock differs from the chain's",
        );
      } else
        log.info({ event: "clock_right", chainId, skewSeconds }, "Clock agrees with the chain's");
    },
  };
}
