/**
 * The batch contract, contracts/Batcher.sol: many calls in one transaction, each with a gas limit of its
 * own, so that payments of contract wallets can share it. Experimental, and used only where it is
 * configured. A stored transaction is recognised by its calldata, whatever the configuration says today.
 */
import { addressWord, type Address, type Hex } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import { fail, ok, type CheckLine } from "../base/check-line.ts";
import { encodeArray, encodeBytes, readAbi, word } from "./abi.ts";
import type { Chain } from "./chain.ts";
import { batcherCode } from "./generated/batcher.ts";
import type { BatchedCall, BatchedResult } from "./multicall.ts";
import { readCode } from "./reads.ts";
import { ethCall } from "./rpc-endpoint.ts";
import { transferSelector } from "./usdc.ts";

/** settle((address,uint64,bytes)[]) */
const selector = "973133fc";

export interface LimitedCall extends BatchedCall {
  /** It gets all of this gas, or it is not made. */
  readonly gasLimit: bigint;
}

export interface LimitedResult extends BatchedResult {
  /** With the price of the call itself; 0 when it was not made. */
  readonly gasUsed: bigint;
}

export const batchContractHash: Hex = Hash.keccak256(batcherCode);

/** Calldata of the batch contract. */
export function encodeLimitedBatch(calls: readonly LimitedCall[]): Hex {
  const bodies = calls.map(
    ({ to, gasLimit, data }) =>
      `${addressWord(to)}${word(gasLimit)}${word(bodyHead)}${encodeBytes(data)}`,
  );
  return `0x${selector}${word(32)}${encodeArray(bodies)}`;
}

/** Bytes before the calldata in a call: its address, its limit and the offset. */
const bodyHead = 96;

/** Bytes that a call takes beside its calldata: its head, its length and its place in the array. */
export const limitedCallBytes = bodyHead + 64;

export function isLimitedBatch(data: Hex): boolean {
  return data.startsWith(`0x${selector}`);
}

/** Gas of a transaction before anything runs, and of a byte of calldata, which may be zero. */
const transactionGas = 21_000;
const byteGas = { zero: 4, other: 16 };

/** What the contract takes and keeps back for itself: its constants, in their formula. */
const resultGas = 4_000;
const resultWords = 32;
const callGas = 5_000;

/** Gas of the contract before its first call: the selector, and what reads the list. */
const startGas = 5_000;

/**
 * The gas limit with which every call gets its own, whatever the others burn. The contract's own steps
 * take no more than it keeps back, which is why that counts twice.
 */
export function gasOfLimitedBatch(calls: readonly LimitedCall[]): bigint {
  const bytes = Buffer.from(encodeLimitedBatch(calls).slice(2), "hex");
  const data = bytes.reduce((sum, byte) => sum + (byte === 0 ? byteGas.zero : byteGas.other), 0);
  const words = Math.ceil(bytes.length / 32) + calls.length * resultWords;
  const kept = calls.length * resultGas + words * 6 + Math.ceil(words ** 2 / 512);
  const own = transactionGas + data + startGas + 2 * kept + (calls.length + 1) * callGas;
  const limits = calls.reduce((sum, { gasLimit }) => sum + gasLimit, 0n);
  // A call gets at most 63/64 of the gas that is left (EIP-150).
  return ((limits + BigInt(own)) * 64n) / 63n + 1n;
}

/** What a batch would do, sent with its gas limit and, where given, its gas price. */
export interface LimitedBatch {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly gasLimit: bigint;
  readonly gasPrice?: bigint | undefined;
}

/** Undefined when the node cannot tell. */
export async function simulateLimitedBatch(
  chain: Chain,
  { from, to, data, gasLimit, gasPrice }: LimitedBatch,
): Promise<LimitedResult[] | undefined> {
  const price = gasPrice !== undefined && { gasPrice: `0x${gasPrice.toString(16)}` };
  const call = { from, to, data, gas: `0x${gasLimit.toString(16)}`, ...price };
  const [reply] = await chain.read([ethCall(call)]);
  return reply?.ok && typeof reply.result === "string" ? decodeResults(reply.result) : undefined;
}

function decodeResults(result: string): LimitedResult[] {
  const { length, numberAt, bytesAt } = readAbi(result);
  const start = numberAt(0) + 32;
  const count = numberAt(start - 32);
  if (!(count >= 0) || count > length / 64) return [];
  return Array.from({ length: count }, (_, index) => {
    const body = start + numberAt(start + index * 32);
    const returnData = bytesAt(body + numberAt(body + 64));
    const gasUsed = BigInt(numberAt(body + 32));
    return { succeeded: numberAt(body) === 1, gasUsed, returnData };
  });
}

/**
 * The most gas that the calls of a payment may use in a batch, that of a factory before its transfer
 * included. Undefined when the calldata is no such batch, or the payment is not in it.
 */
export function gasWithinBatch(
  data: Hex,
  { payer, nonce }: { readonly payer: Address; readonly nonce: Hex },
): bigint | undefined {
  if (!isLimitedBatch(data)) return undefined;
  const { numberAt, bytesAt } = readAbi(`0x${data.slice(2 + selector.length)}`);
  const start = numberAt(0) + 32;
  const wanted = { payer: addressWord(payer), nonce: nonce.slice(2).toLowerCase() };
  let gas = 0n;
  for (let index = 0; index < numberAt(start - 32); index++) {
    const body = start + numberAt(start + index * 32);
    const call = bytesAt(body + bodyHead);
    gas += BigInt(numberAt(body + 32));
    if (!call.startsWith(`0x${transferSelector}`)) continue;
    const argument = (place: number) => call.slice(10 + place * 64, 10 + (place + 1) * 64);
    if (argument(0) === wanted.payer && argument(5) === wanted.nonce) return gas;
    gas = 0n;
  }
  return undefined;
}

/** Checks that the configured address has exactly the code of this version. Throws RPC faults. */
export async function checkBatchContract(chain: Chain, address: Address): Promise<CheckLine> {
  const code = await readCode(chain, address);
  const name = "batch contract";
  if (code === batcherCode) {
    return ok(name, `experimental, at ${address}, code hash ${batchContractHash}`);
  }
  const { chainId } = chain.network;
  const setting = `FARTHING_BATCHER_${chainId}`;
  const fix = `deploy it with \`farthing batcher deploy --network eip155:${chainId}\` and put its address into ${setting}, or leave ${setting} out`;
  const found =
    code === "0x"
      ? `no contract at ${address}`
      : `the contract at ${address} has the code hash ${Hash.keccak256(code)} instead of ${batchContractHash}`;
  return fail(name, found, fix);
}
