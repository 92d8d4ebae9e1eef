/**
 * A node in front of a devnet that shows more blocks than the devnet has: days of downtime, whose
 * thousands of blocks nobody of the test uses, without waiting for a devnet to make them.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { isObject } from "@farthing/protocol";

/** One call as it came. */
export interface SeenCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A node at work. */
export interface SkippingNode {
  readonly url: string;
  /** Calls since the last reset, also those inside batches. */
  readonly calls: SeenCall[];
  /** HTTP requests since then. */
  requests: number;
  /** While set, a request waits for what it returns before it is passed on. */
  gate: ((calls: readonly SeenCall[]) => Promise<void> | undefined) | undefined;
  /** From now on the next block is so many numbers above the newest one. */
  skip(blocks: number): Promise<void>;
  reset(): void;
  stop(): Promise<void>;
}

/** Starts a node in front of another one. */
export async function startSkippingNode(upstream: string): Promise<SkippingNode> {
  /** Blocks above `pivot` are shown `skipped` higher than they are. */
  let pivot = Number.POSITIVE_INFINITY;
  let skipped = 0;
  const outside = (number: number) => (number > pivot ? number + skipped : number);
  const inside = (number: number) =>
    number > pivot + skipped ? number - skipped : Math.min(number, pivot);

  async function ask(body: unknown): Promise<unknown> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(upstream, { method: "POST", headers, body: JSON.stringify(body) });
    return response.json();
  }

  /** The question as the devnet understands it; undefined when it is about skipped blocks alone. */
  function translate(call: SeenCall & { readonly id: unknown }) {
    const params = call.params.map((param) => {
      if (isNumber(param)) return hex(inside(Number(param)));
      if (!isObject(param) || call.method !== "eth_getLogs") return param;
      const { fromBlock, toBlock } = param;
      // A range that begins among the skipped blocks begins with the first one after them.
      const from = Number(fromBlock);
      const start = from > pivot ? Math.max(inside(from), pivot + 1) : from;
      return {
        ...param,
        ...(isNumber(fromBlock) ? { fromBlock: hex(start) } : {}),
        ...(isNumber(toBlock) ? { toBlock: hex(inside(Number(toBlock))) } : {}),
      };
    });
    const [filter] = params;
    const isEmpty =
      isObject(filter) &&
      isNumber(filter["fromBlock"]) &&
      isNumber(filter["toBlock"]) &&
      Number(filter["fromBlock"]) > Number(filter["toBlock"]);
    return isEmpty ? undefined : { jsonrpc: "2.0", id: call.id, method: call.method, params };
  }

  function shown(value: unknown, name = ""): unknown {
    if (Array.isArray(value)) return value.map((one) => shown(one, name));
    if (isObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [key, shown(member, key)]),
      );
    }
    const isPlace = name === "blockNumber" || name === "number";
    return isPlace && isNumber(value) ? hex(outside(Number(value))) : value;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await json(request);
    const calls = (Array.isArray(body) ? body : [body]).map(readCall);
    node.requests++;
    node.calls.push(...calls);
    await node.gate?.(calls);
    const passed = calls.map((call) => ({ call, asked: translate(call) }));
    const asked = passed.flatMap((one) => one.asked ?? []);
    const answers = asked.length > 0 ? await ask(asked) : [];
    const byId = new Map(
      (Array.isArray(answers) ? answers : []).map((answer) => [Object(answer).id, answer]),
    );
    const given = passed.map(({ call: { id, method }, asked: sent }) => {
      if (!sent) return { jsonrpc: "2.0", id, result: [] };
      const answer = Object(byId.get(id));
      const name = method === "eth_blockNumber" ? "number" : "";
      return { ...answer, ...("result" in answer ? { result: shown(answer.result, name) } : {}) };
    });
    const text = JSON.stringify(Array.isArray(body) ? given : given[0]);
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the node has no port");
  const node: SkippingNode = {
    url: `http://127.0.0.1:${address.port}`,
    calls: [],
    requests: 0,
    gate: undefined,
    async skip(blocks) {
      const question = { jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] };
      pivot = Number(Object(await ask(question)).result);
      skipped = blocks;
    },
    reset() {
      node.calls.length = 0;
      node.requests = 0;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return node;
}

/** Whether a value is a block's number; hashes, addresses and calldata are longer. */
function isNumber(value: unknown): boolean {
  return typeof value === "string" && /^0x[0-9a-f]{1,9}$/.test(value);
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

function readCall(value: unknown): SeenCall & { readonly id: unknown } {
  if (!isObject(value)) throw new Error("no JSON-RPC call");
  const { id, method, params } = value;
  return { id, method: String(method), params: Array.isArray(params) ? params : [] };
}
