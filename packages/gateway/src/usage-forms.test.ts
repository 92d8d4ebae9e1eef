/**
 * Whatever form the body of a request has, it costs what the upstream's usage says, or its reserve: the
 * buyer writes the body, and must not decide by it whether they are billed.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { isObject, member } from "@farthing/protocol";
import { payFor } from "@farthing/seller/testing/buyer";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configOf, takesEveryPayment as facilitator } from "./gateway.testing.ts";
import { startGateway, type Gateway } from "./gateway.ts";

const reserve = 50_000n;
/** A token of input costs three base units, of output fifteen. */
const usage = { inputPerMillion: "3", outputPerMillion: "15" };
const balance = { topUp: "1000.00", reserve: "0.05", scope: "all" };
const stopped = { ...balance, overrun: "stop" };

let upstream: Listening;
let gateway: Gateway;
let token: string;
beforeAll(async () => {
  upstream = await listen((request, response) => void serveModel(request, response));
  const sold = { upstream: "api", costFrom: { usage } };
  const config = configOf(upstream.url, {
    publicUrl: "http://shop.example",
    store: "memory",
    routes: [
      { match: "GET /balance", upstream: "api", balance: { ...balance, costHeader: "X-Units" } },
      { match: "POST /stopped/*", ...sold, balance: stopped, stream: "sse" },
      { match: "POST /open/*", ...sold, balance, stream: "sse" },
      { match: "POST /whole/*", ...sold, balance },
    ],
  });
  gateway = await startGateway({ config, facilitator });
  const url = `${gateway.url}/balance`;
  const paid = await fetch(url, { headers: await payFor(url) });
  token = paid.headers.get("PAYMENT-PASS") ?? "";
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.close();
});

/** What the model server has used until now, in base units of its prices. */
let used = 0n;

/** A model server as loose as those in use: it decodes bodies, and reads many values as yes. */
async function serveModel(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "GET") return void response.writeHead(200, { "X-Units": "0" }).end();
  const sent = await buffer(request);
  const isGzip = request.headers["content-encoding"] === "gzip";
  const asked = parseLoosely((isGzip ? gunzipSync(sent) : sent).toString());
  if (!asked) return void response.writeHead(400).end();
  const input = Math.ceil(JSON.stringify(asked).length / 4);
  const told = { prompt_tokens: input, completion_tokens: 20, total_tokens: input + 20 };
  used += BigInt(input * 3 + 20 * 15);
  if (!isStream(member(asked, "stream"))) {
    return void response.end(JSON.stringify({ choices: [{ text: "Hello" }], usage: told }));
  }
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.write(`data: ${JSON.stringify({ choices: [{ text: "Hello" }] })}\n\n`);
  const options = member(asked, "stream_options");
  if (isObject(options) && isStream(member(options, "include_usage"))) {
    response.write(`data: ${JSON.stringify({ choices: [], usage: told })}\n\n`);
  }
  response.end("data: [DONE]\n\n");
}

/** As Python's parser, which takes NaN, and the first of two readers of a name given twice. */
function parseLoosely(json: string): Record<string, unknown> | undefined {
  try {
    const first = /"stream":\s*(true|1|"on")/.test(json) ? { stream: true } : {};
    const value: unknown = JSON.parse(json.replaceAll("NaN", "null").replace(/^\uFEFF/, ""));
    return isObject(value) ? { ...value, ...first } : undefined;
  } catch {
    return undefined;
  }
}

const isStream = (value: unknown) =>
  ["true", "1", "on", "yes", "t", "y"].includes(String(value).toLowerCase());

async function left(): Promise<bigint> {
  const response = await fetch(`${gateway.url}/balance`, { headers: { "PAYMENT-PASS": token } });
  return BigInt(response.headers.get("X-Balance-Remaining") ?? "0");
}

/** Sends a body, and returns what it has cost and what the upstream has used for it. */
async function bill(path: string, body: Uint8Array<ArrayBuffer>, headers: object = {}) {
  const before = { left: await left(), used };
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "PAYMENT-PASS": token, ...headers },
    body,
  });
  await response.text();
  return { status: response.status, cost: before.left - (await left()), used: used - before.used };
}

