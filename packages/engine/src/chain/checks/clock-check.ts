/** Compares this machine's clock, which we verify by, with the chain's, which miners go by. */
import { fail, ok, warn, type CheckLine } from "../../base/check-line.ts";
import { steadyClockOf, type Clock } from "../../base/clock.ts";
import { readLatestHeader } from "../reads/block-headers.ts";
import type { Chain } from "../endpoints/chain.ts";
import { clockFix, clockSkewSecondsMax } from "../follower/clock-skew.ts";

/** Longest wait for a new block: more than two of XDC's 2 s periods. */
const waitMs = 5_000;

const pollMs = 250;

/** Compares the clock with a block at the moment it arrives. Throws RPC faults. */
export async function checkClock(chain: Chain, clock: Clock): Promise<CheckLine> {
  const first = await readLatestHeader(chain);
  const steady = steadyClockOf(clock);
  const until = steady.nowMs() + waitMs;
  let head = first;
  while (head.number === first.number && steady.nowMs() < until) {
    await clock.sleep(pollMs);
    head = await readLatestHeader(chain);
  }
  const skew = Math.round(clock.nowMs() / 1000 - Number(head.time));
  if (skew < -clockSkewSecondsMax) {
    return fail("clock", `${-skew} s behind block ${head.number}`, clockFix);
  }
  if (head.number === first.number) {
    const text = `no new block within ${waitMs / 1000} s to compare with`;
    return warn("clock", text, "look again in a minute; XDC makes one every 2 s");
  }
  if (skew > clockSkewSecondsMax) {
    return fail("clock", `${skew} s ahead of block ${head.number}, which is new`, clockFix);
  }
  return ok("clock", `within ${clockSkewSecondsMax} s of block ${head.number}, which is new`);
}
