/**
 * One node as a facilitator meets it: its own head, which may lag, and its own pool with the rules
 * of XDPoSChain v2.7.0, of which anvil has none. Answers for blocks it has not seen as such a node
 * would.
 */
import { RpcError } from "@farthing/devnet";
import {
  feeCapDefault,
  readTransaction,
  refuseTransaction,
  type PoolTransaction,
} from "@farthing/lab/ordinary-node";
import { isHexBytes, isObject, parseWireAddress, type Address, type Hex } from "@farthing/protocol";
import type { ObservedFaultKind, ObservedFaults } from "./observed-faults.ts";
import { finalDepth, hexOf, short, type GoneBlock, type World } from "./chain-world.ts";
import type { Trace } from "./trace.ts";

/** A JSON-RPC call. */
export interface RpcRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a node says to it. */
export type RpcReply =
  | { readonly result: unknown }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

/** What becomes of a transaction that a node took. */
export interface TransactionFate {
  /** Late: blocks until it may be mined. */
  readonly lateBlocks: number;
  /** The node forgets it at once, and tells nobody. */
  readonly isDropped: boolean;
  /** The node keeps it to itself for so many blocks. */
  readonly keptBlocks: number;
}

/** What a node's operator has set. */
export interface NodeRules {
  /** Wei that gas limit times price may come to. */
  feeCapWei: bigint;
  /** Whether its pool takes no more. */
  isFull: boolean;
}

/** A transaction that reached a node, and what the node said. */
export interface Sighting {
  readonly hash: Hex;
  readonly from: Address;
  readonly nonce: number;
  /** The chain's head then. */
  readonly atBlock: number;
  /** Undefined when the node took it. */
  readonly refusal: string | undefined;
}

/** A node. */
export interface NodeView {
  readonly index: number;
  readonly rules: NodeRules;
  /** Blocks that it is behind; may change at any time. */
  lag: number;
  /** `extraLag`: another, older node behind the same address answers. */
  answer(request: RpcRequest, extraLag: number): Promise<RpcReply>;
  /** Hears of a transaction from another node. */
  hear(transaction: PoolTransaction): Promise<void>;
  /** Shows blocks that are gone, as its newest ones, until the head is at `untilHead`. */
  believe(gone: readonly GoneBlock[], untilHead: number): void;
  /** Its pool is empty afterwards. */
  restart(): void;
}

const keyOf = (from: Address, nonce: number) => `${from}:${nonce}`;

/** What a refusal is counted as, by its words. */
const kindsOfRefusals: readonly (readonly [string, ObservedFaultKind])[] = [
  ["under min gas price", "rules: under the minimum price"],
  ["exceeds the configured cap", "rules: over the fee cap"],
  ["txpool is full", "rules: pool full"],
  ["nonce too high", "rush: nonce too high"],
  ["replacement transaction underpriced", "stranger: replacement underpriced"],
  ["insufficient funds", "wallet: out of gas money"],
];

/** What a node is made with. */
export interface NodeDeps {
  readonly index: number;
  readonly world: World;
  readonly trace: Trace;
  readonly observedFaults: ObservedFaults;
  /** Asked for each transaction that it takes. */
  drawFate(transaction: PoolTransaction): TransactionFate;
  others(): readonly NodeView[];
  /** Told of every transaction that is sent to it. */
  onSeen(sighting: Sighting): void;
}

