/** What is known of one request while it is answered, for its log line and the metrics. */
import type { Charged } from "@farthing/seller";
import type { UpstreamFailure } from "./upstream.ts";

/** One request; whoever answers it fills in what they know. */
export interface RequestContext {
  /** `denied` until a rule says otherwise; `own` for what the gateway itself answers. */
  kind: "denied" | "own" | "free" | "paid";
  /** As the configuration names it, never the path; `none` when no rule matched. */
  route: string;
  upstream?: string;
  /** What charging came to. */
  charged?: Charged;
  /** How long the upstream took, in milliseconds. */
  upstreamMs?: number;
  /** Why the upstream gave no response. */
  failure?: UpstreamFailure;
}
