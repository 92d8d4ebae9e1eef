/**
 * Spans of OpenTelemetry. The API package alone records nothing: a program passes a tracer of its SDK
 * or registers one. An attribute never holds a secret, a signature, a URL or the text of an error.
 */
import {
  context,
  createContextKey,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
} from "@opentelemetry/api";
import { Fault } from "./fault.ts";

/** The tracer that a program has registered with OpenTelemetry's API; without one, it records nothing. */
export function registeredTracer(): Tracer {
  return trace.getTracer("@farthing/engine");
}

/** Spans that wait for the same work as the active one. */
const companionsKey = createContextKey("farthing.companions");

/** Links of one span at most: OpenTelemetry's own default. */
const linksMax = 128;

/** Runs work in a span of its own, which ends with the work and records how it failed. */
export function inSpan<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const companions = companionsOf(context.active());
  const links = [...(options.links ?? []), ...companions].slice(0, linksMax);
  // The span takes the links; its children belong to it alone.
  const parent = context.active().deleteValue(companionsKey);
  return tracer.startActiveSpan(name, { ...options, links }, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      markFailed(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Marks a span as failed by what was thrown. The message stays out: it may quote input. */
export function markFailed(span: Span, error: unknown): void {
  const type =
    error instanceof Fault ? error.code : error instanceof Error ? error.name : "unknown";
  failSpan(span, type);
}

/** Marks a span as failed for a reason of a closed set. */
export function failSpan(span: Span, reason: string): void {
  span.setAttribute("error.type", reason);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * The context of work that several wait for: its spans are children of the first that is recorded, and
 * linked to the others.
 */
export function sharedContext(contexts: readonly Context[]): Context {
  const spans = contexts.flatMap((one) => trace.getSpanContext(one) ?? []);
  const first = spans.find(isSampled) ?? spans[0];
  if (!first) return ROOT_CONTEXT;
  const inherited = contexts.flatMap(companionsOf);
  const others = spans.filter(({ spanId }) => spanId !== first.spanId).map(linkTo);
  const shared = trace.setSpanContext(ROOT_CONTEXT, first);
  return shared.setValue(companionsKey, [...others, ...inherited].slice(0, linksMax));
}

export function linkTo(spanContext: SpanContext): Link {
  return { context: spanContext };
}

export function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** The trace that the active span belongs to. */
export function activeTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}

function companionsOf(one: Context): readonly Link[] {
  const links: unknown = one.getValue(companionsKey);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- set by `sharedContext` alone
  return (links as readonly Link[] | undefined) ?? [];
}
