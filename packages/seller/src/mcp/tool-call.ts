/** One call of a paid tool: through the exchange, and back as the result that the SDK sends. */
import {
  normalizeObjectSchema,
  safeParseAsync,
  type AnySchema,
  type ZodRawShapeCompat,
} from "@modelcontextprotocol/sdk/server/zod-compat.js";
import { CallToolResultSchema, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { PaidRequest } from "../events.ts";
import type { BindingSubject } from "../exchange/request-binding.ts";
import { contentOf, toToolResult } from "./tool-result.ts";
import type { Route } from "../seller.ts";

/** A schema as the SDK takes it. */
export type Schema = ZodRawShapeCompat | AnySchema;

/** Does the tool's work for a payment. */
export type Work = (payment: PaidRequest) => Promise<CallToolResult>;

/** The status of a tool that failed. It is no success, so the exchange does not charge for it. */
const failureStatus = 500;

/** Runs one call through the exchange. Rejects with what the tool threw when that cost nothing. */
export async function callPaid(
  route: Route,
  request: Request,
  bindingSubject: BindingSubject,
  work: Work,
): Promise<CallToolResult> {
  const failed: { result?: CallToolResult; thrown?: unknown } = {};
  const serve = async (payment: PaidRequest) => {
    try {
      // What is no result is refused now: the SDK would refuse it when it has been paid for.
      const result = CallToolResultSchema.parse(await work(payment));
      if (result.isError !== true) return contentOf(result);
      failed.result = result;
      return new Response(null, { status: failureStatus });
    } catch (error) {
      failed.thrown = error;
      throw error;
    }
  };
  const { response, outcome } = await route.charge(request, serve, { bindingSubject });
  // Every other outcome is the exchange's to tell: paid, or perhaps charged for by another process.
  const isFree = outcome.type === "uncharged";
  if (isFree && failed.result) return failed.result;
  if (isFree && "thrown" in failed) throw failed.thrown;
  return toToolResult(response);
}

/**
 * Checks a result as the SDK will after us: it turns one that does not fit into an error, and the
 * buyer would have paid for that. Throws, so that nothing is charged.
 */
export function outputCheck(tool: string, schema: Schema | undefined) {
  const object = schema === undefined ? undefined : normalizeObjectSchema(schema);
  return async (result: CallToolResult): Promise<CallToolResult> => {
    if (object === undefined || result.isError === true) return result;
    const parsed = await safeParseAsync(object, result.structuredContent);
    if (parsed.success) return result;
    throw new TypeError(`The result of tool ${tool} does not fit its output schema.`);
  };
}
