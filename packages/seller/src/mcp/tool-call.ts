/** One call of a paid tool: passed through the exchange and returned as a result of the SDK. */
import {
  normalizeObjectSchema,
  safeParseAsync,
  type AnySchema,
  type ZodRawShapeCompat,
} from "@modelcontextprotocol/sdk/server/zod-compat.js";
import { CallToolResultSchema, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { PaidRequest } from "../events.ts";
import { metaOf, toToolNotice, toToolResult, withMeta } from "./tool-result.ts";
import type { ChargeOptions } from "../route-response.ts";
import type { Route } from "../seller.ts";

export type Schema = ZodRawShapeCompat | AnySchema;

/** The exchange does not charge for a failed tool. */
const failureStatus = 500;

/** What the exchange needs to know of a call; `original` are its arguments. */
export type CallFacts = Pick<ChargeOptions, "bindingSubject" | "routeName" | "original" | "isGone">;

/** Charges for one call. Throws the tool's error when the call was not charged. */
export async function callPaid(
  route: Route,
  request: Request,
  about: CallFacts,
  work: (payment: PaidRequest) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const failed: { result?: CallToolResult; thrown?: unknown } = {};
  const serve = async (payment: PaidRequest) => {
    try {
      // Invalid results fail before the charge; the SDK would refuse them after it.
      const result = CallToolResultSchema.parse(await work(payment));
      if (result.isError !== true) return Response.json(result);
      failed.result = result;
      return new Response(null, { status: failureStatus });
    } catch (error) {
      failed.thrown = error;
      throw error;
    }
  };
  const { response, outcome } = await route.charge(request, serve, about);
  // The refund of a channel, which is no call of the tool.
  if (outcome.type === "undecided" && response.ok) return toToolNotice(response);
  // Every other outcome may have been charged for, also by another process.
  const isFree = outcome.type === "uncharged";
  // A call that costs nothing may have made a deposit, which an error of the SDK could not tell.
  const meta = metaOf(response.headers);
  if (isFree && failed.result) return withMeta(failed.result, meta);
  if (isFree && "thrown" in failed && meta === undefined) throw failed.thrown;
  return toToolResult(response);
}

/** Checks a result as the SDK will later: an invalid one must not be charged for. */
export function outputCheck(tool: string, schema: Schema | undefined) {
  const object = schema === undefined ? undefined : normalizeObjectSchema(schema);
  return async (result: CallToolResult): Promise<CallToolResult> => {
    if (object === undefined || result.isError === true) return result;
    const parsed = await safeParseAsync(object, result.structuredContent);
    if (parsed.success) return result;
    throw new TypeError(`The result of tool ${tool} does not fit its output schema.`);
  };
}
