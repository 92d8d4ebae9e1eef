/**
 * The token's events about authorizations. Proof of payment is an AuthorizationUsed log followed, at
 * the next log index of the same transaction, by a Transfer. A state bit or a transaction's status
 * proves nothing: a batch succeeds though all its calls failed, and a cancellation sets the bit too.
 */
import { isObject, type Address, type Hex } from "@farthing/protocol";
import { Fault } from "../../base/fault.ts";
import { bytesOf, quantity } from "../endpoints/chain.ts";
import { topicAddress, topics } from "./usdc.ts";

export interface AuthorizationEvent {
  readonly kind: "used" | "canceled";
  readonly payer: Address;
  readonly nonce: Hex;
  readonly transaction: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly logIndex: number;
  /** The adjacent Transfer; absent after a cancellation. */
  readonly transfer?: { readonly from: Address; readonly to: Address; readonly value: bigint };
}

interface TokenLog {
  readonly topics: readonly string[];
  readonly data: string;
  readonly transaction: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly logIndex: number;
}

/** Reads logs of one block or of many, whose indexes each begin at 0. */
export function readAuthorizationEvents(result: unknown): AuthorizationEvent[] {
  if (!Array.isArray(result)) throw new Fault("rpc_refused", "The node sent no list of logs");
  const logs = result
    .map(readLog)
    .toSorted((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex);
  const byPlace = new Map(logs.map((log) => [placeOf(log, log.logIndex), log]));
  return logs.flatMap((log) => {
    const [topic, authorizer, nonce] = log.topics;
    if (topic !== topics.used && topic !== topics.canceled) return [];
    const next =
      topic === topics.used
        ? readTransfer(byPlace.get(placeOf(log, log.logIndex + 1)), log)
        : undefined;
    const { transaction, blockNumber, blockHash, logIndex } = log;
    return [
      {
        kind: topic === topics.used ? ("used" as const) : ("canceled" as const),
        payer: topicAddress(authorizer),
        nonce: bytesOf(nonce, "an authorization's nonce"),
        transaction,
        blockNumber,
        blockHash,
        logIndex,
        ...(next ? { transfer: next } : {}),
      },
    ];
  });
}

function placeOf({ blockHash }: TokenLog, logIndex: number): string {
  return `${blockHash} ${logIndex}`;
}

function readTransfer(log: TokenLog | undefined, used: TokenLog) {
  if (log?.topics[0] !== topics.transfer || log.transaction !== used.transaction) return undefined;
  return {
    from: topicAddress(log.topics[1]),
    to: topicAddress(log.topics[2]),
    value: quantity(log.data, "a transfer's value"),
  };
}

function readLog(value: unknown): TokenLog {
  if (!isObject(value)) throw new Fault("rpc_refused", "The node sent a log that is no object");
  const { topics: list, data, transactionHash, blockNumber, blockHash, logIndex } = value;
  if (!Array.isArray(list) || typeof data !== "string") {
    throw new Fault("rpc_refused", "The node sent a log without topics or data");
  }
  return {
    topics: list.map(String),
    data,
    transaction: bytesOf(transactionHash, "transactionHash"),
    blockNumber: Number(quantity(blockNumber, "blockNumber")),
    blockHash: bytesOf(blockHash, "blockHash"),
    logIndex: Number(quantity(logIndex, "logIndex")),
  };
}
