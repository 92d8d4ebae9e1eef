import type { PurchaseState } from "@farthing/facilitator/api";
import { Badge, type Tone } from "../../components/badge.tsx";

const looks: Readonly<Record<PurchaseState, readonly [Tone, string]>> = {
  awaiting_payment: ["plain", "awaiting payment"],
  settling: ["busy", "settling"],
  confirmed: ["busy", "confirmed"],
  credited: ["good", "credited"],
  held: ["warn", "held for review"],
  rejected: ["bad", "rejected"],
  failed: ["bad", "failed"],
  expired: ["plain", "expired"],
  canceled: ["plain", "canceled"],
};

export function PurchaseBadge({ state }: { readonly state: PurchaseState }) {
  const [tone, words] = looks[state];
  return <Badge tone={tone}>{words}</Badge>;
}
