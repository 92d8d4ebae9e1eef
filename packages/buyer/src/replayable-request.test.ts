/** Bodies of every kind go out twice, the same bytes both times; endless ones never at all. */
import { expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "./buyer-bench.testing.ts";
import { streamBytesMax } from "./replayable-request.ts";
import { served, startSeller } from "./scripted-seller.testing.ts";

function form(): FormData {
  const data = new FormData();
  data.set("field", "value");
  data.set("file", new Blob(["bytes"]), "a.txt");
  return data;
}

function stream(bytes: number): ReadableStream<Uint8Array> {
  return new Blob(["x".repeat(bytes)]).stream();
}

test.each([
  ["text", () => "grüße", /^grüße$/],
  ["bytes", () => new TextEncoder().encode("abc"), /^abc$/],
  ["a Blob", () => new Blob(["abc"]), /^abc$/],
  ["URLSearchParams", () => new URLSearchParams({ a: "1 2" }), /^a=1\+2$/],
  ["FormData", form, /name="field"\r\n\r\nvalue[^]*filename="a.txt"[^]*bytes/],
  ["a short stream", () => stream(10), /^x{10}$/],
])("%s", async (_, body, expected) => {
  await using seller = await startSeller({ paid: [{ cut: "before" }, served()] });
  const init = { method: "POST", body: body(), duplex: "half" };
  const response = await buyerBench().pay(seller.url, init);
  expect(response.payment.state).toBe("settled");
  expect(seller.requests).toHaveLength(3);
  expect(seller.requests[0]?.body).toMatch(expected);
  const sent = seller.requests.map((request) => [request.body, request.headers["content-type"]]);
  expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1);
});

const post = { method: "POST", duplex: "half" } as const;
const tooLong = streamBytesMax + 1;

test.each([
  ["a stream", (url: string) => new Request(url, { ...post, body: stream(tooLong) })],
  [
    "a Request of unknown origin",
    (url: string) => new Request(url, { ...post, body: "x".repeat(tooLong) }),
  ],
])("%s that is too long is refused before anything is sent", async (_, request) => {
  await using seller = await startSeller();
  const { pay } = buyerBench();
  const error = await paymentErrorOf(pay(request(seller.url)));
  expect(error.code).toBe("body_not_replayable");
  const body = stream(tooLong);
  expect((await paymentErrorOf(pay(seller.url, { ...post, body }))).code).toBe(
    "body_not_replayable",
  );
  expect(seller.requests).toHaveLength(0);
});

test("a long body that is no stream is sent", async () => {
  await using seller = await startSeller();
  await buyerBench().pay(seller.url, { method: "POST", body: "x".repeat(streamBytesMax + 1) });
  expect(seller.paid[0]?.body).toHaveLength(streamBytesMax + 1);
});
