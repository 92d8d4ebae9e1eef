/** What a tool sells beside single calls: passes, balances and channels, of the tool or its seller. */
import { isObject } from "@farthing/protocol";
import { CallToolResultSchema, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { CostOf, MeteredUse } from "../balance-options.ts";
import type { Price, RouteOptions } from "../configuration.ts";

/** Returns the cost of a call like {@link CostOf}, from the result of its tool. */
export type CostOfResult = (
  result: CallToolResult,
  use: MeteredUse,
) => Price | null | undefined | Promise<Price | null | undefined>;

type Sales = Pick<RouteOptions, "pass" | "balance" | "channel" | "settle">;

/** `tool` is what a pass or balance without a scope of its own opens: one tool of one server. */
export function salesOf(
  own: Sales & { readonly cost?: CostOfResult },
  ofSeller: Sales,
  tool: string,
) {
  const sales = {
    pass: withScope(own.pass ?? ofSeller.pass, tool),
    balance: withScope(own.balance ?? ofSeller.balance, tool),
    channel: own.channel ?? ofSeller.channel,
  };
  const settle = own.settle ?? ofSeller.settle ?? timingOf(sales);
  return { ...sales, settle, cost: own.cost && costOf(own.cost) };
}

/** The transport wants tools to settle after their work; a top-up comes first. */
export function timingOf({ balance }: { readonly balance?: unknown }) {
  return balance === undefined ? "after-success" : "before-work";
}

function withScope<T extends { readonly scope?: string }>(sale: T | undefined, tool: string) {
  return isObject(sale) ? { ...sale, scope: sale.scope ?? tool } : sale;
}

function costOf(cost: CostOfResult): CostOf {
  return async (response, use) => cost(CallToolResultSchema.parse(await response.json()), use);
}
