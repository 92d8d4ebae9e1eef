/**
 * Reads from the chain what became of a signed authorization. Only this proves that a payment was
 * not made: the authorization is unused in a final block whose time has reached `validBefore`. Its
 * use proves a payment only together with the transfer of the same terms in the same transaction,
 * whoever sent that.
 */
import {
  addressWord,
  defined,
  findNetwork,
  isObject,
  isSameAddress,
  isTransactionHash,
  member,
  parseAddress,
  type Address,
  type Hex,
  type Network,
} from "@farthing/protocol";
import { nodeCall, type NodeCall } from "./call-node.ts";
import { askNodes, noNodeReason } from "./nodes.ts";
import type { LedgerRecord } from "../ledger/ledger.ts";
import type { FetchFunction } from "../replayable-request.ts";

export interface SignedTerms {
  readonly network: Network;
  readonly from: Address;
  readonly to: Address;
  readonly units: bigint;
  readonly nonce: Hex;
  readonly validBefore: number;
  /** Unix seconds; it was not used before. */
  readonly signedAfter: number;
  /** The transaction that the seller named, read first. */
  readonly transaction?: Hex;
}

/** The signed terms of a record; undefined before the signature. */
export function signedTermsOf(record: LedgerRecord): SignedTerms | undefined {
  const { signed, transaction } = record;
  const network = findNetwork(record.network);
  if (!signed || !network) return undefined;
  return {
    network,
    from: record.wallet,
    to: record.payTo,
    units: record.amountUnits,
    nonce: signed.nonce,
    validBefore: signed.validBefore,
    signedAfter: Math.floor(record.reservedAt / 1000),
    ...defined({ transaction }),
  };
}

export interface FoundPayment {
  readonly transaction: Hex;
  readonly blockNumber: number;
  /** Its block cannot be undone. */
  readonly isFinal: boolean;
}

export type ChainOutcome =
  | ({ readonly state: "settled" } & FoundPayment)
  /** It can no longer be used. */
  | { readonly state: "unused"; readonly reason: string }
  | {
      readonly state: "unknown";
      readonly reason: string;
      /** It was used with other terms than those of the record. */
      readonly isContradicted?: true;
      /** The node failed or serves another chain; another node may know. */
      readonly isUnanswered?: true;
    };

const authorizationStateSelector = "0xe94a0102";
export const topics = {
  used: "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5",
  canceled: "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81",
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
} as const;

/** For nodes without the tag `finalized`; XDC finalizes three blocks back. */
const finalityDepth = 12;
/** This machine's clock may be this far ahead of the chain's when it records the signing. */
const clockSlackSeconds = 600;
/** A range that every provider serves. */
const logBlocksMax = 1000;
/** At a block each second, ten times the longest validity. */
const logRangesMax = 12;
/** Doubling steps back from the head: enough for any chain. */
const stepsBackMax = 40;

/** Never rejects: returns `unknown` when the node fails or serves another chain. */
export async function readOutcome(
  fetch: FetchFunction,
  rpcUrl: string,
  terms: SignedTerms,
): Promise<ChainOutcome> {
  const call = nodeCall(fetch, rpcUrl);
  try {
    const chainId = Number(await call("eth_chainId", []));
    if (chainId !== terms.network.chainId) {
      return unanswered(`the node serves chain ${chainId}, not ${terms.network.chainId}`);
    }
    // Read before the state: what is unused now was unused then.
    const final = await finalBlock(call);
    const named =
      terms.transaction && (await findTransfer(call, terms, terms.transaction, final.number));
    if (named) return { state: "settled", ...named };
    if (await isUsed(call, terms, "latest")) return await findUse(call, terms, final.number);
    if (final.time < terms.validBefore) {
      return unknown("it is unused, and can be used until it has expired in a final block");
    }
    if (await isUsed(call, terms, toHex(final.number)))
      return unknown("the node contradicts itself");
    return { state: "unused", reason: `it expired unused; block ${final.number} is final` };
  } catch (cause) {
    return unanswered(cause instanceof Error ? cause.message : "the node did not answer");
  }
}

/** Asks one node after the other; `unknown` when none has an answer. */
export async function readOutcomeOf(
  fetch: FetchFunction,
  rpcUrls: readonly string[],
  terms: SignedTerms,
): Promise<ChainOutcome> {
  const outcome = await askNodes(
    rpcUrls,
    (url) => readOutcome(fetch, url, terms),
    (answer) => answer.state !== "unknown" || answer.isUnanswered !== true,
  );
  return outcome ?? unknown(noNodeReason);
}

function unknown(reason: string): ChainOutcome {
  return { state: "unknown", reason };
}

function unanswered(reason: string): ChainOutcome {
  return { state: "unknown", reason, isUnanswered: true };
}

interface Block {
  readonly number: number;
  readonly time: number;
}

async function readBlock(call: NodeCall, which: string): Promise<Block> {
  const block = await call("eth_getBlockByNumber", [which, false]);
  const number = isObject(block) ? Number(member(block, "number")) : Number.NaN;
  const time = isObject(block) ? Number(member(block, "timestamp")) : Number.NaN;
  if (Number.isSafeInteger(number) && Number.isSafeInteger(time)) return { number, time };
  throw new Error("The node returned no block.");
}

export async function finalBlock(call: NodeCall): Promise<Block> {
  try {
    return await readBlock(call, "finalized");
  } catch {
    const { number } = await readBlock(call, "latest");
    return readBlock(call, toHex(Math.max(0, number - finalityDepth)));
  }
}

