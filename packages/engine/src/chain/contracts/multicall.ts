/**
 * Multicall3 `aggregate3`: many transfers in one transaction, each failing alone. EIP-3009 does not
 * bind the sender, so any contract may submit. The contract's address differs per network and
 * source, so candidates are tested before use.
 */
import { addressWord, isSameAddress, type Address, type Hex } from "@farthing/protocol";
import { messageOf } from "../../base/fault.ts";
import { encodeArray, encodeBytes, readArray, word } from "./abi.ts";
import { readOne, type Chain } from "../endpoints/chain.ts";
import { ethCall, hexOf } from "../endpoints/rpc-endpoint.ts";
import { domainSeparatorCall } from "./usdc.ts";

/** aggregate3((address,bool,bytes)[]) */
const selector = "82ad56cb";

export interface BatchedCall {
  readonly to: Address;
  readonly data: Hex;
}

export interface BatchedResult {
  readonly succeeded: boolean;
  readonly returnData: Hex;
}

/** Calldata of aggregate3 with `allowFailure` for every call. */
export function encodeBatch(calls: readonly BatchedCall[]): Hex {
  const bodies = calls.map(
    ({ to, data }) => `${addressWord(to)}${word(1)}${word(96)}${encodeBytes(data)}`,
  );
  return `0x${selector}${word(32)}${encodeArray(bodies)}`;
}

/** The calldata of each call of such a batch; none of another transaction. */
export function callsInBatch(data: Hex): Hex[] {
  if (!data.startsWith(`0x${selector}`)) return [];
  return readArray(`0x${data.slice(2 + selector.length)}`, ({ bytesAt }, body) =>
    bytesAt(body + 96),
  );
}

export function decodeBatch(result: string): BatchedResult[] {
  return readArray(result, ({ numberAt, bytesAt }, body) => ({
    succeeded: numberAt(body) === 1,
    returnData: bytesAt(body + numberAt(body + 32)),
  }));
}

export interface SimulatedBatch {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly gasLimit: bigint;
  readonly gasPrice?: bigint | undefined;
}

/** Returns what the batch would return; undefined when the node cannot tell. */
export async function simulateBatch(
  chain: Chain,
  { from, to, data, gasLimit, gasPrice }: SimulatedBatch,
): Promise<string | undefined> {
  const price = gasPrice !== undefined && { gasPrice: hexOf(gasPrice) };
  const call = { from, to, data, gas: hexOf(gasLimit), ...price };
  const [reply] = await chain.read([ethCall(call)]);
  return reply?.ok && typeof reply.result === "string" ? reply.result : undefined;
}

export type MulticallSearch =
  | { readonly kind: "found"; readonly address: Address }
  /** The chain has replied: there is no Multicall3. */
  | { readonly kind: "none" }
  /** The chain has not replied and has to be asked again. */
  | { readonly kind: "unknown"; readonly problem: string };

/** Returns the first candidate that handles two calls, one failing, correctly. Throws nothing. */
export async function findMulticall(chain: Chain): Promise<MulticallSearch> {
  let problem: string | undefined;
  for (const address of chain.network.multicall3) {
    try {
      if (await isMulticall(chain, address)) return { kind: "found", address };
    } catch (error) {
      problem = messageOf(error);
    }
  }
  return problem === undefined ? { kind: "none" } : { kind: "unknown", problem };
}

async function isMulticall(chain: Chain, to: Address): Promise<boolean> {
  const { usdc, domainSeparator } = chain.network;
  const data = encodeBatch([
    { to: usdc, data: domainSeparatorCall },
    { to: usdc, data: "0xffffffff" },
  ]);
  const results = decodeBatch(String(await readOne(chain, ethCall({ to, data }))));
  return (
    results.length === 2 &&
    results[0]?.succeeded === true &&
    isSameAddress(results[0].returnData, domainSeparator) &&
    results[1]?.succeeded === false
  );
}
