/** A seller on Hono in the runtime of Cloudflare Workers, which stops a request's work at its end. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { payFor } from "../buyer.testing.ts";
import { startWorker } from "../payment-records/workerd.testing.ts";
import {
  pendingReply,
  startScriptedFacilitator,
  type Step,
} from "../scripted-facilitator.testing.ts";

const stack = new AsyncDisposableStack();
let facilitator: Awaited<ReturnType<typeof startScriptedFacilitator>>;
let shopUrl: string;
beforeAll(async () => {
  facilitator = await startScriptedFacilitator();
  stack.defer(() => facilitator.close());
  const worker = await startWorker({
    entryPoint: join(import.meta.dirname, "hono-worker.testing.ts"),
    variables: {
      FACILITATOR_URL: facilitator.url,
      PAY_TO: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    },
  });
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
