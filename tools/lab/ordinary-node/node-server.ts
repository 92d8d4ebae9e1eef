/** An ordinary node at an address of its own, in front of a node that speaks HTTP. */
import { startRpcListener, type RpcListener, httpUpstream } from "@farthing/devnet/rpc-proxy";
import type { NodeConditions } from "./conditions.ts";
import { withLag } from "./lagging-backend.ts";
import { createOrdinaryNode, type LabClock, type OrdinaryNode } from "./ordinary-node.ts";

/** An ordinary node that listens. */
export interface RunningNode extends OrdinaryNode, RpcListener {}

const systemClock: LabClock = {
  nowMs: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
};

/** Starts a node in front of the one at `upstreamUrl`. */
export async function startOrdinaryNode(
  upstreamUrl: string,
  conditions: NodeConditions = {},
  clock: LabClock = systemClock,
): Promise<RunningNode> {
  const upstream = withLag(httpUpstream(upstreamUrl));
  const node = createOrdinaryNode({ upstream, clock, conditions });
  return Object.assign(node, await startRpcListener((body) => node.handle(body)));
}
