/**
 * Charges for the tools of an MCP server (x402's transport for MCP): the price travels in the result
 * of an unpaid call, the payment and the receipt in `_meta`. A payment is bound to the tool and its
 * arguments. Tools settle after their work by default, because the transport demands it.
 * @packageDocumentation
 */
import { defined } from "@farthing/protocol";
import type {
  BaseToolCallback,
  McpServer,
  RegisteredTool,
} from "@modelcontextprotocol/sdk/server/mcp.js";
import type {
  AnySchema,
  SchemaOutput,
  ShapeOutput,
  ZodRawShapeCompat,
} from "@modelcontextprotocol/sdk/server/zod-compat.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type {
  CallToolResult,
  ServerNotification,
  ServerRequest,
  ToolAnnotations,
} from "@modelcontextprotocol/sdk/types.js";
import {
  ConfigurationError,
  type Price,
  type RouteOptions,
  type SellerOptions,
} from "../configuration.ts";
import type { PaidRequest } from "../events.ts";
import { isShortDescription } from "../extensions/bazaar.ts";
import { shapesOf } from "./tool-shapes.ts";
import { callPaid, outputCheck, type Schema } from "./tool-call.ts";
import { salesOf, timingOf, type CostOfResult } from "./tool-sales.ts";
import { rememberArguments, sentArguments } from "./sent-arguments.ts";
import { bindingSubjectOf, toolRequest } from "./tool-request.ts";
import { routeNameOf } from "../sale-books.ts";
import { createToolSeller, type Route, type Seller } from "../seller.ts";

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface PaidExtra extends Extra {
  readonly payment: PaidRequest;
}

export type PaidToolCallback<Input extends undefined | Schema = undefined> = BaseToolCallback<
  CallToolResult,
  PaidExtra,
  Input
>;

/** The arguments of a call, as the handler gets them. */
export type ToolArguments<Input extends undefined | Schema> = Input extends ZodRawShapeCompat
  ? ShapeOutput<Input>
  : Input extends AnySchema
    ? SchemaOutput<Input>
    : Readonly<Record<string, never>>;

export interface ToolPayment extends Pick<
  RouteOptions,
  | "maxTimeoutSeconds"
  | "settle"
  | "workMs"
  | "redeliver"
  | "requireBinding"
  | "pass"
  | "balance"
  | "channel"
> {
  readonly price?: Price;
  /** Where the money goes, `0x…` or `xdc…`. */
  readonly payTo?: string;
}

export interface PaidToolConfig<
  Output extends Schema,
  Input extends undefined | Schema,
> extends Omit<ToolPayment, "price"> {
  /** A function computes the price of each call. */
  readonly price?: Price | ((values: ToolArguments<Input>) => Price | Promise<Price>);
  /** The seller's own name of a sale; a function gets the arguments of the call. */
  readonly reference?:
    | string
    | ((values: ToolArguments<Input>) => string | undefined | Promise<string | undefined>);
  /**
   * What a call costs on a tool with a balance, where its handler does not count it; and on a tool with
   * a channel, at most its price.
   */
  readonly cost?: CostOfResult;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: Input;
  readonly outputSchema?: Output;
  readonly annotations?: ToolAnnotations;
  readonly _meta?: Record<string, unknown>;
}

/** Options of a seller of tools. The payment options are the defaults of every tool. */
export interface ToolSellerOptions
  extends
    ToolPayment,
    Pick<
      SellerOptions,
      | "facilitator"
      | "network"
      | "grants"
      | "waitMs"
      | "bodyBytesMax"
      | "onEvent"
      | "extensions"
      | "receiptSigner"
      | "rateLimit"
      | "channels"
    > {
  readonly payTo: string;
  /** Name of the server, where several servers with the same tool names share `grants`. */
  readonly server?: string;
}

/** Registers paid tools for all sessions of a server. */
export interface ToolSeller extends Pick<Seller, "check" | "channels"> {
  /** Like the SDK's `server.registerTool`, with a price in the configuration. */
  registerTool<Output extends Schema, Input extends undefined | Schema = undefined>(
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
  const seller = createToolSeller({ settle: timingOf(rest), ...rest });
  return {
    check: seller.check,
    channels: seller.channels,
    registerTool(server, name, config, handler) {
      const { title, description, inputSchema, outputSchema, annotations, _meta, ...own } = config;
      const shown = { title, description, inputSchema, outputSchema, annotations, _meta };
      const sold = salesOf(own, rest, `${serverName ?? ""}/${name}`);
      const { price, reference, ...rules } = own;
      const ofCall = { ...sold, reference: referenceOf(reference) };
      const words = wordsOf(name, config);
      const described = { tool: { name, description: words.description }, ...shapesOf(config) };
      const describe = isShortDescription(described) ? described : undefined;
      const routeOf = routes(seller, price, { ...rules, ...words, ...ofCall, describe });
      const toolName = serverName === undefined ? name : `${serverName}/${name}`;
      const routeName = routeNameOf("MCP", toolName);
      const check = outputCheck(name, config.outputSchema);
      const hasInput = config.inputSchema !== undefined;
      const run: AnyCallback = handler;
      // The SDK calls with (arguments, extra), or with (extra) alone for a tool without input.
      const paid: AnyCallback = async (...given) => {
        const extra: Extra = given.at(-1);
        const values: unknown = hasInput ? given[0] : {};
        const call = { server: serverName, tool: name, arguments: values, meta: extra._meta };
        const bindingSubject = bindingSubjectOf(sentArguments(extra, values));
        const isGone = () => extra.signal.aborted;
        const about = { bindingSubject, routeName, original: values, isGone };
        return callPaid(await routeOf(values), toolRequest(call), about, async (payment) => {
          const own = { ...extra, payment };
          return check(await (hasInput ? run(values, own) : run(own)));
        });
      };
      const registered = server.registerTool(name, defined(shown), paid);
      rememberArguments(server);
      return registered;
    },
  };
}

/** The exchange calls a function with the request, and with the arguments as its original. */
function referenceOf(reference: string | AnyCallback | undefined) {
  return typeof reference === "function"
    ? (_request: Request, values: unknown): unknown => reference(values)
    : reference;
}

/** Callbacks with and without arguments are two types to the SDK; here they are one. */
// oxlint-disable-next-line typescript/no-explicit-any -- what it stands for is checked outside
type AnyCallback = (...given: any[]) => any;

type AnyPrice = Price | AnyCallback | undefined;

/** Returns one route for all calls, or one for each where the price depends on the arguments. */
function routes(
  seller: Seller,
  price: AnyPrice,
  given: object,
): (values: unknown) => Promise<Route> {
  // An `undefined` would override the seller's default.
  const fixed = defined(given);
  if (typeof price === "function") {
    // What was bought at the lowest price would open all calls.
    if ("pass" in fixed || "balance" in fixed)
      throw new ConfigurationError("price", "fixed for a tool with a pass", '"1.00"');
    return async (values) => seller.route({ ...fixed, price: await price(values) });
  }
  const route = seller.route(price === undefined ? fixed : { ...fixed, price });
  return async () => route;
}

/** Hosts show the description, and models read it. */
const maxDescriptionChars = 300;

function wordsOf(name: string, { title, description }: { title?: string; description?: string }) {
  const text = description ?? title ?? `Tool: ${name}`;
  const isLong = text.length > maxDescriptionChars;
  return {
    description: isLong ? `${text.slice(0, maxDescriptionChars)}…` : text,
    mimeType: "application/json",
  };
}
