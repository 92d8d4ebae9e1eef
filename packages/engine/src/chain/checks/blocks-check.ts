/** Checks that the endpoint returns logs, and that our clock agrees with the blocks' times. */
import { fail, ok, warn, type CheckLine } from "../../base/check-line.ts";
import { backOffMs, type BackOffBounds } from "../../base/back-off.ts";
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/fault.ts";
import { silentLog } from "../../base/log.ts";
import { readHeaders, readLatestHeader, type BlockHead } from "../reads/block-headers.ts";
import { createBlockLogs, type BlockEvents } from "../logs/block-logs.ts";
import type { Chain } from "../endpoints/chain.ts";
import { clockFix, clockSkewSecondsMax } from "../follower/clock-skew.ts";

/** Reads the logs of the oldest, for lagging backends, and those that headers indicate. */
const recentBlocks = 8;

/** Retries, since the backends of an endpoint may be blocks apart. */
const triesMax = 4;
const retryPause: BackOffBounds = { minMs: 400, maxMs: 2_000 };

/** Throws RPC faults where there are no blocks at all. */
export async function checkBlocks(chain: Chain, clock: Clock): Promise<CheckLine[]> {
  for (let tries = 1; ; tries++) {
    const head = await readLatestHeader(chain);
    const logs = await checkLogs(chain, head);
    if (logs.status === "ok" || tries === triesMax) return [logs, clockLine(head, clock)];
    await clock.sleep(backOffMs(tries, retryPause));
  }
}

async function checkLogs(chain: Chain, head: BlockHead): Promise<CheckLine> {
  const fix = "use an endpoint that answers eth_getLogs; no outcome can be reported without it";
  try {
    const logs = await readRecentLogs(chain, head);
    if (logs.length === 0) return fail("logs", "the endpoint shows blocks without their logs", fix);
    return logs.every(({ isWhole }) => isWhole)
      ? ok("logs", "given for single blocks")
      : fail("logs", "the endpoint's logs lack authorizations that its receipts hold", fix);
  } catch (error) {
    return fail("logs", messageOf(error), fix);
  }
}

/** Reads logs exactly as for waiting payments. */
async function readRecentLogs(chain: Chain, { number }: BlockHead): Promise<BlockEvents[]> {
  const oldest = Math.max(0, number - recentBlocks + 1);
  const numbers = Array.from({ length: number - oldest + 1 }, (_, index) => oldest + index);
  const [first, ...others] = await readHeaders(chain, numbers);
  if (!first) return [];
  const logs = createBlockLogs(chain, silentLog);
  const blocks = [first, ...others.filter(logs.hasPromise)];
  return logs.read(blocks);
}

function clockLine({ number, time }: BlockHead, clock: Clock): CheckLine {
  const ahead = Math.round(clock.nowMs() / 1_000 - Number(time));
  if (ahead < -clockSkewSecondsMax) {
    return warn("clock", `${-ahead} s behind block ${number}`, clockFix);
  }
  return ok("clock", `block ${number} is ${Math.max(0, ahead)} s old by it`);
}
