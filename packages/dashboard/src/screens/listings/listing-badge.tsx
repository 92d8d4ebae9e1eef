import type { ListingJson, ListingState } from "@farthing/facilitator/api";
import { Badge, type Tone } from "../../components/badge.tsx";
import { When } from "../../components/values.tsx";

const tones: Readonly<Record<ListingState, readonly [Tone, string]>> = {
  pending: ["busy", "checking"],
  live: ["good", "live"],
  failing: ["warn", "failing"],
  hidden: ["bad", "hidden"],
  blocked: ["plain", "blocked"],
};

export function ListingBadge({ state }: { readonly state: ListingState }) {
  const [tone, words] = tones[state];
  return <Badge tone={tone}>{words}</Badge>;
}

/** New listings are checked at once. */
export function NextCheck({ check }: Pick<ListingJson, "check">) {
  return check.triedAt === null && check.nextAt !== null ? (
    <span className="muted">in a moment</span>
  ) : (
    <When at={check.nextAt} />
  );
}