/** Creates a node. */
export function createNodeView(options: NodeDeps): NodeView {
  const { index, world, trace, observedFaults } = options;
  const { rpc } = world.devnet;
  const pool = new Map<string, PoolTransaction>();
  world.onLost(({ from, nonce, hash }) => {
    if (pool.get(keyOf(from, nonce))?.hash === hash) pool.delete(keyOf(from, nonce));
  });

  let believed: { readonly gone: readonly GoneBlock[]; readonly untilHead: number } | undefined;

  const headWith = (extraLag: number) => Math.max(1, world.head() - view.lag - extraLag);

  async function countAt(wallet: Address, head: number): Promise<number> {
    return Number(await rpc<Hex>("eth_getTransactionCount", [wallet, hexOf(head)]));
  }

  /** What its pool holds next: the count of its head and what follows without a gap. */
  async function poolNonce(wallet: Address, head: number): Promise<number> {
    let next = await countAt(wallet, head);
    while (pool.has(keyOf(wallet, next))) next++;
    return next;
  }

  /** What its head has in blocks is not in its pool any more. */
  function forgetMined(wallet: Address, count: number): void {
    for (const [key, { from, nonce }] of pool) {
      if (from === wallet && nonce < count) pool.delete(key);
    }
  }

  async function refusalOf(tx: PoolTransaction, head: number): Promise<string | undefined> {
    const count = await countAt(tx.from, head);
    forgetMined(tx.from, count);
    const { feeCapWei, isFull } = view.rules;
    return refuseTransaction(
      tx,
      {
        transactionCount: count,
        poolNonce: await poolNonce(tx.from, head),
        balanceWei: BigInt(await rpc<Hex>("eth_getBalance", [tx.from, hexOf(head)])),
        sameNonce: pool.get(keyOf(tx.from, tx.nonce)),
        isFull,
      },
      { feeCapWei, minGasPriceWei: world.priceAt(head) },
    );
  }

  async function take(raw: Hex, head: number): Promise<RpcReply> {
    const tx = readTransaction(raw);
    if (!tx) return refused("rlp: value size exceeds available input length");
    const refusal = await refusalOf(tx, head);
    trace.note(`node ${index}: nonce ${tx.nonce} ${short(tx.hash)} ${refusal ?? "taken"}`);
    const { hash, from, nonce } = tx;
    options.onSeen({ hash, from, nonce, atBlock: world.head(), refusal });
    if (refusal !== undefined) {
      for (const [words, kind] of kindsOfRefusals)
        if (refusal.includes(words)) observedFaults.note(kind);
      return refused(refusal);
    }
    const fate = options.drawFate(tx);
    noteFate(fate);
    if (!fate.isDropped) pool.set(keyOf(tx.from, tx.nonce), tx);
    tell(tx, fate);
    return { result: tx.hash };
  }

  function noteFate({ isDropped, lateBlocks, keptBlocks }: TransactionFate): void {
    if (isDropped) observedFaults.note("pool: dropped");
    else if (keptBlocks > 0) observedFaults.note("pool: kept");
    else if (lateBlocks > 0) observedFaults.note("pool: late");
  }

  function tell(tx: PoolTransaction, fate: TransactionFate): void {
    if (fate.isDropped) return trace.note(`node ${index}: forgets nonce ${tx.nonce}`);
    if (fate.keptBlocks > 0) trace.note(`node ${index}: keeps nonce ${tx.nonce} to itself`);
    world.offer(tx, world.head() + 1 + fate.lateBlocks + fate.keptBlocks);
    if (fate.keptBlocks > 0) return;
    for (const other of options.others())
      other.hear(tx).catch((error: unknown) => trace.note(`node ${other.index}: ${String(error)}`));
  }

  async function read(request: RpcRequest, head: number): Promise<RpcReply> {
    const { method } = request;
    const params = [...request.params];
    const place = blockPlaces[method];
    if (place !== undefined) {
      const number = numberOf(params[place] ?? "latest", head);
      if (number === undefined) return refused("invalid argument: unknown block tag");
      if (number > head) {
        return method === "eth_getBlockByNumber" ? { result: null } : refused("header not found");
      }
      params[place] = hexOf(number);
    }
    if (method === "eth_getTransactionCount" && request.params[1] === "pending") {
      return { result: hexOf(await poolNonce(addressOf(params[0]), head)) };
    }
    if (method === "eth_getLogs") return readLogs(params[0], head);
    return seenBy(head, method, params, await pass(method, params));
  }

  /** What is asked of the blocks that are gone; of older ones and of state it knows what all know. */
  async function answerFromBelief(
    { method, params }: RpcRequest,
    { gone }: NonNullable<typeof believed>,
  ): Promise<RpcReply | undefined> {
    const top = gone.at(-1)?.number ?? 0;
    if (method === "eth_blockNumber") return { result: hexOf(top) };
    const asked = method === "eth_getBlockByNumber" ? numberOf(params[0], top) : undefined;
    if (asked !== undefined && asked > top) return { result: null };
    const block = gone.find(({ number }) => number === asked);
    if (block) return { result: block.header };
    const filter = params[0];
    if (method !== "eth_getLogs" || !isObject(filter)) return undefined;
    const logged = gone.find(({ hash }) => hash === filter["blockHash"]);
    return logged && { result: logged.logs.filter((log) => isWanted(log, filter["topics"])) };
  }

  async function readLogs(filter: unknown, head: number): Promise<RpcReply> {
    const wanted: Record<string, unknown> = isObject(filter) ? { ...filter } : {};
    if (typeof wanted["blockHash"] === "string") {
      const number = world.blockOf(wanted["blockHash"]);
      if (number === undefined || number > head) {
        trace.note(`node ${index}: no block ${short(wanted["blockHash"])}, ${number} of ${head}`);
        return refused("unknown block");
      }
    } else {
      const from = numberOf(wanted["fromBlock"] ?? "latest", head) ?? head;
      if (from > head) return { result: [] };
      const to = numberOf(wanted["toBlock"] ?? "latest", head) ?? head;
      wanted["fromBlock"] = hexOf(from);
      wanted["toBlock"] = hexOf(Math.min(to, head));
    }
    return pass("eth_getLogs", [wanted]);
  }

  async function pass(method: string, params: unknown[]): Promise<RpcReply> {
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

  const view: NodeView = {
    index,
    rules: { feeCapWei: feeCapDefault, isFull: false },
    lag: 0,
    async answer(request, extraLag) {
      await world.still();
      if (believed && world.head() >= believed.untilHead) believed = undefined;
      const known = believed && (await answerFromBelief(request, believed));
      if (known) observedFaults.note("reorg: not heard of");
      if (known) return known;
      const fork = believed?.gone[0]?.number;
      const head = Math.min(headWith(extraLag), (fork ?? Infinity) - 1);
      if (view.lag > 0) observedFaults.note("lag: behind");
      switch (request.method) {
        case "eth_sendRawTransaction":
          return take(hexBytesOf(request.params[0]), head);
        case "eth_blockNumber":
          return { result: hexOf(head) };
        case "eth_gasPrice":
          return { result: `0x${world.priceAt(head).toString(16)}` };
        default:
          return read(request, head);
      }
    },
    async hear(tx) {
      const head = headWith(0);
      if ((await refusalOf(tx, head)) === undefined) pool.set(keyOf(tx.from, tx.nonce), tx);
    },
    believe(gone, untilHead) {
      trace.note(`node ${index}: has not heard of the reorganisation`);
      believed = { gone, untilHead };
    },
    restart() {
      const waiting = [...pool.values()].filter(({ hash }) => world.isOffered(hash));
      observedFaults.note("pool: restarted", waiting.length);
      pool.clear();
    },
  };

  /** What a node has not seen yet does not exist for it. */
  function seenBy(head: number, method: string, params: unknown[], reply: RpcReply): RpcReply {
    if (!/^eth_getTransaction(Receipt|ByHash)$/.test(method) || !("result" in reply)) return reply;
    const isSeen = isObject(reply.result) && Number(reply.result["blockNumber"] ?? 0) <= head;
    if (isSeen) return reply;
    const waits = [...pool.values()].find(({ hash }) => hash === params[0]);
    const isPending = waits !== undefined && method === "eth_getTransactionByHash";
    return { result: isPending ? pendingOf(waits) : null };
  }

  return view;
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

function refused(message: string): RpcReply {
  return { error: { code: -32_000, message } };
}
