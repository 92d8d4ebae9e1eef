/** Proxies in front of a node: one that interferes, one that only counts, one that skips blocks. */
export {
  type NodeCall,
  startRpcProxy,
  type Reaction,
  type RpcProxy,
} from "@farthing/devnet/rpc-proxy";
export { startRpcTap, type RpcTap } from "./rpc-tap.ts";
export { startSkippingNode, type SkippingNode } from "./skipping-node.ts";