const encode = (text: string) => new TextEncoder().encode(text);
const gzip = (text: string) => new Uint8Array(gzipSync(text));

const yes = ["true", "1", '"true"', '"on"', '"yes"', '"TRUE"', '" on "', "[1]", "{}", "2.5"];
const no = ["false", "0", "null", '"false"', '"off"', '""', undefined];
const texts = fc.constantFrom("Hi", "é".repeat(200), "word ".repeat(12_000));

/** A body with what a model reads, in a form that not every reader understands alike. */
const forms = fc.record({
  input: fc.oneof(
    texts.map((content) => `"messages":[{"role":"user","content":${JSON.stringify(content)}}]`),
    texts.map((prompt) => `"prompt":${JSON.stringify(prompt)}`),
    texts.map((input) => `"input":${JSON.stringify(input)}`),
    fc.constant('"prompt":[1,2,3]'),
  ),
  stream: fc.constantFrom(...yes, ...no),
  again: fc.constantFrom(undefined, "true", "false"),
  options: fc.constantFrom(undefined, '{"include_usage":false}', "null", "1"),
  odd: fc.constantFrom("", '"temperature":NaN,', '"seed":1,'),
  mark: fc.constantFrom("", "\uFEFF"),
  isGzip: fc.boolean(),
  path: fc.constantFrom("/stopped", "/open", "/whole"),
  kind: fc.constantFrom("/v1/chat/completions", "/v1/completions", "/v1/responses", "/any"),
});

test("a request costs what its usage says, or its reserve, whatever the form of its body", async () => {
  await fc.assert(
    fc.asyncProperty(forms, async ({ isGzip, path, kind, ...parts }) => {
      const { input, stream, again, options, odd, mark } = parts;
      const members = [
        input,
        ...(stream === undefined ? [] : [`"stream":${stream}`]),
        ...(again === undefined ? [] : [`"stream":${again}`]),
        ...(options === undefined ? [] : [`"stream_options":${options}`]),
      ];
      const json = `${mark}{${odd}${members.join(",")}}`;
      const headers = isGzip ? { "Content-Encoding": "gzip" } : {};
      const billed = await bill(path + kind, isGzip ? gzip(json) : encode(json), headers);
      if (billed.cost >= billed.used || billed.cost === reserve) return;
      throw new Error(
        `${path}${kind} ${json.slice(0, 200)}: cost ${billed.cost}, used ${billed.used}`,
      );
    }),
    { numRuns: 300 },
  );
});

describe("with overrun: stop", () => {
  const path = "/stopped/v1/completions";
  const prompt = "word ".repeat(1_000);

  test.each(["true", "1", '"on"'])(
    "a stream asked for by %s is billed by its usage",
    async (is) => {
      const billed = await bill(path, encode(`{"prompt":"${prompt}","stream":${is}}`));
      expect(billed.cost).toBe(billed.used);
      expect(billed.used).toBeGreaterThan(3_000n);
    },
  );

  test("a stream without its usage costs the reserve, whatever was counted", async () => {
    expect(await bill(path, encode('{"input":"Hi","stream":true}'))).toMatchObject({
      status: 200,
      cost: reserve,
    });
  });

  test("a prompt that costs more than the reserve stops the stream at its first event", async () => {
    const body = encode(`{"input":"${"word ".repeat(60_000)}","stream":true}`);
    const response = await fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { "PAYMENT-PASS": token },
      body,
    });
    expect(await response.text()).toMatch(/^event: error\ndata: {"error":{"code":"reserve_spent"/);
  });
});

test("a body with a content coding is refused before anything is paid", async () => {
  const response = await fetch(`${gateway.url}/open/v1/completions`, {
    method: "POST",
    headers: { "Content-Encoding": "gzip" },
    body: gzip('{"prompt":"Hi"}'),
  });
  expect([response.status, response.headers.get("Accept-Encoding")]).toEqual([415, "identity"]);
  expect(await response.json()).toMatchObject({ error: "unsupported_coding", retryable: false });
});
