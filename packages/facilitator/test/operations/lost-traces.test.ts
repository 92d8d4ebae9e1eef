/** What operators see when traces are lost: metrics and one line of the log, whatever the reason. */
import { createServer } from "node:http";
import type { Devnet } from "@farthing/devnet";
import { createLog, systemClock } from "@farthing/engine/base";
import { isObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { startTraces } from "../../src/operations/traces.ts";
import { serveOn, startChain, type Served } from "../support/facilitator.testing.ts";
import { listenForTest } from "../support/listening.testing.ts";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startChain();
});
afterAll(() => devnet?.stop());

/** A collector that responds with a status, or not at all. */
async function startCollector() {
  const collector = { status: 200 as number | "hangs", url: "" };
  const server = createServer((request, response) => {
    request.resume();
    const { status } = collector;
    if (status !== "hangs") response.writeHead(status, { "content-type": "application/json" });
    if (status !== "hangs") response.end("{}");
  });
  collector.url = `http://127.0.0.1:${await listenForTest(server)}`;
  return collector;
}

/** A service that sends its traces to a collector. */
async function serveTraced(collectorUrl: string) {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const env = { FARTHING_METRICS_PORT: "0", OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl };
  const served = await serveOn(devnet, { log, env });
  onTestFinished(() => served.stop());
  const events = () =>
    lines.flatMap((line) => {
      const entry: unknown = JSON.parse(line);
      const isOurs = isObject(entry) && String(entry["event"]).startsWith("trace_");
      return isOurs ? [{ event: entry["event"], lost: entry["lost"] }] : [];
    });
  return { served, events };
}

/** The spans of each outcome. */
async function spansOf({ metricsUrl }: Served): Promise<Record<string, number>> {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  const series = text.matchAll(/^x402_trace_spans_total\{outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...series].map(([, outcome, count]) => [outcome, Number(count)]));
}

/** Each request is a span, and asks no node, whose calls would be more of them. */
async function ask({ url }: Served, requests: number): Promise<void> {
  for (let left = requests; left > 0; left -= 100) {
    const some = Array.from({ length: Math.min(left, 100) }, () =>
      fetch(`${url}/.well-known/nothing`),
    );
    await Promise.all((await Promise.all(some)).map((response) => response.text()));
  }
}

test("a collector that refuses: its spans are counted, and the log says so once", async () => {
  const collector = await startCollector();
  const { served, events } = await serveTraced(collector.url);
  expect(await spansOf(served)).toEqual({ exported: 0, export_failed: 0, queue_full: 0 });
  await ask(served, 3);
  await expect.poll(() => spansOf(served)).toMatchObject({ exported: 3 });
  collector.status = 400;
  await ask(served, 2);
  await expect.poll(() => spansOf(served)).toMatchObject({ export_failed: 2 });
  await ask(served, 2);
  await expect.poll(() => spansOf(served)).toMatchObject({ export_failed: 4 });
  collector.status = 200;
  await ask(served, 1);
  await expect.poll(() => spansOf(served)).toMatchObject({ exported: 4 });
  expect(events()).toEqual([
    { event: "trace_export_failed", lost: undefined },
    { event: "trace_export_resumed", lost: 4 },
  ]);
});

test("a collector that hangs: what does not fit is counted at once, and the log says so once", async () => {
  const collector = await startCollector();
  collector.status = "hangs";
  const lines: string[] = [];
  const counts: Record<string, number> = {};
  const env = { FARTHING_RPC_51: devnet.rpcUrl, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const traces = await startTraces(readConfig({ env }).traces, {
    clock: systemClock,
    log: createLog("info", { write: (line) => void lines.push(line) }),
    version: "0",
    metrics: {
      noteSpans: (outcome, count) => void (counts[outcome] = (counts[outcome] ?? 0) + count),
    },
  });
  // 512 are being exported, and 4,096 wait.
  for (let made = 0; made < 5_000; made++) traces?.tracer.startSpan("made").end();
  expect(counts["queue_full"]).toBe(5_000 - 512 - 4_096);
  expect(lines.filter((line) => line.includes('"trace_queue_full"'))).toHaveLength(1);
  await traces?.stop();
});
