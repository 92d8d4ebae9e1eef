/** This machine's clock compared with new blocks. */
import type { ChainId } from "@farthing/protocol";
import type { Log } from "../base/log.ts";

export type ClockSkew = ReturnType<typeof createClockSkew>;

/** The block nearest to our clock counts, since a block may be late or odd. */
const rememberedBlocks = 8;

const blocksMin = 3;

/** Allows for a period, a round trip and rounding. */
export const clockSkewSecondsMax = 5;

export const clockFix = "set this machine's clock by NTP; payments are judged by it";

/** Logs when the clock becomes wrong, and when it is right again. */
export function createClockSkew(deps: { readonly chainId: ChainId; readonly log: Log }) {
  const { chainId, log } = deps;
  let ages: number[] = [];
  let isWrong = false;

  function seconds(): number | undefined {
    if (ages.length < blocksMin) return undefined;
    return Math.round(ages.reduce((one, other) => (Math.abs(other) < Math.abs(one) ? other : one)));
  }

  return {
    /** Undefined until enough blocks were seen. A correct clock shows zero to a block period. */
    seconds,
    /** Records a block that the previous look did not show; its time in Unix seconds. */
    note(blockTime: bigint, nowMs: number) {
      ages = [...ages, nowMs / 1_000 - Number(blockTime)].slice(-rememberedBlocks);
      const skewSeconds = seconds();
      if (skewSeconds === undefined || isWrong === Math.abs(skewSeconds) > clockSkewSecondsMax)
        return;
      isWrong = !isWrong;
      if (isWrong) {
        const fields = { event: "clock_skewed", chainId, skewSeconds, fix: clockFix };
        log.warn(fields, "Clock differs from the chain's");
      } else
        log.info({ event: "clock_right", chainId, skewSeconds }, "Clock agrees with the chain's");
    },
  };
}
