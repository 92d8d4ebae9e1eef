/** A JSON-RPC proxy in front of a devnet: counts what is asked, and lies or fails when told to. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { isObject } from "@farthing/protocol";

/** One call as it came. */
export interface ProxiedCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What happens to a call; undefined lets it pass. */
export type Reaction =
  /** Answered here; the chain never sees it. */
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  /** Passed on, and the answer changed on its way back. */
  | { readonly rewrite: (result: unknown) => unknown }
  /** Passed on with its whole request, and the answer never arrives. */
  | "lose"
  /** The whole request is answered with HTTP 503. */
  | "down";

/** A proxy at work. */
export interface RpcProxy {
  readonly url: string;
  /** HTTP requests. */
  requests: number;
  /** Calls, also those inside batches. */
  readonly calls: ProxiedCall[];
  /** Set it to interfere. */
  react: (call: ProxiedCall) => Reaction | undefined;
  /** While set, answers wait for it. */
  gate: Promise<void> | undefined;
  /**
   * While set, every request waits for it twice: before it is passed on, and with the node's
   * results before they are.
   */
  step:
    | ((
        side: "before" | "after",
        calls: readonly ProxiedCall[],
        results: readonly unknown[],
      ) => Promise<void>)
    | undefined;
  countOf(method: string): number;
  /** Forgets what was counted. */
  reset(): void;
  stop(): Promise<void>;
}

/** Starts a proxy in front of a node. */
export async function startRpcProxy(upstream: string): Promise<RpcProxy> {
  const server = createServer((request, response) => {
    handle(proxy, upstream, request, response).catch(() => response.destroy());
  });
  // A connection that is closed just when it is used again would be a fault that nobody ordered.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${address.port}`,
    requests: 0,
    calls: [],
    react: () => undefined,
    gate: undefined,
    step: undefined,
    countOf: (method) => proxy.calls.filter((call) => call.method === method).length,
    reset: () => {
      proxy.requests = 0;
      proxy.calls.length = 0;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

async function handle(
  proxy: RpcProxy,
  upstream: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await json(request);
  const calls = (Array.isArray(body) ? body : [body]).map(readCall);
  proxy.requests++;
  proxy.calls.push(...calls);
  const reactions = calls.map((call) => proxy.react(call));
  if (reactions.includes("down")) {
    response.writeHead(503).end("no backend");
    return;
  }
  await proxy.step?.("before", calls, []);
  const answers = await ask(upstream, calls, reactions);
  await proxy.step?.("after", calls, answers.map(resultOf));
  await proxy.gate;
  if (reactions.includes("lose")) {
    response.destroy();
    return;
  }
  const text = JSON.stringify(Array.isArray(body) ? answers : answers[0]);
  response.writeHead(200, { "content-type": "application/json" }).end(text);
}

/** What was answered, without the number that the question happened to have. */
function resultOf(answer: unknown): unknown {
  return isObject(answer) ? (answer["result"] ?? answer["error"]) : answer;
}

async function ask(
  upstream: string,
  calls: readonly ProxiedCall[],
  reactions: readonly (Reaction | undefined)[],
): Promise<unknown[]> {
  const isAnswered = (reaction: Reaction | undefined) =>
    typeof reaction === "object" && !("rewrite" in reaction);
  const passed = calls.filter((_, index) => !isAnswered(reactions[index]));
  const fromNode = new Map((await pass(upstream, passed)).map((answer) => [answer["id"], answer]));
  return calls.map(({ id }, index) => {
    const reaction = reactions[index];
    if (typeof reaction !== "object") return fromNode.get(id);
    if (!("rewrite" in reaction)) return { jsonrpc: "2.0", id, ...reaction };
    const answer = fromNode.get(id);
    return { ...answer, result: reaction.rewrite(answer?.["result"]) };
  });
}

async function pass(upstream: string, calls: readonly ProxiedCall[]) {
  if (calls.length === 0) return [];
  const response = await fetch(upstream, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(calls.map((call) => ({ jsonrpc: "2.0", ...call }))),
  });
  const answers: unknown = await response.json();
  return Array.isArray(answers) ? answers.filter(isObject) : [];
}

function readCall(value: unknown): ProxiedCall {
  if (!isObject(value) || typeof value["method"] !== "string") throw new Error("no JSON-RPC call");
  const { id, method, params } = value;
  return { id, method, params: Array.isArray(params) ? params : [] };
}
