import type { Charged } from "@farthing/seller";
import type { UpstreamFailure } from "./upstream.ts";

/** What is known of one request, for its log line and the metrics. */
export interface RequestContext {
  /** `denied` until a rule matches; `own` for built-in endpoints. */
  kind: "denied" | "own" | "free" | "paid";
  /** The configured name, never the path; `none` when no rule matched. */
  route: string;
  upstream?: string;
  charged?: Charged;
  upstreamMs?: number;
  failure?: UpstreamFailure;
}
