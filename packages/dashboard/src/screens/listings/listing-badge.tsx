import type { Listing, ListingState } from "@farthing/facilitator/api";
import { Badge, type Tone } from "../../components/badge.tsx";
import { When } from "../../components/values.tsx";

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

/** When a listing is checked next; a new one waits for nothing. */
export function NextCheck({ check }: Pick<Listing, "check">) {
  return check.triedAt === null && check.nextAt !== null ? (
    <span className="muted">in a moment</span>
  ) : (
    <When at={check.nextAt} />
  );
}
