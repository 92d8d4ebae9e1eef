/**
 * Reads the authorization events of blocks known by number and hash. A node that refuses logs by
 * hash is asked by number, together with the header that identifies the block.
 */
import type { Hex } from "@farthing/protocol";
import { blockLogsCall } from "./authorization-logs.ts";
import {
  readAuthorizationEvents,
  type AuthorizationEvent,
} from "../contracts/authorization-events.ts";
import { findHeader, headerCall } from "../reads/block-headers.ts";
import { Fault } from "../../base/fault.ts";
import type { RpcReply } from "../endpoints/rpc-endpoint.ts";
import { rangeCall } from "./block-ranges.ts";
import { resultOf, type Chain } from "../endpoints/chain.ts";
import { classifyNodeError, isEndpointProblem, type NodeError } from "../endpoints/node-errors.ts";

export interface BlockName {
  readonly number: number;
  readonly hash: Hex;
}

/** Reads logs and header from one node; undefined where it lacks this block. Throws RPC faults. */
export async function readEventsByNumber(chain: Chain, { number, hash }: BlockName) {
  const [logs, header] = await chain.read([rangeCall(chain, number, number), headerCall(number)]);
  const there = header?.ok ? findHeader(header.result) : undefined;
  if (there?.hash !== hash) return undefined;
  const events = readAuthorizationEvents(resultOf(logs, "eth_getLogs"));
  return areOf({ number, hash }, events) ? events : undefined;
}

/** Reads the reply of {@link blockLogsCall}. Throws `rpc_refused` for logs of another block. */
export function readEventsByHash(block: BlockName, reply: RpcReply | undefined) {
  const events = readAuthorizationEvents(resultOf(reply, "eth_getLogs"));
  if (areOf(block, events)) return events;
  throw new Fault("rpc_refused", "The node sent logs of another block than the one asked for");
}

function areOf({ number, hash }: BlockName, events: readonly AuthorizationEvent[]): boolean {
  return events.every(({ blockHash, blockNumber }) => blockHash === hash && blockNumber === number);
}

/** True if the node may still return the logs by number. */
export function isRefusalOfLogs(error: NodeError): boolean {
  const problem = classifyNodeError(error);
  return problem !== "node_behind" && !isEndpointProblem(problem);
}

/** Leaves out blocks that were reorganised out. Throws RPC faults. */
export async function readEventsOfBlocks(chain: Chain, blocks: readonly BlockName[]) {
  const replies = await chain.read(blocks.map(({ hash }) => blockLogsCall(chain, hash)));
  const events: AuthorizationEvent[] = [];
  for (const [at, block] of blocks.entries()) {
    const reply = replies[at];
    const isRefused = reply?.ok === false && isRefusalOfLogs(reply.error);
    const inBlock = isRefused
      ? await readEventsByNumber(chain, block)
      : readEventsByHash(block, reply);
    events.push(...(inBlock ?? []));
  }
  return events;
}

/** Reads whole blocks: a filter by payer and nonce excludes the Transfer beside each use. */
export async function withTransfers(chain: Chain, events: readonly AuthorizationEvent[]) {
  const used = events.filter(({ kind }) => kind === "used");
  const numbers = new Map(used.map(({ blockHash, blockNumber }) => [blockHash, blockNumber]));
  if (numbers.size === 0) return [...events];
  const blocks = [...numbers].map(([hash, number]) => ({ hash, number }));
  const whole = await readEventsOfBlocks(chain, blocks);
  const byPosition = new Map(whole.map((event) => [logPositionOf(event), event]));
  return events.flatMap((event) =>
    event.kind === "canceled" ? event : (byPosition.get(logPositionOf(event)) ?? []),
  );
}

function logPositionOf({ blockHash, transaction, logIndex }: AuthorizationEvent): string {
  return `${blockHash} ${transaction} ${logIndex}`;
}
