/**
 * The batch contract, contracts/Batcher.sol: many calls in one transaction, each with a gas limit of its
 * own, so that payments of contract wallets can share it. Experimental, and used only where it is
 * configured. A stored transaction is recognised by its calldata, whatever the configuration says today.
 */
import { addressWord, type Address, type Hex } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import { encodeArray, encodeBytes, readArray, word } from "./abi.ts";
import type { Chain } from "../endpoints/chain.ts";
import { batcherCode } from "./generated/batcher.ts";
import {
  simulateBatch,
  type BatchedCall,
  type BatchedResult,
  type SimulatedBatch,
} from "./multicall.ts";
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

export function encodeLimitedBatch(calls: readonly LimitedCall[]): Hex {
  const bodies = calls.map(
    ({ to, gasLimit, data }) =>
      `${addressWord(to)}${word(gasLimit)}${word(bodyHead)}${encodeBytes(data)}`,
  );
  return `0x${selector}${word(32)}${encodeArray(bodies)}`;
}

/** Bytes of a call before its calldata: its address, its limit and the offset. */
const bodyHead = 96;

/** Bytes that a call takes beside its calldata: its head, its length and its place in the array. */
export const limitedCallBytes = bodyHead + 64;

/** The calldata of each call of such a batch; none of another transaction. */
export function callsInLimitedBatch(data: Hex): Hex[] {
  if (!isLimitedBatch(data)) return [];
  return readArray(`0x${data.slice(2 + selector.length)}`, ({ bytesAt }, body) =>
    bytesAt(body + bodyHead),
  );
}

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

/** What the contract keeps back counts twice, since its own steps take up to as much. */
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

/** Undefined when the node cannot tell. */
export async function simulateLimitedBatch(chain: Chain, batch: SimulatedBatch) {
  const result = await simulateBatch(chain, batch);
  if (result === undefined) return undefined;
  return readArray(result, ({ numberAt, bytesAt }, body) => ({
    succeeded: numberAt(body) === 1,
    gasUsed: BigInt(numberAt(body + 32)),
    returnData: bytesAt(body + numberAt(body + 64)),
  }));
}

/** The most gas that a payment may use in a batch, its factory's included; undefined without it. */
export function gasWithinBatch(
  data: Hex,
  { payer, nonce }: { readonly payer: Address; readonly nonce: Hex },
): bigint | undefined {
  if (!isLimitedBatch(data)) return undefined;
  const calls = readArray(
    `0x${data.slice(2 + selector.length)}`,
    ({ numberAt, bytesAt }, body) => ({
      gasLimit: BigInt(numberAt(body + 32)),
      call: bytesAt(body + bodyHead),
    }),
  );
  const wanted = { payer: addressWord(payer), nonce: nonce.slice(2).toLowerCase() };
  let gas = 0n;
  for (const { gasLimit, call } of calls) {
    gas += gasLimit;
    if (!call.startsWith(`0x${transferSelector}`)) continue;
    const argument = (place: number) => call.slice(10 + place * 64, 10 + (place + 1) * 64);
    if (argument(0) === wanted.payer && argument(5) === wanted.nonce) return gas;
    gas = 0n;
  }
  return undefined;
}
