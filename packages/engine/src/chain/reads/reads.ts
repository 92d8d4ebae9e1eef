/** Single reads of a chain, each with its reply parsed and checked. All throw RPC faults. */
import {
  isObject,
  isSameAddress,
  parseAddress,
  zeroAddress,
  type Address,
  type Hex,
} from "@farthing/protocol";
import { Fault } from "../../base/fault.ts";
import {
  readAuthorizationEvents,
  type AuthorizationEvent,
} from "../contracts/authorization-events.ts";
import { bytesOf, quantity, readOne, resultOf, type Chain } from "../endpoints/chain.ts";
import { classifyNodeError, contractFailed, isContractFailure } from "../endpoints/node-errors.ts";
import {
  blockParameter,
  ethCall,
  hexOf,
  type RpcCall,
  type RpcReply,
} from "../endpoints/rpc-endpoint.ts";
import { encodeIsBlacklisted } from "../contracts/usdc.ts";

export interface Receipt {
  readonly succeeded: boolean;
  readonly blockNumber: number;
  /** The authorizations in it, by the token's own logs. */
  readonly events: readonly AuthorizationEvent[];
}

/** Transactions of a wallet in blocks: its next nonce, as far as the chain knows. */
export async function readTransactionCount(chain: Chain, wallet: Address): Promise<number> {
  const call = { method: "eth_getTransactionCount", params: [wallet, "latest"] };
  return Number(quantity(await readOne(chain, call), "a transaction count"));
}

/** Transactions of a wallet in blocks, and including this node's pool. */
export interface WalletNonces {
  readonly latest: number;
  readonly pending: number;
}

export async function readNonces(chain: Chain, wallets: readonly Address[]) {
  const method = "eth_getTransactionCount";
  const replies = await chain.read(
    wallets.flatMap((wallet) =>
      ["latest", "pending"].map((tag) => ({ method, params: [wallet, tag] })),
    ),
  );
  const counts = replies.map((reply) => quantity(resultOf(reply, method), "a transaction count"));
  return wallets.map((_, index) => ({
    latest: Number(counts[index * 2] ?? 0),
    pending: Number(counts[index * 2 + 1] ?? 0),
  }));
}

export async function readGasPrice(chain: Chain): Promise<bigint> {
  return quantity(await readOne(chain, { method: "eth_gasPrice", params: [] }), "the gas price");
}

/** Undefined when the chain is not that high. */
export async function readBlockHash(chain: Chain, number: number): Promise<Hex | undefined> {
  const params = [blockParameter(number), false];
  const block = await readOne(chain, { method: "eth_getBlockByNumber", params });
  return isObject(block) ? bytesOf(block["hash"], "a block hash") : undefined;
}

/** Undefined where the node has no receipt, which proves nothing. */
export async function readReceipts(chain: Chain, hashes: readonly (Hex | null)[]) {
  if (hashes.length === 0) return [];
  return (await chain.read(hashes.map(receiptCall))).map((reply) => toReceipt(chain, reply));
}

/** The sender of a transaction; undefined while the node does not have it. */
export async function readSender(chain: Chain, hash: Hex): Promise<Address | undefined> {
  const transaction = await readOne(chain, { method: "eth_getTransactionByHash", params: [hash] });
  return isObject(transaction) ? parseAddress(String(transaction["from"])) : undefined;
}

/** A wallet, its possible transactions, and the block up to which the reply must hold. */
export interface NonceQuestion {
  readonly wallet: Address;
  readonly hashes: readonly (Hex | null)[];
  readonly blockNumber: number;
}

export interface NonceUse {
  readonly count: number;
  readonly receipts: readonly (Receipt | undefined)[];
}

/** Reads both from one node that has the block. */
export async function readNonceUse(chain: Chain, question: NonceQuestion): Promise<NonceUse> {
  return toNonceUse(chain, await chain.read(nonceCalls(question)));
}

/** The same from two endpoints; "none" and "silent" as for `Chain.readTwice`. */
export async function readNonceUseTwice(chain: Chain, question: NonceQuestion) {
  const replies = await chain.readTwice(nonceCalls(question), question.blockNumber);
  const { elsewhere } = replies;
  return {
    here: toNonceUse(chain, replies.here),
    elsewhere: typeof elsewhere === "string" ? elsewhere : toNonceUse(chain, elsewhere),
  };
}

/** The smallest count of all endpoints: a false one would raise a wallet's nonce for good. */
export async function readCountAt(chain: Chain, wallet: Address, blockNumber: number) {
  const question = { wallet, hashes: [], blockNumber };
  const { here, elsewhere } = await readNonceUseTwice(chain, question);
  return typeof elsewhere === "string" ? here.count : Math.min(here.count, elsewhere.count);
}

function nonceCalls({ wallet, hashes, blockNumber }: NonceQuestion): RpcCall[] {
  const params = [wallet, blockParameter(blockNumber)];
  return [{ method: countMethod, params }, ...hashes.map(receiptCall)];
}

