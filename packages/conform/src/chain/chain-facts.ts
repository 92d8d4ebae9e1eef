/** What the chain says about a payment, whoever sent it. */
import { setTimeout as pause } from "node:timers/promises";
import type { Devnet } from "@farthing/devnet";
import { addressWord, type Authorization, type Hex } from "@farthing/protocol";
import * as AbiFunction from "ox/AbiFunction";
import type { SignedPayment } from "./payments.ts";

/** How the chain is asked. */
export type Chain = Pick<Devnet, "rpc" | "token">;

/** keccak256 of `AuthorizationUsed(address,bytes32)`. */
const usedTopic = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
/** keccak256 of `Transfer(address,address,uint256)`. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const transferWithAuthorization = AbiFunction.from(
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
);

interface Log {
  readonly transactionHash: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** Three blocks, and the time until they are seen. */
const untilMovedMs = 4_000;
const lookMs = 100;

/** Waits some blocks for the transfer of a payment; it may be there already, or never come. */
export async function untilMoved(chain: Chain, { authorization }: SignedPayment): Promise<void> {
  const until = performance.now() + untilMovedMs;
  while (performance.now() < until) {
    if (await findTransfer(chain, authorization)) return;
    await pause(lookMs);
  }
}

interface Block {
  readonly transactions: readonly { readonly hash: Hex; readonly input: Hex }[];
}

/** Returns the transaction that moved the money of an authorization; undefined where none has. */
export async function findTransfer(
  { rpc, token }: Chain,
  { from, to, value, nonce }: Authorization,
): Promise<Hex | undefined> {
  const payer = `0x${addressWord(from)}`;
  const topics = [usedTopic, payer, nonce];
  const [used] = await rpc<Log[]>("eth_getLogs", [{ address: token, fromBlock: "0x0", topics }]);
  if (!used) return undefined;
  const receipt = await rpc<{ logs: Log[] }>("eth_getTransactionReceipt", [used.transactionHash]);
  const isTransfer = ({ topics: [name, sender, payee], data }: Log) =>
    name === transferTopic &&
    sender === payer &&
    payee === `0x${addressWord(to)}` &&
    BigInt(data) === value;
  return receipt.logs.some(isTransfer) ? used.transactionHash : undefined;
}

/** Returns the hashes of all mined transactions that carry an authorization, reverted ones included. */
export async function findCarriers({ rpc }: Chain, nonce: Hex, fromBlock: bigint): Promise<Hex[]> {
  const head = BigInt(await rpc<Hex>("eth_blockNumber"));
  const found: Hex[] = [];
  for (let number = fromBlock; number <= head; number++) {
    const tag = `0x${number.toString(16)}`;
    const { transactions } = await rpc<Block>("eth_getBlockByNumber", [tag, true]);
    const carrying = transactions.filter(({ input }) => carries(input, nonce));
    found.push(...carrying.map(({ hash }) => hash));
  }
  return found;
}

/** Calldata that moves the money of a payment, for whoever sends it. */
export function transferCall({ authorization, signature }: SignedPayment): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const values = [from, to, value, validAfter, validBefore, nonce, signature] as const;
  return AbiFunction.encodeData(transferWithAuthorization, values);
}

/** Whether a raw transaction carries an authorization. */
export const carries = (raw: unknown, nonce: Hex): boolean =>
  typeof raw === "string" && raw.toLowerCase().includes(nonce.slice(2));
