/** Reads the transfers that wallets have sent, from the token's logs of a range of blocks. */
import { isObject, type Address, type Hex } from "@farthing/protocol";
import { Fault } from "../../base/fault.ts";
import {
  readAuthorizationEvents,
  type AuthorizationEvent,
} from "../contracts/authorization-events.ts";
import { readHeader } from "../reads/block-headers.ts";
import { bytesOf, resultOf, type Chain } from "../endpoints/chain.ts";
import { walkLogs } from "./log-ranges.ts";
import { readReceipts } from "../reads/reads.ts";
import { findTransferCall, type TransferCall } from "./transfer-calls.ts";
import { topics } from "../contracts/usdc.ts";

/** Transactions of one look: a few requests, since endpoints take 10 to 100 calls in one. */
const transactionsMax = 100;

export interface SentTransfer {
  readonly event: AuthorizationEvent;
  /** Undefined where the transaction's calldata does not show it, as for another contract's call. */
  readonly call: TransferCall | undefined;
}

/** The blocks that have been read up to one, and what the wallets sent in them. */
export interface SentPart {
  readonly toBlock: number;
  readonly transfers: readonly SentTransfer[];
}

/** Walks from the oldest block on. Throws RPC faults; what was yielded before is complete. */
export async function* walkSentTransfers(
  chain: Chain,
  wallets: ReadonlySet<string>,
  range: { readonly fromBlock: number; readonly toBlock: number },
): AsyncGenerator<SentPart> {
  const filter = { topics: [topics.used] };
  for await (const { logs, toBlock } of walkLogs(chain, filter, { ...range, isComplete: true })) {
    const events = readAuthorizationEvents(logs);
    const hashes = [...new Set(events.map(({ transaction }) => transaction))];
    const transfers: SentTransfer[] = [];
    for (let at = 0; at < hashes.length; at += transactionsMax) {
      const some = hashes.slice(at, at + transactionsMax);
      transfers.push(...(await readTransfers(chain, await listOurs(chain, some, wallets))));
    }
    yield { toBlock, transfers };
  }
}

interface OurTransaction {
  readonly hash: Hex;
  readonly data: Hex;
}

async function listOurs(
  chain: Chain,
  hashes: readonly Hex[],
  wallets: ReadonlySet<string>,
): Promise<OurTransaction[]> {
  const method = "eth_getTransactionByHash";
  const replies = await chain.read(hashes.map((hash) => ({ method, params: [hash] })));
  return hashes.flatMap((hash, index) => {
    const transaction = resultOf(replies[index], method);
    if (!isObject(transaction)) throw new Fault("rpc_unavailable", lagging);
    if (!wallets.has(String(transaction["from"]).toLowerCase())) return [];
    return [{ hash, data: bytesOf(transaction["input"], "a transaction's input") }];
  });
}

async function readTransfers(
  chain: Chain,
  ours: readonly OurTransaction[],
): Promise<SentTransfer[]> {
  const receipts = await readReceipts(
    chain,
    ours.map(({ hash }) => hash),
  );
  return ours.flatMap(({ data }, index) => {
    const receipt = receipts[index];
    if (!receipt) throw new Fault("rpc_unavailable", lagging);
    return receipt.events
      .filter(({ kind }) => kind === "used")
      .map((event) => ({ event, call: findTransferCall(data, event) }));
  });
}

const lagging = "The node lacks a transaction whose log it has shown";

/**
 * Returns the first block from a time on, in Unix seconds, among those from `low` to `high`, which
 * exists. Throws RPC faults.
 */
export async function findBlockSince(
  chain: Chain,
  seconds: bigint,
  { low, high }: { readonly low: number; readonly high: number },
): Promise<number> {
  let [first, last] = [low, high];
  while (first < last) {
    const middle = Math.floor((first + last) / 2);
    const { time } = await readHeader(chain, middle);
    if (time < seconds) first = middle + 1;
    else last = middle;
  }
  return first;
}

/** Returns the addresses that have code. Throws RPC faults. */
export async function listContracts(
  chain: Chain,
  addresses: readonly Address[],
): Promise<ReadonlySet<string>> {
  const asked = [...new Set(addresses.map((address) => address.toLowerCase()))];
  const method = "eth_getCode";
  const replies = await chain.read(asked.map((one) => ({ method, params: [one, "latest"] })));
  return new Set(
    asked.filter((_, index) => bytesOf(resultOf(replies[index], method), "code") !== "0x"),
  );
}
