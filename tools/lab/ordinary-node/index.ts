/**
 * Ordinary nodes: what a facilitator meets at public endpoints and providers, in front of a devnet
 * or of a simulated node. Conditions combine and may change at any time:
 *
 *     const node = await startOrdinaryNode(devnet.rpcUrl, {
 *       rateLimit: { perSecond: 5, style: "json_429" },
 *       batchLimit: { maxCalls: 10, style: "array_with_one_error" },
 *     });
 *     // … the service under test asks node.url …
 *     expect(node.record.refused("rate")).toBe(0);
 *     node.conditions = { ...node.conditions, expiredKey: 401 };
 *     await node.stop();
 *
 * `record` says what was asked and what was refused, so that a test can hold the service to a
 * limit. Times are those of the given clock. The policies (rate-limit.ts, request-limits.ts,
 * call-answers.ts, pool-rules.ts) decide without a network or a timer.
 */
export * from "./conditions.ts";
export {
  readRequest,
  type NodeCall,
  type NodeReply,
  type NodeUpstream,
} from "@farthing/devnet/rpc-proxy";
export {
  createOrdinaryNode,
  nodeOddities,
  type LabClock,
  type NodeOddity,
  type OrdinaryNode,
} from "./ordinary-node.ts";
export type { NodeExchange, NodeRecord } from "./node-record.ts";
export { startOrdinaryNode, type RunningNode } from "./node-server.ts";
export { feeCapDefault, maxNonceDistanceDefault, refuseTransaction } from "./pool-rules.ts";
export { readTransaction, type PoolTransaction } from "./transaction.ts";
