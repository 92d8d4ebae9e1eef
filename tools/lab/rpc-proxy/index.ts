/** Proxies in front of a node: one that interferes, one that only counts, one that skips blocks. */
export type { NodeCall } from "../json-rpc/messages.ts";
export { startRpcProxy, type Reaction, type RpcProxy } from "./rpc-proxy.ts";
export { startRpcTap, type RpcTap } from "./rpc-tap.ts";
export { startSkippingNode, type SkippingNode } from "./skipping-node.ts";
