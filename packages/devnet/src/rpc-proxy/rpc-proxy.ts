/** A JSON-RPC proxy in front of a devnet: counts what is asked, and lies or fails when told to. */
import { isObject } from "@farthing/protocol";
import { startRpcListener, type RpcListener } from "./listener.ts";
import { json, readRequest, type NodeCall, type NodeResponse } from "./messages.ts";
import { postCalls } from "./upstream.ts";

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
export interface RpcProxy extends RpcListener {
  /** HTTP requests. */
  requests: number;
  /** Calls, also those inside batches. */
  readonly calls: NodeCall[];
  /** Set it to interfere. */
  react: (call: NodeCall) => Reaction | undefined;
  /** While set, answers wait for it. */
  gate: Promise<void> | undefined;
  /**
   * While set, every request waits for it twice: before it is passed on, and with the node's
   * results before they are.
   */
  step:
    | ((
        side: "before" | "after",
        calls: readonly NodeCall[],
        results: readonly unknown[],
      ) => Promise<void>)
    | undefined;
  countOf(method: string): number;
  /** Forgets what was counted. */
  reset(): void;
}

/** Starts a proxy in front of a node. */
export async function startRpcProxy(upstream: string): Promise<RpcProxy> {
  const listener = await startRpcListener((body) => handle(proxy, upstream, body));
  const proxy: RpcProxy = {
    ...listener,
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
  };
  return proxy;
}

async function handle(
  proxy: RpcProxy,
  upstream: string,
  body: string,
): Promise<NodeResponse | undefined> {
  const { calls, isBatch } = readRequest(body);
  proxy.requests++;
  proxy.calls.push(...calls);
  const reactions = calls.map((call) => proxy.react(call));
  if (reactions.includes("down")) return { status: 503, headers: {}, body: "no backend" };
  await proxy.step?.("before", calls, []);
  const answers = await ask(upstream, calls, reactions);
  await proxy.step?.("after", calls, answers.map(resultOf));
  await proxy.gate;
  if (reactions.includes("lose")) return undefined;
  return json(200, isBatch ? answers : answers[0]);
}

/** The result or the error of an answer, without the number of its request. */
function resultOf(answer: unknown): unknown {
  return isObject(answer) ? (answer["result"] ?? answer["error"]) : answer;
}

async function ask(
  upstream: string,
  calls: readonly NodeCall[],
  reactions: readonly (Reaction | undefined)[],
): Promise<unknown[]> {
  const isPassed = (reaction: Reaction | undefined) =>
    typeof reaction !== "object" || "rewrite" in reaction;
  const passed = calls.filter((_, index) => isPassed(reactions[index]));
  const answers = await postCalls(upstream, passed);
  return calls.map(({ id }, index) => {
    const reaction = reactions[index];
    if (!isPassed(reaction)) return { jsonrpc: "2.0", id, ...Object(reaction) };
    const answer = answers.shift();
    if (typeof reaction !== "object" || !("rewrite" in reaction))
      return answer && { ...answer, id };
    return { ...answer, id, result: reaction.rewrite(answer?.["result"]) };
  });
}
