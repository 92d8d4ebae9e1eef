import { expect, test } from "vitest";
import { readTraceContext, withSpan } from "./trace-context.ts";

const trace = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${trace}-b7ad6b7169203331-01`;

test("a valid trace is passed on, and continued with another span", () => {
  const context = readTraceContext(traceparent, "vendor=1,other=2");
  expect(context).toEqual({ traceparent, tracestate: "vendor=1,other=2" });
  expect(context && withSpan(context, "00f067aa0ba902b7")).toEqual({
    traceparent: `00-${trace}-00f067aa0ba902b7-01`,
    tracestate: "vendor=1,other=2",
  });
});

test.each([
  undefined,
  "",
  [traceparent],
  `00-${trace}-b7ad6b7169203331`,
  `00-${trace.toUpperCase()}-b7ad6b7169203331-01`,
  `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
  `00-${trace}-${"0".repeat(16)}-01`,
  `ff-${trace}-b7ad6b7169203331-01`,
  `${traceparent}, ${traceparent}`,
  `${traceparent}\r\nX-Other: 1`,
])("%j names no trace", (malformed) => {
  expect(readTraceContext(malformed, "vendor=1")).toBeUndefined();
});

test("a state that is too long or not printable is left out", () => {
  expect(readTraceContext(traceparent, "a".repeat(513))).toEqual({ traceparent });
  expect(readTraceContext(traceparent, "a=b\r\nX-Other: 1")).toEqual({ traceparent });
});
