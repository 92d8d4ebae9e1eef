import type { SettlementRow, SettlementState } from "@farthing/facilitator/api";
import { Badge, type Tone } from "../../components/badge.tsx";

const tones: Readonly<Record<SettlementState, Tone>> = {
  queued: "busy",
  submitted: "busy",
  confirmed: "good",
  failed: "bad",
};

/** Finality is shown in place of the state. */
export function SettlementBadge({
  row: { state, finalizedAt },
}: {
  readonly row: Pick<SettlementRow, "state" | "finalizedAt">;
}) {
  if (finalizedAt !== null) return <Badge tone="good">final</Badge>;
  return <Badge tone={tones[state]}>{state}</Badge>;
}
