/** What the chain says at the end of a run, read from the devnet without any proxy. */
import type { Devnet } from "@farthing/devnet";
import type { Address, Hex } from "@farthing/protocol";

/** An authorization used or canceled, by the token's logs. */
export interface LedgerEntry {
  readonly kind: "used" | "canceled";
  readonly payer: string;
  readonly nonce: string;
  readonly transaction: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly logIndex: number;
  /** Of the transaction. */
  readonly sender: string;
  /** The Transfer right behind it. */
  readonly transfer: { readonly to: string; readonly units: bigint } | undefined;
}

/** A relayer's transaction in a block. */
export interface LedgerTransaction {
  readonly hash: string;
  readonly from: string;
  readonly nonce: number;
}

/** Blocks behind the head that are final: a reorganisation never reaches them. */
export const finalDepth = 3;

/** The whole chain. */
export interface Ledger {
  readonly head: number;
  readonly entries: readonly LedgerEntry[];
  readonly relayed: readonly LedgerTransaction[];
  /** Transactions that each relayer wallet has in blocks. */
  readonly counts: ReadonlyMap<string, number>;
  /** Of the seller, in base units. */
  readonly sellerUnits: bigint;
}

const usedTopic = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
const canceledTopic = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

interface RawLog {
  readonly topics: readonly string[];
  readonly data: string;
  readonly transactionHash: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly logIndex: string;
}

interface RawBlock {
  readonly transactions: readonly { hash: string; from: string; nonce: string }[];
}

/** Reads the whole chain. */
export async function readLedger(devnet: Devnet, relayers: readonly Address[]): Promise<Ledger> {
  const { rpc, token } = devnet;
  const head = Number(await rpc<Hex>("eth_blockNumber"));
  const logs = await rpc<RawLog[]>("eth_getLogs", [
    { address: token, fromBlock: "0x0", toBlock: "latest" },
  ]);
  const blocks = await readBlocks(devnet, head);
  const senders = new Map(
    blocks.flatMap(({ transactions }) =>
      transactions.map(({ hash, from }) => [hash, from.toLowerCase()] as const),
    ),
  );
  const counts = new Map<string, number>();
  for (const relayer of relayers) {
    const count = await rpc<Hex>("eth_getTransactionCount", [relayer, "latest"]);
    counts.set(relayer.toLowerCase(), Number(count));
  }
  return {
    head,
    entries: entriesOf(logs, senders),
    relayed: relayedIn(blocks, relayers),
    counts,
    sellerUnits: await devnet.usdc.balanceOf(devnet.seller.address),
  };
}

/** Reads the transactions of relayer wallets that are in blocks, in the order of the chain. */
export async function readRelayed(
  devnet: Devnet,
  relayers: readonly Address[],
): Promise<LedgerTransaction[]> {
  const head = Number(await devnet.rpc<Hex>("eth_blockNumber"));
  return relayedIn(await readBlocks(devnet, head), relayers);
}

/** Blocks that are read at the same time. */
const blocksAtOnce = 50;

async function readBlocks({ rpc }: Devnet, head: number): Promise<RawBlock[]> {
  const blocks: RawBlock[] = [];
  const read = (number: number) =>
    rpc<RawBlock>("eth_getBlockByNumber", [`0x${number.toString(16)}`, true]);
  while (blocks.length <= head) {
    const length = Math.min(blocksAtOnce, head + 1 - blocks.length);
    const first = blocks.length;
    blocks.push(...(await Promise.all(Array.from({ length }, (_, index) => read(first + index)))));
  }
  return blocks;
}

function relayedIn(blocks: readonly RawBlock[], relayers: readonly Address[]): LedgerTransaction[] {
  const wallets = new Set(relayers.map((relayer) => relayer.toLowerCase()));
  return blocks
    .flatMap(({ transactions }) => transactions)
    .map(({ hash, from, nonce }) => ({ hash, from: from.toLowerCase(), nonce: Number(nonce) }))
    .filter(({ from }) => wallets.has(from));
}

function entriesOf(logs: readonly RawLog[], senders: ReadonlyMap<string, string>): LedgerEntry[] {
  const placeOf = (log: RawLog, offset = 0) =>
    `${log.transactionHash}/${Number(log.logIndex) + offset}`;
  const transfers = new Map(
    logs.filter(({ topics }) => topics[0] === transferTopic).map((log) => [placeOf(log), log]),
  );
  return logs.flatMap((log) => {
    const [topic, authorizer = "", nonce = ""] = log.topics;
    if (topic !== usedTopic && topic !== canceledTopic) return [];
    const next = transfers.get(placeOf(log, 1));
    return [
      {
        kind: topic === usedTopic ? "used" : "canceled",
        payer: addressOf(authorizer),
        nonce,
        transaction: log.transactionHash,
        blockNumber: Number(log.blockNumber),
        blockHash: log.blockHash,
        logIndex: Number(log.logIndex),
        sender: senders.get(log.transactionHash) ?? "",
        transfer: next && { to: addressOf(next.topics[2] ?? ""), units: BigInt(next.data) },
      },
    ];
  });
}

function addressOf(topic: string): string {
  return `0x${topic.slice(-40)}`;
}

/** The key of an authorization. */
export function pairOf({ payer, nonce }: { readonly payer: string; readonly nonce: string }) {
  return `${payer}:${nonce}`.toLowerCase();
}
