/**
 * One node as a facilitator meets it: its own head, which may lag, and its own pool with the rules
 * of XDPoSChain v2.7.0, of which anvil has none. Answers for blocks it has not seen as such a node
 * would.
 */
import { RpcError, type Devnet } from "@farthing/devnet";
import type { PoolTransaction } from "@farthing/lab/ordinary-node";
import { isHexBytes, isObject, parseWireAddress, type Address, type Hex } from "@farthing/protocol";
import { finalDepth } from "@farthing/lab/audit";
import { refuse, type NodeCall, type NodeReply } from "@farthing/lab/json-rpc";
import { hexOf, type ReplacedBlock } from "./block-maker.ts";
import {
  createNodePool,
  defaultRules,
  type NodePool,
  type NodePoolDeps,
  type NodeRules,
} from "./node-pool.ts";
import { short } from "./trace.ts";

/** A node. */
export interface NodeView {
  readonly index: number;
  readonly rules: NodeRules;
  /** Blocks that it is behind; may change at any time. */
  lag: number;
  /** `extraLag`: another, older node behind the same address answers. */
  answer(request: NodeCall, extraLag: number): Promise<NodeReply>;
  /** Hears of a transaction from another node. */
  hear(transaction: PoolTransaction): Promise<void>;
  /** Shows replaced blocks as its newest ones, until the head is at `untilHead`. */
  believe(replaced: readonly ReplacedBlock[], untilHead: number): void;
  /** Its pool is empty afterwards. */
  restart(): void;
}

/** What a node is made with. */
export interface NodeViewDeps extends Omit<NodePoolDeps, "rules" | "publish"> {
  others(): readonly NodeView[];
  /** Called with each block whose header the node gives. */
  onHeader(block: number): void;
}

/** Replaced blocks that a node still takes for the newest ones. */
interface Belief {
  readonly replaced: readonly ReplacedBlock[];
  readonly untilHead: number;
}

/** Creates a node. */
export function createNodeView(options: NodeViewDeps): NodeView {
  const { index, world, trace, observedFaults } = options;
  const rules: NodeRules = { ...defaultRules };
  const pool = createNodePool({
    ...options,
    rules,
    publish(transaction) {
      for (const other of options.others()) {
        const noteError = (error: unknown) => trace.note(`node ${other.index}: ${String(error)}`);
        other.hear(transaction).catch(noteError);
      }
    },
  });
  let believed: Belief | undefined;

  const headWith = (extraLag: number) => Math.max(1, world.head() - view.lag - extraLag);

  async function read(request: NodeCall, head: number): Promise<NodeReply> {
    const { method } = request;
    const params = [...request.params];
    const place = blockPlaces[method];
    if (place !== undefined) {
      const number = numberOf(params[place] ?? "latest", head);
      if (number === undefined) return refuse(-32_000, "invalid argument: unknown block tag");
      if (number > head) {
        return method === "eth_getBlockByNumber"
          ? { result: null }
          : refuse(-32_000, "header not found");
      }
      params[place] = hexOf(number);
    }
    if (method === "eth_getTransactionCount" && request.params[1] === "pending") {
      return { result: hexOf(await pool.nextNonce(addressOf(params[0]), head)) };
    }
    if (method === "eth_getLogs") return readLogs(options, params[0], head);
    const reply = seenBy({ head, pool }, method, params, await pass(world.devnet, method, params));
    // A facilitator that sees it sends nothing that the pool would refuse for it.
    const isEmpty = method === "eth_getBalance" && "result" in reply && reply.result === "0x0";
    if (isEmpty) observedFaults.note("wallet: out of gas money");
    const isHeader = method === "eth_getBlockByNumber" && "result" in reply;
    if (!isHeader) return reply;
    if (isObject(reply.result)) options.onHeader(Number(reply.result["number"]));
    return { result: world.headerWith(reply.result) };
  }

  const view: NodeView = {
    index,
    rules,
    lag: 0,
    async answer(request, extraLag) {
      await world.still();
      if (believed && world.head() >= believed.untilHead) believed = undefined;
      const known = believed && (await answerFromBelief(request, believed));
      if (known) observedFaults.note("reorg: not heard of");
      if (known) return known;
      const fork = believed?.replaced[0]?.number;
      const head = Math.min(headWith(extraLag), (fork ?? Infinity) - 1);
      if (view.lag > 0) observedFaults.note("lag: behind");
      switch (request.method) {
        case "eth_sendRawTransaction":
          return pool.submit(hexBytesOf(request.params[0]), head);
        case "eth_blockNumber":
          return { result: hexOf(head) };
        case "eth_gasPrice":
          return { result: `0x${world.priceAt(head).toString(16)}` };
        default:
          return read(request, head);
      }
    },
    hear: (transaction) => pool.hear(transaction, headWith(0)),
    believe(replaced, untilHead) {
      trace.note(`node ${index}: has not heard of the reorganisation`);
      believed = { replaced, untilHead };
    },
    restart: () => pool.clear(),
  };

  return view;
}

