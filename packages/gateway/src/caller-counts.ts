/** Counts the requests of callers in windows of the clock, in bounded memory. */
import { networkOfAddress } from "@farthing/protocol";

/** About 10 MB. Callers beyond them share one count until the window ends. */
const callersMax = 100_000;

interface CountOptions {
  readonly nowMs?: () => number;
  readonly max?: number;
}

/** Windows begin with the clock's, days at midnight UTC. Nothing outlives the process. */
export function createCallerCounts(
  windowMs: number,
  { nowMs = Date.now, max = callersMax }: CountOptions = {},
) {
  const counts = new Map<string, number>();
  let window = 0;
  return {
    /**
     * Counts a request of an address (IPv6: of its /64). `isWithin` is false, and nothing is
     * counted, for more than `most` of the same subject in this window.
     */
    take(subject: string, address: string, most: number) {
      const now = nowMs();
      const present = Math.floor(now / windowMs);
      if (present !== window) {
        window = present;
        counts.clear();
      }
      const own = `${subject} ${networkOfAddress(address)}`;
      const caller = counts.has(own) || counts.size < max ? own : subject;
      const count = counts.get(caller) ?? 0;
      if (count < most) counts.set(caller, count + 1);
      return { isWithin: count < most, endsInMs: (present + 1) * windowMs - now };
    },
  };
}