type NonceOwner = Pick<SignedTerms, "network" | "from" | "nonce">;

/** Whether the nonce was used or canceled. */
export async function isUsed(call: NodeCall, terms: NonceOwner, block: string): Promise<boolean> {
  const data = `${authorizationStateSelector}${addressWord(terms.from)}${terms.nonce.slice(2)}`;
  const result = await call("eth_call", [{ to: terms.network.usdc, data }, block]);
  if (typeof result === "string" && /^0x0*[01]$/.test(result) && result.length === 66) {
    return result.endsWith("1");
  }
  throw new Error("The node returned no authorization state.");
}

async function findUse(
  call: NodeCall,
  terms: SignedTerms,
  finalNumber: number,
): Promise<ChainOutcome> {
  const log = await findLog(call, terms);
  if (!log) return unknown("it has been used or canceled, but the node shows no event of it");
  if (log.topic === topics.used) {
    const found = await findTransfer(call, terms, log.transaction, finalNumber);
    if (found) return { state: "settled", ...found };
    const reason = "it has been used, but no transfer of these terms is with it";
    return { state: "unknown", reason, isContradicted: true };
  }
  if (log.blockNumber > finalNumber) return unknown("it was canceled in a block that is not final");
  return { state: "unused", reason: `it was canceled in block ${log.blockNumber}` };
}

interface UseLog {
  readonly topic: string;
  readonly transaction: Hex;
  readonly blockNumber: number;
}

/** Searches for the event from the time of signing until after the expiry, where there is one. */
export async function findLog(
  call: NodeCall,
  terms: NonceOwner & Pick<SignedTerms, "signedAfter" | "validBefore">,
  rangesMax: number = logRangesMax,
): Promise<UseLog | undefined> {
  const head = await readBlock(call, "latest");
  let first = await blockBefore(call, head, terms.signedAfter - clockSlackSeconds);
  for (let range = 0; range < rangesMax && first <= head.number; range += 1) {
    const last = Math.min(first + logBlocksMax - 1, head.number);
    const logs = await call("eth_getLogs", [
      {
        address: terms.network.usdc,
        fromBlock: toHex(first),
        toBlock: toHex(last),
        topics: [[topics.used, topics.canceled], addressTopic(terms.from), terms.nonce],
      },
    ]);
    const found = (Array.isArray(logs) ? logs : []).map(readLog).find((log) => log !== undefined);
    if (found) return found;
    const hasEnd = Number.isFinite(terms.validBefore);
    if (hasEnd && (await readBlock(call, toHex(last))).time > terms.validBefore) return undefined;
    first = last + 1;
  }
  return undefined;
}

/** A block at or before a time; block 0 when the chain is younger. */
async function blockBefore(call: NodeCall, head: Block, time: number): Promise<number> {
  // XDC makes a block every two seconds, so the first guess is close.
  let back = Math.max(1, Math.ceil((head.time - time) / 2));
  for (let step = 0; step < stepsBackMax; step += 1) {
    const number = Math.max(0, head.number - back);
    if (number === 0 || (await readBlock(call, toHex(number))).time <= time) return number;
    back *= 2;
  }
  return 0;
}

function readLog(log: unknown): UseLog | undefined {
  if (!isObject(log) || member(log, "removed") === true) return undefined;
  const list = member(log, "topics");
  const hash = member(log, "transactionHash");
  const transaction = typeof hash === "string" && isTransactionHash(hash) ? hash : undefined;
  const blockNumber = Number(member(log, "blockNumber"));
  const topic: unknown = Array.isArray(list) ? list[0] : undefined;
  if (typeof topic !== "string" || transaction === undefined) return undefined;
  return { topic, transaction, blockNumber };
}

/** Reads a receipt: a success with the authorization's use and the transfer of its terms. */
async function findTransfer(
  call: NodeCall,
  terms: SignedTerms,
  transaction: Hex,
  finalNumber: number,
): Promise<FoundPayment | undefined> {
  const receipt = await call("eth_getTransactionReceipt", [transaction]);
  if (!isObject(receipt) || member(receipt, "status") !== "0x1") return undefined;
  const logs = member(receipt, "logs");
  const has = (topics: readonly string[], data?: bigint) =>
    Array.isArray(logs) && logs.some((log) => isLogOf(log, terms.network.usdc, topics, data));
  const isOurs =
    has([topics.used, addressTopic(terms.from), terms.nonce]) &&
    has([topics.transfer, addressTopic(terms.from), addressTopic(terms.to)], terms.units);
  const blockNumber = Number(member(receipt, "blockNumber"));
  if (!isOurs || !Number.isSafeInteger(blockNumber)) return undefined;
  return { transaction, blockNumber, isFinal: blockNumber <= finalNumber };
}

export function isLogOf(
  log: unknown,
  token: Address,
  expected: readonly string[],
  data: bigint | undefined,
): boolean {
  if (!isObject(log)) return false;
  const address = parseAddress(member(log, "address"));
  const list = member(log, "topics");
  if (address === undefined || !isSameAddress(address, token) || !Array.isArray(list)) return false;
  const isSame = expected.every(
    (topic, at) => String(list[at]).toLowerCase() === topic.toLowerCase(),
  );
  return isSame && (data === undefined || BigInt(String(member(log, "data"))) === data);
}

export function addressTopic(address: Address): Hex {
  return `0x${addressWord(address)}`;
}

function toHex(number: number): Hex {
  return `0x${number.toString(16)}`;
}
