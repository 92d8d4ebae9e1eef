/** The settings of traces, under OpenTelemetry's own names. */
import { Secret } from "@farthing/engine/base";
import { samplers, type ReadSetting } from "./settings-table.ts";
import { headerValue, httpUrl, oneOf } from "./values.ts";

export interface TraceSettings {
  /** The address that spans are posted to. */
  readonly url: Secret;
  readonly headers: ReadonlyMap<string, Secret>;
  readonly serviceName: string;
  readonly sampler: (typeof samplers)[number];
  /** 0 to 1. */
  readonly ratio: number;
}

/** More is a mistake, and the name is part of every export. */
const serviceNameCharsMax = 100;

/** The other settings count only where there is a collector: other programs read them as well. */
export function readTraces(read: ReadSetting): TraceSettings | undefined {
  const url = read("OTEL_EXPORTER_OTLP_ENDPOINT", collectorUrl);
  if (!url) return undefined;
  const serviceName = read("OTEL_SERVICE_NAME", (text) =>
    text.length <= serviceNameCharsMax ? text || undefined : undefined,
  );
  const sampler = read("OTEL_TRACES_SAMPLER", oneOf(samplers));
  const ratio = read("OTEL_TRACES_SAMPLER_ARG", share);
  const headers = read("OTEL_EXPORTER_OTLP_HEADERS", headerList) ?? new Map<string, Secret>();
  if (serviceName === undefined || !sampler || ratio === undefined) return undefined;
  return { url, headers, serviceName, sampler, ratio };
}

/** Accepts the base address of a collector; credentials belong into a header. */
function collectorUrl(text: string): Secret | undefined {
  const url = URL.parse(text);
  if (!url || !httpUrl(text) || url.username !== "" || url.password !== "") return undefined;
  url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return new Secret(url.href);
}

function share(text: string): number | undefined {
  return /^(0|1|0?\.\d{1,9}|1\.0{1,9}|0\.0{1,9})$/.test(text) ? Number(text) : undefined;
}

/** Accepts the list that OpenTelemetry defines: name=value, comma-separated, percent-encoded. */
function headerList(text: string): Map<string, Secret> | undefined {
  const headers = new Map<string, Secret>();
  for (const part of text.split(",")) {
    const [, name = "", encoded = ""] =
      /^\s*([\w!#$&*+.^`|~-]{1,100})\s*=\s*(.*?)\s*$/.exec(part) ?? [];
    const value = name === "" ? undefined : headerValue(decoded(encoded));
    if (!value) return undefined;
    headers.set(name, value);
  }
  return headers;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
