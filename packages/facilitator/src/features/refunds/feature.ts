/** Refunds for callers with a session; the route takes API keys too. */
import type { Feature, RunningFeature } from "../feature.ts";
import { registerRefunds, type RefundContext } from "../../payments/refunds.ts";

export const refunds = { name: "refunds", create } satisfies Feature;

function create({ payments }: { readonly payments: RefundContext }): RunningFeature {
  return { routes: { account: (server) => registerRefunds(server, payments) } };
}
