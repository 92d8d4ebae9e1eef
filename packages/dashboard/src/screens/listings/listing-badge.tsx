import type { ListingState } from "../../api/answers.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";

const tones: Readonly<Record<ListingState, readonly [Tone, string]>> = {
  pending: ["busy", "checking"],
  live: ["good", "live"],
  failing: ["warn", "failing"],
  hidden: ["bad", "hidden"],
  blocked: ["plain", "blocked"],
};

/** Where a listing stands, in a word. */
export function ListingBadge({ state }: { readonly state: ListingState }) {
  const [tone, words] = tones[state];
  return <Badge tone={tone}>{words}</Badge>;
}