function toNonceUse(chain: Chain, [first, ...rest]: readonly RpcReply[]): NonceUse {
  return {
    count: Number(quantity(resultOf(first, countMethod), "a transaction count")),
    receipts: rest.map((reply) => toReceipt(chain, reply)),
  };
}

const countMethod = "eth_getTransactionCount";

function receiptCall(hash: Hex | null) {
  return { method: "eth_getTransactionReceipt", params: [hash] };
}

function toReceipt({ network }: Chain, reply: RpcReply): Receipt | undefined {
  const receipt = resultOf(reply, "eth_getTransactionReceipt");
  if (!isObject(receipt)) return undefined;
  const { logs } = receipt;
  // Other contracts in the same transaction may write logs that look like the token's.
  const ofToken = Array.isArray(logs)
    ? logs.filter((log) => isObject(log) && isSameAddress(String(log["address"]), network.usdc))
    : [];
  return {
    succeeded: quantity(receipt["status"], "a receipt's status") === 1n,
    blockNumber: Number(quantity(receipt["blockNumber"], "a block number")),
    events: readAuthorizationEvents(ofToken),
  };
}

export type CallGas = { readonly gas: bigint } | { readonly revertData: Hex | undefined };

/** A contract wallet sees the origin and gas price of a call. */
export interface SentCall {
  readonly from: Address;
  /** The zero address for a call that creates a contract. */
  readonly to: Address;
  readonly data: Hex;
  readonly gasPrice: bigint;
}

function callOf({ from, to, data, gasPrice }: SentCall) {
  const recipient = to === zeroAddress ? {} : { to };
  return { from, ...recipient, data, gasPrice: hexOf(gasPrice) };
}

/** Asks by block number, so that a node without it fails. Undefined when the node cannot tell. */
export async function estimateGas(
  chain: Chain,
  call: SentCall,
  blockNumber: number,
): Promise<CallGas | undefined> {
  const params = [callOf(call), blockParameter(blockNumber)];
  const [reply] = await chain.read([{ method: "eth_estimateGas", params }]);
  if (reply?.ok) return { gas: quantity(reply.result, "a gas estimate") };
  const problem = reply && classifyNodeError(reply.error);
  if (problem === "reverted") return { revertData: reply?.error.data };
  if (problem === "node_behind") throw new Fault("rpc_unavailable", "The node lacks the block");
  return undefined;
}

export async function hasCode(chain: Chain, address: Address): Promise<boolean> {
  return (await readCode(chain, address)).length > 2;
}

/** In lower case; `0x` for an account without code. */
export async function readCode(chain: Chain, address: Address): Promise<Hex> {
  const call = { method: "eth_getCode", params: [address, "latest"] };
  return bytesOf(await readOne(chain, call), "a contract's code");
}

/** The code of an account that delegates (EIP-7702): these three bytes and the delegate's address. */
const delegationCode = /^0xef0100([0-9a-f]{40})$/;

/** Returns the address that a plain account delegates its code to; undefined for all others. */
export async function readDelegate(chain: Chain, address: Address): Promise<Address | undefined> {
  const [, delegate] = delegationCode.exec(await readCode(chain, address)) ?? [];
  return delegate === undefined ? undefined : parseAddress(`0x${delegate}`);
}

export async function readHeadNumber(chain: Chain): Promise<number> {
  const call = { method: "eth_blockNumber", params: [] };
  return Number(quantity(await readOne(chain, call), "a block number"));
}

/** Tells whether the issuer of USDC blocks an address. */
export async function isBlacklisted(chain: Chain, address: Address): Promise<boolean> {
  const call = { to: chain.network.usdc, data: encodeIsBlacklisted(address) };
  return quantity(await readOne(chain, ethCall(call)), "isBlacklisted") === 1n;
}

/** Undefined when the transaction would succeed. Throws for errors not about the call itself. */
export async function simulateSend(
  chain: Chain,
  call: SentCall & { readonly gasLimit: bigint },
  blockNumber: number,
): Promise<{ readonly revertData: Hex } | undefined> {
  const sent = { ...callOf(call), gas: hexOf(call.gasLimit) };
  const [reply] = await chain.read([ethCall(sent, blockNumber)]);
  if (reply && !reply.ok) {
    const isReverted = classifyNodeError(reply.error) === "reverted";
    if (isReverted) return { revertData: reply.error.data ?? "0x" };
    if (contractFailed.test(reply.error.message)) return { revertData: "0x" };
  }
  resultOf(reply, "eth_call");
  return undefined;
}

/** Calls an unknown contract with a gas cap; undefined when it reverts or fails otherwise. */
export async function callCapped(
  chain: Chain,
  call: { readonly to: Address; readonly data: Hex; readonly gas: bigint },
): Promise<string | undefined> {
  const { to, data, gas } = call;
  const [reply] = await chain.read([ethCall({ to, data, gas: hexOf(gas) })]);
  if (reply?.ok === false && isContractFailure(reply.error)) return undefined;
  return String(resultOf(reply, "eth_call"));
}
