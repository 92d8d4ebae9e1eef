/** What the page asks the chain, through the wallet's own connection to it. */
import { ask, type Provider } from "@farthing/buyer/wallet";
import { isObject, isTransactionHash, type Address, type Hex, type Network } from "@farthing/protocol";

/** `balanceOf(address)` */
const balanceOf = "0x70a08231";
/** `authorizationState(address,bytes32)` of EIP-3009. */
const authorizationState = "0xe94a0102";
/** keccak256 of `AuthorizationUsed(address,bytes32)`. */
const usedTopic = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
/** keccak256 of `AuthorizationCanceled(address,bytes32)`. */
const canceledTopic = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";

/** One wallet on one network. */
export interface Reader {
  readonly provider: Provider;
  readonly network: Network;
  readonly signal: AbortSignal;
}

/** What the chain says of an authorization. */
export type Fate =
  | { readonly kind: "used"; readonly transaction?: Hex }
  /** Nobody can use it any more, and nobody has. */
  | { readonly kind: "unused" }
  /** Not used so far, and it still can be. */
  | { readonly kind: "open" };

function word(hex: string): string {
  return hex.slice(2).toLowerCase().padStart(64, "0");
}

async function call({ provider, network, signal }: Reader, data: string): Promise<bigint> {
  const request = [{ to: network.usdc, data }, "latest"];
  return quantity(await ask(provider, "eth_call", request, signal));
}

function quantity(value: unknown): bigint {
  if (typeof value !== "string" || !/^0x[0-9a-f]+$/i.test(value)) {
    throw new Error("Your wallet could not read the chain. Try again.");
  }
  return BigInt(value);
}

/** USDC of an account, in base units. */
export function readBalance(reader: Reader, account: Address): Promise<bigint> {
  return call(reader, balanceOf + word(account));
}

/** The newest block's number, as the node writes it. */
export async function readBlockNumber({ provider, signal }: Reader): Promise<Hex> {
  const number = quantity(await ask(provider, "eth_blockNumber", [], signal));
  return `0x${number.toString(16)}`;
}

/**
 * What became of an authorization. "Unused" only when a block says that it has expired: until
 * then whoever holds it can still use it.
 */
export async function readFate(
  reader: Reader,
  { payer, nonce, validBefore }: { payer: Address; nonce: Hex; validBefore: number },
  fromBlock: string,
): Promise<Fate> {
  // The block first: what is unused after it was seen was unused in it.
  const block = await ask(reader.provider, "eth_getBlockByNumber", ["latest", false], reader.signal);
  const blockTime = quantity(isObject(block) ? block["timestamp"] : undefined);
  const isTaken = (await call(reader, authorizationState + word(payer) + word(nonce))) !== 0n;
  if (!isTaken) return { kind: blockTime >= BigInt(validBefore) ? "unused" : "open" };
  return findUse(reader, [`0x${word(payer)}`, nonce], fromBlock);
}

/** The state is the same for used and canceled; the event tells them apart. */
async function findUse(reader: Reader, rest: readonly string[], fromBlock: string): Promise<Fate> {
  const { provider, network, signal } = reader;
  const topics = [[usedTopic, canceledTopic], ...rest];
  const filter = { address: network.usdc, topics, fromBlock, toBlock: "latest" };
  // Nodes refuse long ranges; that the money moved is then known without its transaction.
  const logs = await ask(provider, "eth_getLogs", [filter], signal).catch(() => []);
  const [log]: readonly unknown[] = Array.isArray(logs) ? logs : [];
  if (!isObject(log)) return { kind: "used" };
  const [topic]: readonly unknown[] = Array.isArray(log["topics"]) ? log["topics"] : [];
  if (topic === canceledTopic) return { kind: "unused" };
  const hash = log["transactionHash"];
  return typeof hash === "string" && isTransactionHash(hash)
    ? { kind: "used", transaction: hash }
    : { kind: "used" };
}