/** Answers about replaced blocks; about older ones and state the node agrees with the others. */
async function answerFromBelief(
  { method, params }: NodeCall,
  { replaced }: Belief,
): Promise<NodeReply | undefined> {
  const top = replaced.at(-1)?.number ?? 0;
  if (method === "eth_blockNumber") return { result: hexOf(top) };
  const asked = method === "eth_getBlockByNumber" ? numberOf(params[0], top) : undefined;
  if (asked !== undefined && asked > top) return { result: null };
  const block = replaced.find(({ number }) => number === asked);
  if (block) return { result: block.header };
  const filter = params[0];
  if (method !== "eth_getLogs" || !isObject(filter)) return undefined;
  const logged = replaced.find(({ hash }) => hash === filter["blockHash"]);
  return logged && { result: logged.logs.filter((log) => isWanted(log, filter["topics"])) };
}

async function readLogs(
  { index, world, trace }: NodeViewDeps,
  filter: unknown,
  head: number,
): Promise<NodeReply> {
  const wanted: Record<string, unknown> = isObject(filter) ? { ...filter } : {};
  if (typeof wanted["blockHash"] === "string") {
    const number = world.blockOf(wanted["blockHash"]);
    if (number === undefined || number > head) {
      trace.note(`node ${index}: no block ${short(wanted["blockHash"])}, ${number} of ${head}`);
      return refuse(-32_000, "unknown block");
    }
  } else {
    const from = numberOf(wanted["fromBlock"] ?? "latest", head) ?? head;
    if (from > head) return { result: [] };
    const to = numberOf(wanted["toBlock"] ?? "latest", head) ?? head;
    wanted["fromBlock"] = hexOf(from);
    wanted["toBlock"] = hexOf(Math.min(to, head));
  }
  return pass(world.devnet, "eth_getLogs", [wanted]);
}

async function pass({ rpc }: Devnet, method: string, params: unknown[]): Promise<NodeReply> {
  try {
    return { result: await rpc(method, params) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message, data } = error;
    // The devnet's client puts the method before the node's own words.
    const words = message.replace(`${method}: `, "");
    return { error: { code, message: words, ...(data ? { data } : {}) } };
  }
}

/** What a node has not seen yet does not exist for it; it may still wait in its pool. */
function seenBy(
  { head, pool }: { readonly head: number; readonly pool: Pick<NodePool, "find"> },
  method: string,
  params: unknown[],
  reply: NodeReply,
): NodeReply {
  if (!/^eth_getTransaction(Receipt|ByHash)$/.test(method) || !("result" in reply)) return reply;
  const isSeen = isObject(reply.result) && Number(reply.result["blockNumber"] ?? 0) <= head;
  if (isSeen) return reply;
  const waits = pool.find(params[0]);
  const isPending = waits !== undefined && method === "eth_getTransactionByHash";
  return { result: isPending ? pendingOf(waits) : null };
}

/** A transaction in a pool, as a node shows it. */
function pendingOf({ hash, from, to, nonce, data, gasPrice }: PoolTransaction) {
  const at = { blockHash: null, blockNumber: null, transactionIndex: null };
  return {
    hash,
    from,
    to,
    nonce: hexOf(nonce),
    input: data,
    gasPrice: `0x${gasPrice.toString(16)}`,
    ...at,
  };
}

/** Where the block stands among a method's parameters. */
const blockPlaces: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_call: 1,
  eth_estimateGas: 1,
};

/** The block a tag means to a node with this head; undefined for a tag that XDC does not know. */
function numberOf(tag: unknown, head: number): number | undefined {
  if (tag === "latest" || tag === "pending") return head;
  if (tag === "finalized" || tag === "committed") return Math.max(0, head - finalDepth);
  if (tag === "earliest") return 0;
  return typeof tag === "string" && /^0x[0-9a-f]+$/i.test(tag) ? Number(tag) : undefined;
}

/** Whether a log's first topic is among those of a filter. */
function isWanted(log: unknown, topics: unknown): boolean {
  const wanted: unknown = Array.isArray(topics) ? topics[0] : undefined;
  const own: unknown = isObject(log) && Array.isArray(log["topics"]) ? log["topics"][0] : undefined;
  return wanted === undefined || (Array.isArray(wanted) ? wanted.includes(own) : wanted === own);
}

function addressOf(value: unknown): Address {
  return parseWireAddress(value) ?? noAddress;
}

const noAddress: Address = "0x0000000000000000000000000000000000000000";

/** Longest signed bytes that are looked at: above what the pool takes. */
const maxRawChars = 1 << 18;

function hexBytesOf(value: unknown): Hex {
  return isHexBytes(value, maxRawChars) ? value : "0x";
}
