/** W3C Trace Context: the headers that name the trace that a request belongs to. */

/** The headers, ready to be sent. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Version 00: trace, parent, flags. */
const traceparentPattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Longest `tracestate` that has to be passed on (W3C Trace Context 3.3.1.5). */
const tracestateCharsMax = 512;

/** Reads the headers of a request; undefined without a valid `traceparent`. */
export function readTraceContext(
  traceparent: unknown,
  tracestate: unknown,
): TraceContext | undefined {
  if (typeof traceparent !== "string" || !traceparentPattern.test(traceparent)) return undefined;
  const isKept =
    typeof tracestate === "string" &&
    tracestate.length <= tracestateCharsMax &&
    /^[\x20-\x7e]+$/.test(tracestate);
  return { traceparent, ...(isKept ? { tracestate } : {}) };
}

/** Continues a trace with another span, of 16 hex digits. */
export function withSpan(trace: TraceContext, spanId: string): TraceContext {
  return {
    ...trace,
    traceparent: trace.traceparent.replace(traceparentPattern, `00-$1-${spanId}-$3`),
  };
}
