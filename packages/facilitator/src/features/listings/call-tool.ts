/**
 * Calls a tool of an MCP server without a payment (streamable HTTP, 2025-06-18): three requests, one
 * message each. The tool's response becomes that of an endpoint: a challenge is a 402.
 */
import { isObject, member, parseJson, type JsonObject } from "@farthing/protocol";
import type {
  OutboundRequest,
  OutboundResponse,
  RequestOutcome,
} from "../../http/outbound/guarded-request.ts";
import type { ListedTool } from "./model.ts";

export interface ToolToCall {
  readonly tool: ListedTool;
}

type Send = (
  request: Pick<OutboundRequest, "method" | "url" | "headers" | "body">,
) => Promise<RequestOutcome>;

const protocolVersion = "2025-06-18";
const sessionHeader = "mcp-session-id";

/** Longer identifiers are no identifiers. */
const sessionCharsMax = 512;

const callId = 2;

/** Never throws, as little as `send`. Ends the session that the server opened. */
export async function callTool(
  {
    resource,
    tool,
    userAgent,
  }: ToolToCall & { readonly resource: string; readonly userAgent: string },
  send: Send,
): Promise<RequestOutcome> {
  const common = {
    accept: "application/json, text/event-stream",
    "accept-encoding": "identity",
    "user-agent": userAgent,
  };
  let session: Readonly<Record<string, string>> = {};
  const post = (message: JsonObject) =>
    send({
      method: "POST",
      url: resource,
      headers: { ...common, "content-type": "application/json", ...session },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const clientInfo = { name: "listing-check", version: "1" };
  const params = { protocolVersion, capabilities: {}, clientInfo };
  const opened = await post({ id: 1, method: "initialize", params });
  if (opened.kind === "unanswered") return opened;
  const agreed = resultOf(opened, 1);
  // A server without MCP, or one that asks for something else first.
  if (!agreed) return opened.status < 300 ? unreadable : opened;
  const id = opened.headers[sessionHeader];
  const version = member(agreed, "protocolVersion");
  session = {
    "mcp-protocol-version": typeof version === "string" ? version.slice(0, 32) : protocolVersion,
    ...(id !== undefined && id.length <= sessionCharsMax ? { [sessionHeader]: id } : {}),
  };
  await post({ method: "notifications/initialized" });
  const call = { name: tool.name, arguments: tool.arguments ?? {} };
  const called = await post({ id: callId, method: "tools/call", params: call });
  if (id !== undefined) {
    await send({ method: "DELETE", url: resource, headers: { ...common, ...session } });
  }
  return called.kind === "unanswered" ? called : asEndpoint(called);
}

/** The tool's response as the response of an endpoint. */
function asEndpoint(called: OutboundResponse): OutboundResponse {
  if (called.status >= 300) return called;
  const message = messageOf(called, callId);
  if (!message) return unreadable;
  const result = member(message, "result");
  // Unknown tools and wrong arguments are errors of the protocol.
  if (!isObject(result)) return { ...unreadable, status: 422 };
  if (member(result, "isError") !== true) return { ...unreadable, status: 200 };
  const challenge = challengeIn(result);
  return challenge
    ? { ...unreadable, body: JSON.stringify(challenge) }
    : { ...unreadable, status: 422 };
}

/** A 402 without a challenge. */
const unreadable: OutboundResponse = { kind: "answered", status: 402, headers: {}, body: "" };

/** The transport of x402 for MCP has the challenge in the structured content, and in the text. */
function challengeIn(result: JsonObject): JsonObject | undefined {
  const content = member(result, "content");
  const [first]: readonly unknown[] = Array.isArray(content) ? content : [];
  const text = isObject(first) ? parseJson(member(first, "text"))?.value : undefined;
  return [member(result, "structuredContent"), text]
    .filter(isObject)
    .find((one) => Array.isArray(member(one, "accepts")));
}

function resultOf(response: OutboundResponse, id: number): JsonObject | undefined {
  const message = messageOf(response, id);
  const result = message && member(message, "result");
  return isObject(result) ? result : undefined;
}

/** Reads the message with an id, from JSON or from the events of a stream. */
function messageOf({ headers, body = "" }: OutboundResponse, id: number): JsonObject | undefined {
  const isStream = (headers["content-type"] ?? "").startsWith("text/event-stream");
  const texts = isStream ? eventsOf(body) : [body];
  return texts
    .map((text) => parseJson(text)?.value)
    .filter(isObject)
    .find((message) => member(message, "id") === id);
}

function eventsOf(body: string): readonly string[] {
  return body.split(/\r?\n\r?\n/).map((event) =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice("data:".length).trimStart())
      .join("\n"),
  );
}
