/** JSON-RPC over HTTP on a node's side. */
export { startRpcListener, type RpcListener } from "./listener.ts";
export * from "./messages.ts";
export { httpUpstream } from "./upstream.ts";
