import type { ChannelListJson } from "@farthing/facilitator/api";
import { Badge } from "../../components/badge.tsx";

type Channel = ChannelListJson["channels"][number];

export function ChannelBadge({
  channel: { state, withdrawRequestedAt },
}: {
  readonly channel: Pick<Channel, "state" | "withdrawRequestedAt">;
}) {
  if (state === "closed") return <Badge tone="plain">Closed</Badge>;
  if (withdrawRequestedAt !== null) return <Badge tone="warn">Withdrawing</Badge>;
  return <Badge tone="good">Open</Badge>;
}
