/** A tool that fails while its process has lost the payment to another one. */
import { expect, test } from "vitest";
import { callPaid } from "./tool-call.ts";
import { later } from "../exchange/open-responses.ts";
import type { Route } from "../seller.ts";

/** A route whose work is done, and whose answer is that somebody else is at it. */
const lost: Route = {
  async charge(_request, serve) {
    await Promise.allSettled([serve({ payer: "0x1", amount: "1", network: "eip155:50" })]);
    const response = later("settlement_pending", "x", { retryAfterSeconds: 2 });
    return { response, outcome: { type: "undecided" }, timings: {} };
  },
};

test.each([
  ["says no", async () => ({ isError: true, content: [] })],
  ["throws", () => Promise.reject(new Error("no database"))],
])("which %s does not say that it was free", async (_how, work) => {
  const request = new Request("mcp://shop/report");
  const bindingSubject = { method: "MCP", body: new Uint8Array() };
  const result = await callPaid(lost, request, { bindingSubject }, work);
  expect(result.structuredContent).toMatchObject({ error: "settlement_pending", retryable: true });
});
