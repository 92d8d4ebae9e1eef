/** Replays a counter-example of the model on the real service, and audits what came of it. */
import type { Databases } from "../databases.ts";
import type { Ask, FaultKind, Plan } from "../plan.ts";
import { run, type RunReport } from "../run.ts";
import { scenario, small } from "../scenario-parts.ts";
import { actOf, type Act } from "./acts.ts";
import { createStoryDirector, type Played } from "./direct-story.ts";
import type { Story } from "./story.ts";

export interface Replay {
  readonly story: Story;
  readonly played: readonly Played[];
  readonly report: RunReport;
}

/** Any number: what a seed would draw is said by the story. */
const seed = 970;

/** Seconds that a step of a story takes at most, and what is left after the last one before an expiry. */
const stepSeconds = 4;
const marginSeconds = 20;

/** For payments that do not expire in their story. */
const longSeconds = 3_600;

/** A caller that gets its answer at once, and asks again until there is an outcome. */
const ask: Ask = {
  afterBlocks: 0,
  prefer: "respond-async",
  atOnce: 1,
  again: 6,
  surface: "self-built",
  polls: 4,
  waitSeconds: 4,
};

/** The faults that an act is, which tell the audit what is excused. */
function kindsOf(act: Act): readonly FaultKind[] {
  switch (act.do) {
    case "crash":
      return ["crash"];
    case "reorganise":
      return ["reorg"];
    case "raise-price":
      return ["gas", "rules"];
    case "copy":
    case "fail-over":
      return ["loss"];
    case "fall-behind":
      return ["lag"];
    case "send":
      return act.reply === "dropped" ? ["pool"] : act.reply === "plain" ? [] : ["road"];
    case "block":
      if (act.content === undefined || act.content.kind === "relay") return [];
      return act.content.kind === "intrude" ? ["stranger"] : ["token"];
    default:
      return [];
  }
}

function planOf({ steps, size }: Story): Plan {
  const acts = steps.map(actOf);
  const { payments, wallets, processes, confirmations, batches } = size;
  const validFor = (index: number) => {
    const end = acts.findIndex((act) => act.do === "expire" && act.payment === index);
    return end < 0 ? longSeconds : marginSeconds + stepSeconds * end;
  };
  const plan = scenario(
    seed,
    { database: "postgres", servedSurface: "self-built", confirmations, inFlight: 4 },
    {
      faultKinds: [...new Set(acts.flatMap(kindsOf))],
      nodes: 1,
      relayers: wallets,
      buyers: payments,
      batchMax: batches ? payments : 1,
      events: [],
      payments: Array.from({ length: payments }, (_, index) => {
        return { ...small, index, block: 0, buyer: index, validFor: validFor(index), asks: [ask] };
      }),
    },
  );
  return { ...plan, service: { ...plan.service, processes } };
}

/** `mutant`: the name of a change that is in place in the service. */
export async function replay(
  story: Story,
  databases: Databases,
  mutant: string | undefined,
): Promise<Replay> {
  const played: Played[] = [];
  const direct = createStoryDirector(story.steps, played);
  // The story's own payments are looked at, and no others.
  const options = { direct, mutant, probesPerWallet: 0 };
  const report = await run(planOf(story), databases, options);
  return { story, played, report };
}

/** The replay in words: each step with how it was played, and what the audit found. */
export function wordsOf({ story, played, report }: Replay): string {
  const { violations, ms } = report;
  const unplayed = played.filter(({ how }) => how.startsWith("not played"));
  const lines = played.map(({ step, how }, index) => {
    const note = how === "played" ? "" : ` — ${how}`;
    return `  ${String(index + 1).padStart(2)}  ${step}${note}`;
  });
  return [
    `Model: ${story.promise}.`,
    ...lines,
    `  ${unplayed.length} of ${played.length} steps could not be played; ${(ms / 1_000).toFixed(1)} s.`,
    ...violations.map(({ rule, payment, text }) => {
      const whose = payment === undefined ? "" : ` (payment ${"AB"[payment] ?? payment})`;
      return `  broken: ${rule}${whose}: ${text}`;
    }),
    violations.length === 0
      ? "Service: no promise is broken."
      : `Service: ${violations.length} promises are broken.`,
  ].join("\n");
}
