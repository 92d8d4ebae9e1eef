/**
 * Pay for the tools of MCP servers, by the rules of `wrapFetch`: limits, one signature for one
 * logical call, the same payment again until the outcome is known, `ambiguous` never called failed.
 */
import { canonicalJson } from "@farthing/protocol";
import { McpError, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { isLoopback } from "../offer/check-offer.ts";
import { readToolAnswer, toolFetch, type ToolClient } from "./tool-fetch.ts";
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
  type QuoteAnswer,
} from "../wrap-fetch.ts";

export type { ToolClient } from "./tool-fetch.ts";

/** How to pay, and whom. */
export interface PayingClientOptions extends BuyerOptions {
  /**
   * Where the client is connected: the address of a server over HTTP, or a name of your own for a
   * program that is spoken to over stdio, such as `weather`. Payees are remembered under it, and
   * `allow.hosts` lists its host or that name.
   */
  readonly server: string;
}

/** A call of a tool. */
export interface PaidToolCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** The logical call: with the same id a repeat never signs a second payment. */
  readonly payment?: CallTerms;
}

/** A result, and what happened to its payment. */
export type PaidToolResult = CallToolResult & { readonly payment: PaymentSummary };

/** A client that pays for tools. */
export interface PayingClient {
  /**
   * Calls a tool and pays for it when it asks for money. Rejects as `wrapFetch` does, and with the
   * server's McpError when it answers an unpaid call with one.
   */
  callTool(call: PaidToolCall): Promise<PaidToolResult>;
  /** Asks for the price: calls the tool unpaid and signs nothing. A free tool does its work. */
  quote(call: PaidToolCall): Promise<QuoteAnswer>;
  /** Sends the payment of an earlier call again, as the ledger has kept it. */
  resume(requestId: string): Promise<PaidToolResult>;
  /** Finds outcomes by the chain, see `wrapFetch`. */
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
    callTool: async (call) => resultOf(await pay(...requestOf(base, call))),
    quote: (call) => pay.quote(...requestOf(base, call)),
    resume: async (requestId) => resultOf(await pay.resume(requestId)),
    reconcile: pay.reconcile,
  };
}

/** Names of servers over stdio: nothing that could pass for the host of another. */
const serverName = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The address under which the tools of a server are paid, without a slash at the end. */
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

function requestOf(base: string, call: PaidToolCall): [string, PayingInit] {
  const { name, payment, signal } = call;
  return [
    `${base}/${encodeURIComponent(name)}`,
    {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      // In one order of keys, so that the same call is the same request.
      body: canonicalJson(call.arguments ?? {}),
      ...(signal === undefined ? {} : { signal }),
      ...(payment === undefined ? {} : { payment }),
    },
  ];
}

async function resultOf(response: PaidResponse): Promise<PaidToolResult> {
  const { payment } = response;
  const said = readToolAnswer(await response.json());
  if ("result" in said) return { ...said.result, payment };
  const { code, message, data } = said.failure;
  const error = McpError.fromError(code, message, data);
  if (payment.state === "not_required" || payment.problem === undefined) throw error;
  throw new UnansweredPaymentError(payment.problem, payment, error);
}
