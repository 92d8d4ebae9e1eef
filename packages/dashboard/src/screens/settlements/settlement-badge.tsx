import type { SettlementRow } from "../../api/answers.ts";
import { Badge } from "../../parts/badge.tsx";

/** Where a settlement stands: finality is a fact about a confirmed one. */
export function SettlementBadge({
  row: { state, finalizedAt },
}: {
  readonly row: Pick<SettlementRow, "state" | "finalizedAt">;
}) {
  if (finalizedAt !== null) return <Badge tone="good">final</Badge>;
  switch (state) {
    case "queued":
      return <Badge tone="busy">queued</Badge>;
    case "submitted":
      return <Badge tone="busy">submitted</Badge>;
    case "confirmed":
      return <Badge tone="good">confirmed</Badge>;
    case "failed":
      return <Badge tone="bad">failed</Badge>;
  }
}
