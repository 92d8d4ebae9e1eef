/** Work that several requests share belongs to the trace of one, and is linked to the others. */
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { createBatcher } from "@farthing/engine/base";
import { inSpan } from "@farthing/engine/source/base/tracing";
import { createSettlementTraces } from "@farthing/engine/source/relayer/settlement-traces";
import { chainId, lane, planOf } from "@farthing/engine/testing/store-values";
import { beforeAll, beforeEach, expect, test } from "vitest";

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
const tracer = provider.getTracer("test");

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
beforeEach(() => exporter.reset());

function only(name: string) {
  const [span, ...others] = exporter.getFinishedSpans().filter((one) => one.name === name);
  if (!span || others.length > 0) throw new Error(`There is not one ${name}.`);
  return span;
}

/** A nonce for which nothing is signed. */
const emptyIntent = {
  id: 1,
  chainId,
  lane,
  nonce: 7,
  state: "intent",
  raw: null,
  hash: null,
} as const;

const linksOf = (name: string) => only(name).links.map((link) => link.context.spanId);

test("a read for three requests is a child of the first that is traced, and linked to the next", async () => {
  const read = createBatcher<number, number>({
    run: (items) => inSpan(tracer, "read", {}, async () => items),
    itemsMax: 10,
    inFlightMax: 1,
    waitingMax: 10,
  });
  const ask = (name: string, item: number) => inSpan(tracer, name, {}, () => read(item));
  expect(await Promise.all([read(0), ask("one", 1), ask("two", 2)])).toEqual([0, 1, 2]);
  const [one, two] = [only("one"), only("two")].map((span) => span.spanContext());
  expect(only("read").parentSpanContext).toMatchObject({ spanId: one?.spanId });
  expect(linksOf("read")).toEqual([two?.spanId]);
});

test("a transaction is a child of its first traced payment's span, linked to all, and fails with its work", async () => {
  const traces = createSettlementTraces(tracer);
  for (const id of ["stl_1", "stl_2"]) {
    await inSpan(tracer, id, {}, async () => traces.remember(id));
  }
  const transaction = {
    ...planOf("stl_0", "stl_1", "stl_2"),
    ...emptyIntent,
  };
  const sending = traces.inTransactions([transaction], () =>
    inSpan(tracer, "send", {}, async () => {
      traces.note(1, { "x402.send": "unknown" });
      throw new Error("a text that may quote a node");
    }),
  );
  await expect(sending).rejects.toThrow("may quote");
  const [one, two] = [only("stl_1"), only("stl_2")].map((span) => span.spanContext().spanId);
  const span = only("relayer transaction");
  expect([span.parentSpanContext?.spanId, linksOf("relayer transaction")]).toEqual([
    one,
    [one, two],
  ]);
  expect(span.attributes).toMatchObject({ "x402.settlements": 3, "x402.nonce": 7 });
  expect(span.attributes).toMatchObject({ "x402.send": "unknown", "error.type": "Error" });
  expect(only("send").parentSpanContext?.spanId).toBe(span.spanContext().spanId);
  expect(JSON.stringify([span.attributes, span.events, span.status])).not.toContain("quote");
});
