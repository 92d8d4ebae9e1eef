/** What a seller or a clock cannot make of sending: no end, and no memory. */
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { buyerBench } from "./buyer-bench.testing.ts";
import { fakeClock, receiptHeader, startSeller } from "./scripted-seller.testing.ts";
import { sendsMax, wholeBodyBytesMax } from "./send-payment.ts";

test("a body that is short on the wire and long unpacked is left to the caller", async () => {
  const content = new Uint8Array(3 * wholeBodyBytesMax);
  const headers = { ...receiptHeader(), "Content-Encoding": "gzip" };
  await using seller = await startSeller({
    paid: [{ headers, body: new Uint8Array(gzipSync(content)) }],
  });
  const { pay, ledger } = buyerBench();
  const response = await pay(seller.url);
  const [record] = await ledger.list(["settled"]);
  expect([record?.answer?.status, record?.answer?.bodyHash]).toEqual([200, undefined]);
  expect((await response.arrayBuffer()).byteLength).toBe(content.byteLength);
});

test("a clock that stands still does not make it send for ever", async () => {
  await using seller = await startSeller({ paid: [{ status: 503 }] });
  const clock = fakeClock();
  let waits = 0;
  const sleep = async () => {
    waits += 1;
    if (waits > 2 * sendsMax) throw new Error("It goes on for ever.");
  };
  const { pay } = buyerBench({ runtime: { ...clock, sleep } });
  expect((await pay(seller.url)).payment.state).toBe("ambiguous");
  expect(seller.paid).toHaveLength(sendsMax);
});
