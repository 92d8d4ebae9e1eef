/**
 * A node in front of a devnet that shows more blocks than the devnet has: days of downtime, whose
 * thousands of blocks the test does not use, without waiting for a devnet to make them.
 */
import { isObject } from "@farthing/protocol";
import {
  startRpcListener,
  type RpcListener,
  json,
  readRequest,
  type NodeCall,
  type NodeResponse,
  postCalls,
} from "@farthing/devnet/rpc-proxy";

/** A node at work. */
export interface SkippingNode extends RpcListener {
  /** Calls since the last reset, also those inside batches. */
  readonly calls: NodeCall[];
  /** HTTP requests since then. */
  requests: number;
  /** While set, a request waits for what it returns before it is passed on. */
  gate: ((calls: readonly NodeCall[]) => Promise<void> | undefined) | undefined;
  /** From now on the next block is so many numbers above the newest one. */
  skip(blocks: number): Promise<void>;
  reset(): void;
}

/** Starts a node in front of another one. */
export async function startSkippingNode(upstream: string): Promise<SkippingNode> {
  /** Blocks above `pivot` are shown `skipped` higher than they are. */
  let pivot = Number.POSITIVE_INFINITY;
  let skipped = 0;
  const outside = (number: number) => (number > pivot ? number + skipped : number);
  const inside = (number: number) =>
    number > pivot + skipped ? number - skipped : Math.min(number, pivot);

  /** The call as the devnet understands it; undefined when it is about skipped blocks alone. */
  function translate(call: NodeCall): NodeCall | undefined {
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
    return isEmpty ? undefined : { ...call, params };
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

  async function handle(body: string): Promise<NodeResponse> {
    const { calls, isBatch } = readRequest(body);
    node.requests++;
    node.calls.push(...calls);
    await node.gate?.(calls);
    const translated = calls.map(translate);
    const answers = await postCalls(
      upstream,
      translated.flatMap((call) => call ?? []),
    );
    const given = calls.map(({ id, method }, index) => {
      if (!translated[index]) return { jsonrpc: "2.0", id, result: [] };
      const answer = Object(answers.shift());
      const name = method === "eth_blockNumber" ? "number" : "";
      const result = "result" in answer ? { result: shown(answer.result, name) } : {};
      return { ...answer, id, ...result };
    });
    return json(200, isBatch ? given : given[0]);
  }

  const listener = await startRpcListener(handle);
  const node: SkippingNode = {
    ...listener,
    calls: [],
    requests: 0,
    gate: undefined,
    async skip(blocks) {
      const [head] = await postCalls(upstream, [{ id: 0, method: "eth_blockNumber", params: [] }]);
      pivot = Number(head?.["result"]);
      skipped = blocks;
    },
    reset() {
      node.calls.length = 0;
      node.requests = 0;
    },
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
