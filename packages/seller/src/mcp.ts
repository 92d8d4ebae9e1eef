/**
 * Charge for the tools of an MCP server (x402's transport for MCP): the price travels in the
 * result of an unpaid call, the payment and the receipt in `_meta`.
 *
 * A call goes through the same exchange as a route: one payment opens one result, for this tool
 * and these arguments; a repeat of the same call gets the kept result; what is not known is never
 * called failed. Tools settle after they have worked unless the seller says otherwise, because the
 * transport demands both of the things that only this order can give: a result that is an error
 * costs nothing, and content whose settlement failed does not go out.
 */
import type {
  BaseToolCallback,
  McpServer,
  RegisteredTool,
  ToolCallback,
} from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  normalizeObjectSchema,
  safeParseAsync,
  type AnySchema,
  type ZodRawShapeCompat,
} from "@modelcontextprotocol/sdk/server/zod-compat.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type {
  CallToolResult,
  ServerNotification,
  ServerRequest,
  ToolAnnotations,
} from "@modelcontextprotocol/sdk/types.js";
import { readReceipt } from "@farthing/protocol";
import type { RouteOptions, SellerOptions } from "./configuration.ts";
import type { PaidRequest } from "./events.ts";
import { toolRequest } from "./mcp-request.ts";
import { contentOf, toToolResult } from "./mcp-result.ts";
import { createSeller, type Route } from "./seller.ts";

type Shape = ZodRawShapeCompat | AnySchema;
type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** What the SDK gives a handler, and the payment behind the call. */
export interface PaidExtra extends Extra {
  readonly payment: PaidRequest;
}

/** The handler of a paid tool: as the SDK's, with {@link PaidExtra}. */
export type PaidToolCallback<Input extends undefined | Shape = undefined> = BaseToolCallback<
  CallToolResult,
  PaidExtra,
  Input
>;

/** What differs from tool to tool in how it is paid. */
export type ToolPayment = Pick<RouteOptions, "price" | "maxTimeoutSeconds">;

/** The SDK's description of a tool, and its price. */
export interface PaidToolConfig<
  Output extends Shape,
  Input extends undefined | Shape,
> extends ToolPayment {
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: Input;
  readonly outputSchema?: Output;
  readonly annotations?: ToolAnnotations;
  readonly _meta?: Record<string, unknown>;
}

/** Why: see the head of this file. */
const toolDefaults = { settle: "after-success" } as const;

/** A seller of tools. The payment options here are the defaults of every tool. */
export interface ToolSellerOptions
  extends
    ToolPayment,
    Pick<
      SellerOptions,
      "facilitator" | "payTo" | "network" | "grants" | "waitMs" | "bodyBytesMax" | "onEvent"
    > {
  /** Name of the server, where several servers with tools of the same names share `grants`. */
  readonly server?: string;
}

/** Registers paid tools. One for all sessions of a server: it remembers the payments. */
export interface ToolSeller {
  /** Like the SDK's `server.registerTool`, with a price in the configuration. */
  registerTool<Output extends Shape, Input extends undefined | Shape = undefined>(
    server: McpServer,
    name: string,
    config: PaidToolConfig<Output, Input>,
    handler: PaidToolCallback<Input>,
  ): RegisteredTool;
}

/**
 * Creates a seller of MCP tools. Throws ConfigurationError for options that cannot work.
 *
 * @example
 * const seller = farthing({ facilitator: { url, apiKey }, payTo: "xdc2096…" });
 * seller.registerTool(
 *   server,
 *   "forecast",
 *   { price: "0.01", description: "Weather of tomorrow", inputSchema: { city: z.string() } },
 *   ({ city }) => ({ content: [{ type: "text", text: `Rain in ${city}.` }] }),
 * );
 */
export function farthing(options: ToolSellerOptions): ToolSeller {
  const { server: serverName, ...rest } = options;
  const seller = createSeller({ ...toolDefaults, ...rest });
  return {
    registerTool(server, name, config, handler) {
      const { price, maxTimeoutSeconds, ...shown } = config;
      const route = seller.route({
        ...(price === undefined ? {} : { price }),
        ...(maxTimeoutSeconds === undefined ? {} : { maxTimeoutSeconds }),
        description: descriptionOf(name, config),
        mimeType: "application/json",
      });
      const hasInput = config.inputSchema !== undefined;
      const check = outputCheck(name, config.outputSchema);
      const run = handler as (...given: readonly unknown[]) => Promise<CallToolResult>;
      // The SDK calls with (arguments, extra), and a tool without input with (extra) alone.
      const paid = (...given: readonly unknown[]) => {
        const extra = given.at(-1) as Extra;
        const values = hasInput ? given[0] : {};
        const call = { server: serverName, tool: name, arguments: values, meta: extra._meta };
        return callPaid(route, toolRequest(call), async (payment) => {
          const own = { ...extra, payment };
          return check(await (hasInput ? run(values, own) : run(own)));
        });
      };
      return server.registerTool(name, shown as object, paid as unknown as ToolCallback);
    },
  };
}

/** A tool that failed: its status is no success, so the exchange does not charge for it. */
const failureStatus = 500;

/** Runs one call through the exchange. Rejects with what the tool threw when that cost nothing. */
async function callPaid(
  route: Route,
  request: Request,
  work: (payment: PaidRequest) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const failed: { result?: CallToolResult; thrown?: unknown } = {};
  const answer = await route.charge(request, async (payment) => {
    try {
      const result = await work(payment);
      if (result.isError !== true) return contentOf(result);
      failed.result = result;
    } catch (error) {
      failed.thrown = error;
    }
    return new Response(null, { status: failureStatus });
  });
  // With a receipt it is the exchange that speaks: paid, and the result can still be had.
  const isOwnFailure = answer.status === failureStatus && !readReceipt(answer.headers);
  if (isOwnFailure && failed.result) return failed.result;
  if (isOwnFailure && "thrown" in failed) throw failed.thrown;
  return toToolResult(answer);
}

/** Longest description that travels in a challenge, in characters; the seller's own bound is 500. */
const descriptionCharsMax = 300;

function descriptionOf(
  name: string,
  { title, description }: { title?: string; description?: string },
) {
  const text = description ?? title ?? `Tool: ${name}`;
  return text.length > descriptionCharsMax ? `${text.slice(0, descriptionCharsMax)}…` : text;
}

/**
 * Checks a result as the SDK will after us: it turns one that does not fit into an error, and the
 * buyer would have paid for that. Throws, so that nothing is charged.
 */
function outputCheck(name: string, schema: Shape | undefined) {
  const object = schema === undefined ? undefined : normalizeObjectSchema(schema);
  return async (result: CallToolResult): Promise<CallToolResult> => {
    if (object === undefined || result.isError === true) return result;
    const parsed = await safeParseAsync(object, result.structuredContent);
    if (parsed.success) return result;
    throw new TypeError(`The result of tool ${name} does not fit its output schema.`);
  };
}
