/**
 * Traces over OTLP, with OpenTelemetry's SDK, which is loaded only when a collector is configured. The
 * export is bounded: what a collector does not take in time is dropped, and no payment waits for it.
 */
import { context, TraceFlags, type TextMapPropagator, type Tracer } from "@opentelemetry/api";
import { Fault, type Log, type Runtime } from "@farthing/engine/base";
import type { ExportResultCode } from "@opentelemetry/core";
import type { ReadableSpan, Sampler, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import type { TraceSettings } from "../config/traces.ts";

export interface Traces {
  readonly tracer: Tracer;
  readonly propagator: TextMapPropagator;
  /** Sends what is left, for a moment at most. */
  stop(): Promise<void>;
}

/** What becomes of a finished span. All but the first are lost. */
export const spanOutcomes = ["exported", "export_failed", "queue_full"] as const;

export type SpanOutcome = (typeof spanOutcomes)[number];

interface TraceDeps extends Runtime {
  readonly version: string;
  readonly metrics: { noteSpans(outcome: SpanOutcome, count: number): void };
}

/** Spans that wait for an export: about three hundred payments, and one or two megabytes. */
const waitingSpansMax = 4_096;

/** A queue that was full counts as emptied below this, so that the log says it once and not for each span. */
const emptiedMax = waitingSpansMax / 2;

/** Spans of one export: a few hundred kilobytes of JSON. */
const exportSpansMax = 512;

/** Pause between two exports: a trace can be looked at soon after its payment. */
const exportPauseMs = 2_000;

/** A collector takes milliseconds. Meanwhile spans wait, and no payment does. */
const exportTimeoutMs = 5_000;

/** The processor gives up after the exporter has, so that the exporter's reason is logged. */
const processorTimeoutMs = exportTimeoutMs + 1_000;

/** For the last export; a stop has 25 seconds in all, of which the last payments may need most. */
const flushMs = 1_500;

/** Longer texts in attributes are cut; ours are identifiers. */
const attributeCharsMax = 256;

/** Starts the export, if there is a collector. Throws the fault `configuration` when the SDK's packages are not installed. */
export async function startTraces(
  settings: TraceSettings | undefined,
  { clock, log, version, metrics }: TraceDeps,
): Promise<Traces | undefined> {
  if (!settings) return undefined;
  const sdk = await loadSdk();
  const exporter = new sdk.OTLPTraceExporter({
    url: settings.url.expose(),
    headers: Object.fromEntries(
      [...settings.headers].map(([name, value]) => [name, value.expose()]),
    ),
    timeoutMillis: exportTimeoutMs,
  });
  const record = createExportRecord(log, metrics.noteSpans);
  const processor = new sdk.BatchSpanProcessor({
    exporter: recordExports(exporter, record, sdk.ExportResultCode.SUCCESS),
    maxQueueSize: waitingSpansMax,
    maxExportBatchSize: exportSpansMax,
    scheduledDelayMillis: exportPauseMs,
    exportTimeoutMillis: processorTimeoutMs,
  });
  const provider = new sdk.TracerProvider({
    resource: sdk.defaultResource().merge(
      sdk.resourceFromAttributes({
        "service.name": settings.serviceName,
        "service.version": version,
      }),
    ),
    sampler: samplerOf(settings, sdk),
    spanLimits: { attributeValueLengthLimit: attributeCharsMax },
    spanProcessors: [dropWhenFull(processor, record)],
  });
  // One for the process, and without state: services of the same process share it.
  context.setGlobalContextManager(new sdk.AsyncLocalStorageContextManager().enable());
  return {
    tracer: provider.getTracer("farthing", version),
    propagator: new sdk.W3CTraceContextPropagator(),
    async stop() {
      const isFlushed = new AbortController();
      // A failed export is logged where it fails.
      const flushed = provider.shutdown().catch(() => undefined);
      void flushed.then(() => isFlushed.abort());
      await clock.sleep(flushMs, isFlushed.signal);
    },
  };
}

/** The packages are optional, and take 20 MB. */
async function loadSdk() {
  try {
    const [sdk, exporter, resources, core, hooks] = await Promise.all([
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/core"),
      import("@opentelemetry/context-async-hooks"),
    ]);
    return { ...sdk, ...exporter, ...resources, ...core, ...hooks };
  } catch (error) {
    throw new Fault(
      "configuration",
      "OTEL_EXPORTER_OTLP_ENDPOINT needs OpenTelemetry's packages, which farthing-operator installs; install it, or leave the setting out",
      { retryable: false, cause: error },
    );
  }
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

function samplerOf({ sampler, ratio }: TraceSettings, sdk: Sdk): Sampler {
  const ofRoot = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  };
  switch (sampler) {
    case "always_on":
    case "always_off":
    case "traceidratio":
      return ofRoot[sampler]();
    case "parentbased_always_on":
      return new sdk.ParentBasedSampler({ root: ofRoot.always_on() });
    case "parentbased_always_off":
      return new sdk.ParentBasedSampler({ root: ofRoot.always_off() });
    case "parentbased_traceidratio":
      return new sdk.ParentBasedSampler({ root: ofRoot.traceidratio() });
    default:
      return sampler satisfies never;
  }
}

type ExportRecord = ReturnType<typeof createExportRecord>;

/** Counts what becomes of spans, and logs the first loss of several and the end of them. */
function createExportRecord(log: Log, noteSpans: TraceDeps["metrics"]["noteSpans"]) {
  let waiting = 0;
  /** Since the last time that everything was well. */
  let lost = 0;
  let isFailing = false;
  let isFull = false;
  return {
    /** Returns whether a finished span may wait for its export. */
    admit(): boolean {
      if (waiting < waitingSpansMax) {
        waiting++;
        return true;
      }
      noteSpans("queue_full", 1);
      lost++;
      if (!isFull) {
        const fields = { event: "trace_queue_full", waiting };
        log.warn(fields, "Spans of traces dropped; too many wait for their export");
      }
      isFull = true;
      return false;
    },
    taken(count: number): void {
      waiting -= count;
    },
    exported(count: number): void {
      noteSpans("exported", count);
      if (isFull && waiting > emptiedMax) return;
      if (isFailing || isFull) {
        log.info({ event: "trace_export_resumed", lost }, "Traces exported again");
      }
      [isFailing, isFull, lost] = [false, false, 0];
    },
    failed(count: number, error: Error): void {
      noteSpans("export_failed", count);
      lost += count;
      if (!isFailing) {
        const fields = { event: "trace_export_failed", problem: reasonOf(error) };
        log.warn(fields, "Traces not exported; payments continue without them");
      }
      isFailing = true;
    },
  };
}

/** Drops what does not fit before the SDK does, which would not count it. */
function dropWhenFull(processor: SpanProcessor, record: ExportRecord): SpanProcessor {
  return {
    onStart: (span, parent) => processor.onStart(span, parent),
    onEnd(span) {
      const isSampled = (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
      if (isSampled && record.admit()) processor.onEnd(span);
    },
    forceFlush: () => processor.forceFlush(),
    shutdown: () => processor.shutdown(),
  };
}

function recordExports(
  exporter: SpanExporter,
  record: ExportRecord,
  success: ExportResultCode,
): SpanExporter {
  return {
    export(spans: ReadableSpan[], done) {
      record.taken(spans.length);
      exporter.export(spans, (result) => {
        if (result.code === success) record.exported(spans.length);
        else record.failed(spans.length, result.error ?? new Error("unknown"));
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** Returns a code such as ECONNREFUSED, or an HTTP status: texts may quote the collector's address. */
function reasonOf(error: Error): string {
  const code = "code" in error ? error.code : undefined;
  return typeof code === "string" || typeof code === "number" ? String(code) : error.name;
}
