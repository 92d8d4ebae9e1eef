/** Plays channels of many seeds on one chain, and says what they came to. */
import { channelFaultKinds, drawChannelPlan, type ChannelFaultKind } from "./channel-plan.ts";
import type { DatabaseKind } from "../databases.ts";
import { openChannelStage, playChannels, type ChannelRun } from "./play-channels.ts";

/** How many seeds, or for how long, and with which faults. */
export interface SeedsWanted {
  readonly seed?: number;
  readonly seeds: number;
  readonly minutes: number;
  readonly faultKinds?: readonly ChannelFaultKind[];
  readonly database: DatabaseKind;
  readonly isService: boolean;
  readonly hasTrace: boolean;
  readonly keepsGoing: boolean;
}

/** Reads `crash,withdraw`; `none` is no fault. */
export function readChannelFaultKinds(text: string): ChannelFaultKind[] {
  return text
    .split(",")
    .filter((name) => name !== "" && name !== "none")
    .map((name) => {
      const found = channelFaultKinds.find((one) => one === name);
      if (!found) throw new Error(`${name} is none of: ${channelFaultKinds.join(", ")}`);
      return found;
    });
}

/** Whether every promise was kept. */
export async function playSeeds(wanted: SeedsWanted): Promise<boolean> {
  const stage = await openChannelStage(wanted.database, wanted.isService);
  try {
    const until = Date.now() + wanted.minutes * 60_000;
    const first = wanted.seed ?? Date.now() % 1_000_000_000;
    let isKept = true;
    for (let count = 0; count < wanted.seeds || Date.now() < until; count++) {
      const run = await playChannels(drawChannelPlan(first + count, wanted.faultKinds), stage);
      console.log(lineOf(run));
      const isBroken = run.violations.length > 0;
      if (wanted.hasTrace || isBroken) console.log(run.trace.join("\n"));
      isKept &&= !isBroken;
      if (!isKept && !wanted.keepsGoing) break;
    }
    return isKept;
  } finally {
    await stage.stop();
  }
}

function lineOf({ plan, violations, delivered, claimed, deaths, ms }: ChannelRun): string {
  const { seed, faultKinds } = plan;
  const what = `delivered ${delivered}, claimed ${claimed}, ${deaths} deaths, ${Math.round(ms)} ms`;
  const line = `seed ${seed} (${faultKinds.join(",") || "none"}): ${what}`;
  return [line, ...violations.map(({ rule, text }) => `  BROKEN ${rule}: ${text}`)].join("\n");
}
