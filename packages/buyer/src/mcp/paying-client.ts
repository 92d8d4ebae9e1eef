/** Pays for the tools of MCP servers by the rules of `wrapFetch`. @packageDocumentation */
import { defined, canonicalJson, type Hex } from "@farthing/protocol";
import { McpError, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { isLoopback } from "@farthing/protocol";
import type { ChannelRefund, RefundRequest } from "../channels/refund-channel.ts";
import { PaymentError } from "../payment-error.ts";
import { readToolResponse, toolFetch, type ToolClient } from "./tool-fetch.ts";
import {
  UnansweredPaymentError,
  type PaidResponse,
  type PaymentSummary,
} from "../payment-summary.ts";
import {
  wrapFetch,
  type BuyerOptions,
  type CallTerms,
  type PayingFetch,
  type PayingInit,
  type QuoteResponse,
} from "../wrap-fetch.ts";

export type { ToolClient } from "./tool-fetch.ts";

export interface PayingClientOptions extends BuyerOptions {
  /**
   * The server's HTTP address, or a name of your own for a program over stdio, such as `weather`.
   * Payees are remembered under it, and `allow.hosts` lists its host or that name.
   */
  readonly server: string;
}

export interface PaidToolCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** The logical call: repeating it with the same id never signs a second payment. */
  readonly payment?: CallTerms;
}

/** Arguments that the tool takes; it does no work for them. */
export interface ToolRefund
  extends Pick<PaidToolCall, "name" | "arguments">, Pick<RefundRequest, "amountUnits"> {}

/** A result and its payment. */
export type PaidToolResult = CallToolResult & { readonly payment: PaymentSummary };

export interface PayingClient {
  /** Rejects as `wrapFetch` does, and with the server's McpError to an unpaid call. */
  callTool(call: PaidToolCall): Promise<PaidToolResult>;
  /** Calls the tool unpaid and signs nothing. A free tool does its work. */
  quote(call: PaidToolCall): Promise<QuoteResponse>;
  /** Sends the payment of an earlier call again, as the ledger has kept it. */
  resume(requestId: string): Promise<PaidToolResult>;
  /** Channels that tools are paid over, by the policy of the option `channels`. */
  readonly channels: {
    readonly list: PayingFetch["channels"]["list"];
    /** Asks the server to send back what is left, by a call of a tool that offers the channel. */
    refund(channelId: Hex, call: ToolRefund): Promise<ChannelRefund>;
  };
  /** Resolves outcomes by the chain, see `wrapFetch`. */
  readonly reconcile: PayingFetch["reconcile"];
}

/**
 * Makes a connected client of the SDK pay. Throws a TypeError for options that make no sense.
 *
 * @example
 * const client = new Client({ name: "agent", version: "1" });
 * await client.connect(new StreamableHTTPClientTransport(new URL(server)));
 * const { callTool } = payingClient(client, { server, signer, limits: { perDay: "1" } });
 * const result = await callTool({ name: "forecast", arguments: { city: "Paris" } });
 */
export function payingClient(client: ToolClient, options: PayingClientOptions): PayingClient {
  const { server, ...rest } = options;
  const base = toolsAddress(server);
  const pay = wrapFetch(toolFetch(client, base, fetch, rest.answerTimeoutMs), rest);
  return {
    channels: {
      list: pay.channels.list,
      refund(channelId, { name, arguments: given, ...request }) {
        const url = addressOf(base, name);
        return pay.channels.refund(channelId, {
          ...request,
          url,
          body: canonicalJson(given ?? {}),
        });
      },
    },
    callTool: async (call) => resultOf(await pay(...requestOf(base, call))),
    quote: (call) => pay.quote(...requestOf(base, call)),
    resume: async (requestId) => resultOf(await pay.resume(requestId)),
    reconcile: pay.reconcile,
  };
}

/** A name over stdio must not look like another server's host. */
const serverName = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The address of a server's tools, without a slash at the end. */
function toolsAddress(server: string): string {
  if (serverName.test(server)) return `mcp://${server}/tools`;
  const url = URL.canParse(server) ? new URL(server) : undefined;
  const isSafe =
    url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (url && isSafe) return `mcp://${url.host}${url.pathname.replace(/\/+$/, "")}/tools`;
  throw new TypeError(
    "server is the https address of an MCP server (plain http on this machine only), or a name of lower-case letters, digits and dashes.",
  );
}

function addressOf(base: string, tool: string): string {
  return `${base}/${encodeURIComponent(tool)}`;
}

function requestOf(base: string, call: PaidToolCall): [string, PayingInit] {
  const { name, payment, signal } = call;
  return [
    addressOf(base, name),
    {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      // With sorted keys, so that the same call is the same request.
      body: canonicalJson(call.arguments ?? {}),
      ...defined({ signal, payment }),
    },
  ];
}

async function resultOf(response: PaidResponse): Promise<PaidToolResult> {
  const { payment } = response;
  const said = readToolResponse(await response.json());
  if ("result" in said) return { ...said.result, payment };
  const { code, message, data } = said.failure;
  const error = McpError.fromError(code, message, data);
  if (payment.state === "not_required" || payment.problem === undefined) throw error;
  if ("channelId" in payment) throw new PaymentError(payment.problem, payment.requestId, error);
  throw new UnansweredPaymentError(payment.problem, payment, error);
}
