/** A span for each request to a node: its methods, never its address or parameters. */
import type { Network } from "@farthing/protocol";
import { SpanKind, trace, type Tracer } from "@opentelemetry/api";
import { failSpan, inSpan } from "../../base/tracing.ts";
import type { RpcEndpoint } from "./rpc-endpoint.ts";

/** Following blocks belongs to no request, and would be a trace every other second. */
export function traceEndpoint(tracer: Tracer, { id }: Network, endpoint: RpcEndpoint): RpcEndpoint {
  return {
    ...endpoint,
    send(calls) {
      const [first] = calls;
      if (!trace.getActiveSpan() || !first) return endpoint.send(calls);
      const methods = [...new Set(calls.map(({ method }) => method))];
      const name = methods.length === 1 ? first.method : "JSON-RPC batch";
      const attributes = {
        "rpc.system.name": "jsonrpc",
        "rpc.method": methods.join(","),
        "x402.rpc.calls": calls.length,
        "x402.rpc.endpoint_index": endpoint.index,
        "x402.network": id,
      };
      return inSpan(tracer, name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
        const response = await endpoint.send(calls);
        if (response.kind === "refused") failSpan(span, response.refusal);
        return response;
      });
    },
  };
}
