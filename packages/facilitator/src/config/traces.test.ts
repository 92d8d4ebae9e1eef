/** The settings of traces, under the names that other programs read as well. */
import { expect, test } from "vitest";
import { readConfig } from "./config.ts";

const readWith = (more: Readonly<Record<string, string>>) =>
  readConfig({ env: { FARTHING_RPC_51: "http://127.0.0.1:8545", ...more } });

const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/otlp/" };

test("are off without a collector, whatever other programs are told", () => {
  expect(readWith({ OTEL_TRACES_SAMPLER: "xray", OTEL_SERVICE_NAME: "x" }).traces).toBeUndefined();
});

test("go to the path that OTLP defines, with headers as OpenTelemetry writes them", () => {
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20a%2Cb , x-tenant=1" };
  const { traces } = readWith({ ...collector, ...headers });
  expect(traces?.url.expose()).toBe("http://127.0.0.1:4318/otlp/v1/traces");
  expect([...(traces?.headers ?? [])].map(([name, value]) => [name, value.expose()])).toEqual([
    ["Authorization", "Bearer a,b"],
    ["x-tenant", "1"],
  ]);
  expect(traces).toMatchObject({
    serviceName: "farthing",
    sampler: "parentbased_always_on",
    ratio: 1,
  });
});

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4318"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:secret@collector"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "Authorization"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a=%zz"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a=b%0D%0Ac: d"],
  ["OTEL_SERVICE_NAME", "x".repeat(101)],
  ["OTEL_TRACES_SAMPLER", "xray"],
  ["OTEL_TRACES_SAMPLER_ARG", "1.1"],
  ["OTEL_TRACES_SAMPLER_ARG", "a tenth"],
])("%s=%s is refused beside a collector", (name, value) => {
  expect(() => readWith({ ...collector, [name]: value })).toThrow(new RegExp(`^${name}[^\n]*$`));
});
