/**
 * What happened to authorizations in blocks that are known by number and hash. A node that refuses
 * logs by hash is asked by number, together with the header that shows which block it means.
 */
import type { Hex } from "@farthing/protocol";
import {
  blockLogsCall,
  readAuthorizationEvents,
  type AuthorizationEvent,
} from "./authorization-logs.ts";
import { findHeader, headerCall } from "./block-headers.ts";
import { Fault } from "../base/fault.ts";
import type { RpcAnswer } from "./rpc-endpoint.ts";
import { rangeCall } from "./block-ranges.ts";
import { resultOf, type Chain } from "./chain.ts";
import { classifyNodeError, isEndpointProblem, type NodeError } from "./node-errors.ts";

/** A block by its place in the chain and its hash. */
export interface BlockName {
  readonly number: number;
  readonly hash: Hex;
}

/**
 * Reads the events of a block by its number, in one request with the header, so that both are the
 * word of a node that has this very block; undefined where the node has another or none. Throws RPC
 * faults.
 */
export async function readEventsByNumber(
  chain: Chain,
  { number, hash }: BlockName,
): Promise<AuthorizationEvent[] | undefined> {
  const [logs, header] = await chain.read([rangeCall(chain, number, number), headerCall(number)]);
  const there = header?.ok ? findHeader(header.result) : undefined;
  if (there?.hash !== hash) return undefined;
  const events = readAuthorizationEvents(resultOf(logs, "eth_getLogs"));
  return areOf({ number, hash }, events) ? events : undefined;
}

/** Reads the reply of {@link blockLogsCall}. Throws `rpc_refused` for logs of another block. */
export function readEventsByHash(
  block: BlockName,
  answer: RpcAnswer | undefined,
): AuthorizationEvent[] {
  const events = readAuthorizationEvents(resultOf(answer, "eth_getLogs"));
  if (areOf(block, events)) return events;
  throw new Fault("rpc_refused", "The node sent logs of another block than the one asked for");
}

function areOf({ number, hash }: BlockName, events: readonly AuthorizationEvent[]): boolean {
  return events.every(({ blockHash, blockNumber }) => blockHash === hash && blockNumber === number);
}

/** Whether a node that has the block refuses its logs by hash, and may well give them by number. */
export function isRefusalOfLogs(error: NodeError): boolean {
  const problem = classifyNodeError(error);
  return problem !== "node_behind" && !isEndpointProblem(problem);
}

/** Reads the events of blocks; those of a block that is gone are left out. Throws RPC faults. */
export async function readEventsOfBlocks(
  chain: Chain,
  blocks: readonly BlockName[],
): Promise<AuthorizationEvent[]> {
  const answers = await chain.read(blocks.map(({ hash }) => blockLogsCall(chain, hash)));
  const events: AuthorizationEvent[] = [];
  for (const [at, block] of blocks.entries()) {
    const answer = answers[at];
    const isRefused = answer?.ok === false && isRefusalOfLogs(answer.error);
    const inBlock = isRefused
      ? await readEventsByNumber(chain, block)
      : readEventsByHash(block, answer);
    events.push(...(inBlock ?? []));
  }
  return events;
}
