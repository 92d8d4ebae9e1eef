import type { ApiCallJson } from "@farthing/facilitator/api";
import { Badge } from "../../components/badge.tsx";

/** The status of HTTP; a refusal may have any. */
export function StatusBadge({
  call: { status, code },
}: {
  readonly call: Pick<ApiCallJson, "status" | "code">;
}) {
  const isAccepted = status < 400 && code === null;
  return <Badge tone={status >= 500 ? "bad" : isAccepted ? "good" : "warn"}>{`${status}`}</Badge>;
}
