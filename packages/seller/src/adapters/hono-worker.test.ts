/** A seller on Hono in the runtime of Cloudflare Workers, which stops a request's work at its end. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { payFor } from "../buyer.testing.ts";
import { startWorker } from "../payment-records/durable-object/workerd.testing.ts";
import {
  pendingReply,
  startScriptedFacilitator,
  type Step,
} from "../scripted-facilitator.testing.ts";

const stack = new AsyncDisposableStack();
let facilitator: Awaited<ReturnType<typeof startScriptedFacilitator>>;
const entryPoint = join(import.meta.dirname, "hono-worker.testing.ts");
let variables: { readonly FACILITATOR_URL: string; readonly PAY_TO: string };
let shopUrl: string;
beforeAll(async () => {
  facilitator = await startScriptedFacilitator();
  stack.defer(() => facilitator.close());
  const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
  variables = { FACILITATOR_URL: facilitator.url, PAY_TO: payTo };
  const worker = await startWorker({ entryPoint, variables });
  stack.defer(() => worker.stop());
  shopUrl = worker.url;
});
afterAll(() => stack.disposeAsync());

test("a Worker finds the outcome of a pending payment after its response", async () => {
  let hasResponded = false;
  const settledLater = new Promise<void>((resolve) => {
    const step: Step = () => {
      if (!hasResponded) return pendingReply();
      resolve();
      return "honest";
    };
    facilitator.script.settle.push(...Array.from({ length: 20 }, () => step));
  });
  const url = `${shopUrl}/report`;
  const headers = await payFor(url);
  expect((await fetch(url, { headers })).status).toBe(503);
  hasResponded = true;
  // No request comes in meanwhile.
  await settledLater;
  const repeat = await fetch(url, { headers });
  expect([repeat.status, await repeat.text()]).toEqual([200, "a report"]);
  expect(facilitator.transfers()).toBe(1);
});

test("a Worker of earlier years, whose timers are numbers, sells with its records in an object", async () => {
  const kept = { ...variables, STORE: "object" };
  const worker = await startWorker({
    entryPoint,
    variables: kept,
    compatibilityDate: "2025-06-01",
  });
  stack.defer(() => worker.stop());
  const url = `${worker.url}/report`;
  const headers = await payFor(url);
  for (const _time of ["first", "again"]) {
    const response = await fetch(url, { headers });
    expect([response.status, await response.text()]).toEqual([200, "a report"]);
  }
});
