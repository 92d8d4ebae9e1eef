/** This machine's clock compared with new blocks. */
import type { ChainId } from "@farthing/protocol";
import { unixSeconds, type Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { ChainView } from "./chain-view.ts";

export type ClockSkew = ReturnType<typeof createClockSkew>;

/** Blocks that tell the chain's time; the second earliest counts, since a block may be late or odd. */
const rememberedBlocks = 8;

const blocksMin = 3;

/** Allows for a period, a round trip and rounding. */
export const clockSkewSecondsMax = 5;

export const clockFix = "set this machine's clock by NTP; the chain decides when payments expire";

/** A moment by this machine: the time of day, and milliseconds that no change of it moves. */
export interface Moment {
  readonly nowMs: number;
  readonly steadyMs: number;
}

/** Logs when the clock becomes wrong, and when it is right again. */
export function createClockSkew(deps: { readonly chainId: ChainId; readonly log: Log }) {
  const { chainId, log } = deps;
  /** Steady seconds at which new blocks were seen, less their own times. */
  let offsets: number[] = [];
  /** The second earliest of them; undefined until enough blocks were seen. */
  let offset: number | undefined;
  let isWrong = false;

  function seconds({ nowMs, steadyMs }: Moment): number | undefined {
    return offset === undefined ? undefined : Math.round((nowMs - steadyMs) / 1_000 + offset);
  }

  return {
    /**
     * Undefined until enough blocks were seen. A correct clock shows zero to a block period; a step of
     * the clock shows at once, also while no block comes.
     */
    seconds,
    /** Records a block that the previous look did not show; its time in Unix seconds. */
    note(blockTime: bigint, moment: Moment) {
      offsets = [...offsets, moment.steadyMs / 1_000 - Number(blockTime)].slice(-rememberedBlocks);
      if (offsets.length >= blocksMin) [, offset] = offsets.toSorted((one, other) => one - other);
      const skewSeconds = seconds(moment);
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

/** A head that is younger says nothing about the clock: a missing leader delays a block for so long. */
const pauseSecondsMax = 60;

/** What is known of the chain's time. */
export type SeenTime = Pick<ChainView, "head" | "clockSkewSeconds">;

/**
 * Unix seconds by which authorizations are judged: this machine's, or the chain's where the two differ
 * by more than a block explains.
 */
export function validitySeconds(clock: Clock, seen: SeenTime | undefined): bigint {
  const { clockSkewSeconds: skew = 0 } = seen ?? {};
  const now = unixSeconds(clock);
  return Math.abs(skew) > clockSkewSecondsMax ? now - BigInt(skew) : now;
}

/**
 * Whether this machine's clock, in Unix seconds, and the chain disagree, and too few blocks were seen to
 * tell why. `blockTime` is that of a block which was read just now.
 */
export function isTimeUnclear(
  machineSeconds: bigint,
  seen: SeenTime | undefined,
  blockTime = seen?.head.time,
): boolean {
  if (seen?.clockSkewSeconds !== undefined || blockTime === undefined) return false;
  const ahead = Number(machineSeconds - blockTime);
  return ahead > pauseSecondsMax || ahead < -clockSkewSecondsMax;
}
