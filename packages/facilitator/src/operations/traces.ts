/**
 * Traces over OTLP, with OpenTelemetry's SDK, which is loaded only when a collector is configured. The
 * export is bounded: what a collector does not take in time is dropped, and no payment waits for it.
 */
import { context, type TextMapPropagator, type Tracer } from "@opentelemetry/api";
import { Fault, type Log, type Runtime } from "@farthing/engine/base";
import type { ExportResultCode } from "@opentelemetry/core";
import type { ReadableSpan, Sampler, SpanExporter } from "@opentelemetry/sdk-trace";
import type { TraceSettings } from "../config/traces.ts";

export interface Traces {
  readonly tracer: Tracer;
  readonly propagator: TextMapPropagator;
  /** Sends what is left, for a moment at most. */
  stop(): Promise<void>;
}

/** Spans that wait for an export: about three hundred payments, and one or two megabytes. */
const waitingSpansMax = 4_096;

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
  { clock, log, version }: Runtime & { readonly version: string },
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
  const provider = new sdk.TracerProvider({
    resource: sdk.defaultResource().merge(
      sdk.resourceFromAttributes({
        "service.name": settings.serviceName,
        "service.version": version,
      }),
    ),
    sampler: samplerOf(settings, sdk),
    spanLimits: { attributeValueLengthLimit: attributeCharsMax },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: reportFailures(exporter, log, sdk.ExportResultCode.SUCCESS),
        maxQueueSize: waitingSpansMax,
        maxExportBatchSize: exportSpansMax,
        scheduledDelayMillis: exportPauseMs,
        exportTimeoutMillis: processorTimeoutMs,
      }),
    ],
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

/** Logs the first of several failed exports, and the first success after them. */
function reportFailures(exporter: SpanExporter, log: Log, success: ExportResultCode): SpanExporter {
  let isFailing = false;
  function report(error: Error | undefined): void {
    if (error && !isFailing) {
      const fields = { event: "trace_export_failed", problem: reasonOf(error) };
      log.warn(fields, "Traces not exported; payments continue without them");
    }
    if (!error && isFailing) log.info({ event: "trace_export_resumed" }, "Traces exported again");
    isFailing = error !== undefined;
  }
  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, (result) => {
        report(result.code === success ? undefined : (result.error ?? new Error("unknown")));
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
