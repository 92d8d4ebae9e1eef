/** Checks that the collector of traces takes an export. */
import { type CheckLine, fail, ok, warn } from "@farthing/engine/base";
import type { TraceSettings } from "../config/traces.ts";

/** A collector answers in milliseconds. */
const answerMs = 3_000;

/** The ports on which collectors take OTLP over gRPC, which is another protocol. */
const grpcPort = "4317";

/** Posts an export without spans. No text names the collector's address or headers. */
export async function checkCollector(settings: TraceSettings | undefined): Promise<CheckLine[]> {
  if (!settings) return [];
  const url = settings.url.expose();
  const isGrpc = new URL(url).port === grpcPort;
  const fix = isGrpc
    ? "port 4317 is usually gRPC; traces go over HTTP, to port 4318 of the same collector"
    : "look at OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS; payments do not depend on it";
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        ...Object.fromEntries([...settings.headers].map(([name, value]) => [name, value.expose()])),
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ resourceSpans: [] }),
      redirect: "error",
      signal: AbortSignal.timeout(answerMs),
    });
    await response.body?.cancel();
    if (response.ok) return [ok("traces", "the collector takes traces")];
    const isAuth = response.status === 401 || response.status === 403;
    const text = `the collector responds with HTTP ${response.status}`;
    return [fail("traces", text, isAuth ? "look at OTEL_EXPORTER_OTLP_HEADERS" : fix)];
  } catch {
    return [warn("traces", "the collector does not answer", fix)];
  }
}
