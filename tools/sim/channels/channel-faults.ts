/** Draws when processes die, and which of their calls are lost. */
import { createSeededRandom } from "../seeded-random.ts";
import type { ChannelPlan } from "./channel-plan.ts";
import type { DrawEnd } from "./mortal.ts";

/** A process that has died starts again within this time. */
const downMsMax = 60_000;

export function createFaults(plan: ChannelPlan, note: (text: string) => void) {
  const has = new Set(plan.faultKinds);
  const random = createSeededRandom(plan.seed, "deaths");
  const road = createSeededRandom(plan.seed, "road");
  const now = { isHealed: false, areGone: false, deaths: 0 };
  return {
    /** Whether all faults are over, whether the shops are gone for good, and how many have died. */
    now,
    drawEnd:
      (kind: "facilitator" | "shop"): DrawEnd =>
      (step) => {
        const isDrawn = has.has(kind) && random.whole(1, 1_000) <= plan.deathsPerThousand;
        if (now.isHealed || !isDrawn) return undefined;
        now.deaths++;
        const end = random.pick(["before", "after"] as const);
        note(`${kind} dies ${end} ${step}`);
        return end;
      },
    /** What becomes of a call between shop and facilitator. */
    drawLoss() {
      if (now.isHealed || !road.chance(plan.lostPercent)) return undefined;
      return road.pick(["request", "answer", "twice"] as const);
    },
    /** When what was sent twice comes again. */
    againMs: () => road.whole(1, downMsMax),
    pauseMs: () => random.whole(0, downMsMax),
  };
}
