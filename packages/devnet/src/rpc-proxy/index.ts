/**
 * A JSON-RPC proxy in front of a devnet, for tests that count, change, hold or lose single calls, and
 * the parts that other imperfect nodes are made of.
 * @packageDocumentation
 */
export { startRpcListener, type RpcListener } from "./listener.ts";
export * from "./messages.ts";
export { startRpcProxy, type Reaction, type RpcProxy } from "./rpc-proxy.ts";
export { httpUpstream, postCalls } from "./upstream.ts";
