import type { SettlementState } from "@farthing/facilitator/api";
import { Badge, type Tone } from "../../components/badge.tsx";

const tones: Readonly<Record<SettlementState, Tone>> = {
  queued: "busy",
  submitted: "busy",
  confirmed: "good",
  failed: "bad",
};

/** Finality is shown in place of the state. */
export function SettlementBadge({
  state,
  isFinal,
}: {
  readonly state: SettlementState;
  readonly isFinal: boolean;
}) {
  if (isFinal) return <Badge tone="good">final</Badge>;
  return <Badge tone={tones[state]}>{state}</Badge>;
}
