/** Passes the trace of a request on to the facilitator. */
import { readTraceContext } from "@farthing/protocol";
import type { Facilitator } from "../facilitator.ts";

/** Where OpenTelemetry's API keeps what a program has registered, in every version of it. */
const registeredKey = Symbol.for("opentelemetry.js.api.1");

/** Returns the facilitator for one request, whose trace its calls belong to. */
export function traceCalls(facilitator: Facilitator, { headers }: Request): Facilitator {
  const trace = readTraceContext(headers.get("traceparent"), headers.get("tracestate"));
  // An SDK in the seller's program adds the headers to each fetch itself; twice they are void.
  if (!trace || hasOwnTracer()) return facilitator;
  return {
    ...facilitator,
    verify: (request, limit) => facilitator.verify(request, { ...limit, trace }),
    settle: (request, limit) => facilitator.settle(request, { ...limit, trace }),
    settlement: (id, limit) => facilitator.settlement(id, { ...limit, trace }),
  };
}

function hasOwnTracer(): boolean {
  const registered: unknown = Reflect.get(globalThis, registeredKey);
  return typeof registered === "object" && registered !== null && "trace" in registered;
}
