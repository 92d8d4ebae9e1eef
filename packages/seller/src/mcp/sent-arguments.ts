/**
 * The arguments of a tool call as the buyer sent them, to which a bound payment commits. The SDK
 * exposes only the output of the tool's schema, so its handler of `tools/call` is wrapped. Where a
 * version of the SDK keeps its handlers elsewhere, that output is used.
 */
import { isObject, member } from "@farthing/protocol";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

type Handler = (request: unknown, extra: unknown) => unknown;

const method = "tools/call";

/** By the object that the SDK creates for each call and passes to the handler and the tool. */
const sent = new WeakMap<object, unknown>();
const wrapped = new WeakSet<Handler>();

/** Remembers the arguments of a server's calls. To be called after each registration. */
export function rememberArguments({ server }: McpServer): void {
  const handlers: unknown = Reflect.get(server, "_requestHandlers");
  const handler: unknown = handlers instanceof Map ? handlers.get(method) : undefined;
  if (!(handlers instanceof Map) || !isHandler(handler) || wrapped.has(handler)) return;
  const remembering: Handler = (request, extra) => {
    if (typeof extra === "object" && extra !== null) sent.set(extra, argumentsOf(request));
    return handler(request, extra);
  };
  wrapped.add(remembering);
  handlers.set(method, remembering);
}

export function sentArguments(extra: object, fallback: unknown): unknown {
  return sent.has(extra) ? sent.get(extra) : fallback;
}

function argumentsOf(request: unknown): unknown {
  const params = isObject(request) ? member(request, "params") : undefined;
  return (isObject(params) ? member(params, "arguments") : undefined) ?? {};
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}
