import type { WebhookEndpointJson } from "@farthing/facilitator/api";
import { Badge } from "../../components/badge.tsx";

export function StatusBadge({ endpoint }: { readonly endpoint: WebhookEndpointJson }) {
  if (endpoint.disabledBy === null) return <Badge tone="good">active</Badge>;
  return endpoint.disabledBy === "owner" ? (
    <Badge tone="plain">paused</Badge>
  ) : (
    <Badge tone="bad">disabled</Badge>
  );
}
