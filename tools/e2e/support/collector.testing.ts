/** A stand-in of an OpenTelemetry collector: OTLP over HTTP, in JSON. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { isObject, type JsonObject } from "@farthing/protocol";
import { listen, type Listening } from "@farthing/seller/testing/listen";

/** A span as it was exported. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** By name, as text. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The ids of the spans that it is linked to. */
  readonly links: readonly string[];
}

export interface Collector extends Listening {
  readonly spans: ReceivedSpan[];
  /** All that arrived, with its headers. */
  readonly texts: string[];
  /** While true, no export is answered. */
  hangs: boolean;
}

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  const listening = await listen((request, response) => void take(request, response));

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await buffer(request)).toString();
    texts.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`, body);
    if (collector.hangs) return;
    spans.push(...readSpans(JSON.parse(body)));
    response.setHeader("Content-Type", "application/json");
    response.end("{}");
  }

  const collector: Collector = { ...listening, spans, texts, hangs: false };
  return collector;
}

function readSpans(body: unknown): ReceivedSpan[] {
  return listIn(body, "resourceSpans")
    .flatMap((resource) => listIn(resource, "scopeSpans"))
    .flatMap((scope) => listIn(scope, "spans"))
    .map((span) => ({
      name: String(span["name"]),
      traceId: String(span["traceId"]),
      spanId: String(span["spanId"]),
      parentSpanId: typeof span["parentSpanId"] === "string" ? span["parentSpanId"] : undefined,
      attributes: Object.fromEntries(listIn(span, "attributes").map(readAttribute)),
      links: listIn(span, "links").map((link) => String(link["spanId"])),
    }));
}

/** A value is wrapped in its type: `{ stringValue: "…" }`. */
function readAttribute({ key, value }: JsonObject): [string, string] {
  return [String(key), isObject(value) ? String(Object.values(value)[0]) : ""];
}

function listIn(from: unknown, name: string): JsonObject[] {
  const list: unknown = isObject(from) ? from[name] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}
