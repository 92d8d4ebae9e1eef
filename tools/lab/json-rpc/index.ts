/** JSON-RPC over HTTP on a node's side. */
export {
  errorOfNone,
  html,
  httpUpstream,
  json,
  postCalls,
  readRequest,
  refuse,
  respond,
  startRpcListener,
  type NodeCall,
  type NodeReply,
  type NodeRequest,
  type NodeResponse,
  type NodeUpstream,
  type RpcListener,
} from "@farthing/devnet/rpc-proxy";
