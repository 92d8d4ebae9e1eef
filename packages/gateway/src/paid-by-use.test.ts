/** Routes that are charged by use: the upstream's header names the cost, or its usage of tokens. */
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { payFor } from "@farthing/seller/testing/buyer";
import type { Facilitator } from "@farthing/seller";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { gatewayConfig, rule } from "./configuration/gateway-file.testing.ts";
import { configOf } from "./gateway.testing.ts";
import { startGateway, type Gateway } from "./gateway.ts";

/** Takes every payment. */
const facilitator: Facilitator = {
  verify: async () => ({ kind: "verdict", verdict: { isValid: true } }),
  settle: async () => ({
    kind: "settlement",
    settlement: { success: true, transaction: `0x${"cd".repeat(32)}`, network: "eip155:50" },
  }),
  settlement: async () => ({ kind: "not_found" }),
};

const balance = { topUp: "5.00", reserve: "0.05" };
/** A thousand tokens of input cost 150 base units, of output 600. */
const costFrom = { usage: { inputPerMillion: "0.15", outputPerMillion: "0.60" } };
const sold = (path: string, more: object) => ({
  match: path,
  upstream: "api",
  balance: { ...balance, scope: "all" },
  ...more,
});

interface Asked {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let asked: Asked[];
let answer: (response: ServerResponse) => void | Promise<void>;
let upstream: Listening;
let gateway: Gateway;
beforeEach(async () => {
  asked = [];
  upstream = await listen((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      asked.push({ headers: request.headers, body });
      void answer(response);
    });
  });
  const config = configOf(upstream.url, {
    publicUrl: "http://shop.example",
    store: "memory",
    // Nothing here ends because it took long.
    upstream: { timeouts: { headers: "9m", idle: "9m", total: "9m" } },
    routes: [
      sold("GET /reports", { balance: { ...balance, scope: "all", costHeader: "X-Units" } }),
      sold("POST /v1/chat", { costFrom, stream: "sse" }),
      sold("GET /final", { balance: { ...balance, costHeader: "X-Units", finalAbove: "4.99" } }),
      sold("GET /alone", { balance: { ...balance, costHeader: "X-Units" } }),
      sold("POST /v1/whole", { costFrom }),
      sold("POST /v1/cut", {
        balance: { ...balance, scope: "all", overrun: "stop" },
        costFrom: { usage: { inputPerMillion: "0.15", outputPerMillion: "10000" } },
        stream: "sse",
      }),
    ],
  });
  gateway = await startGateway({ config, facilitator });
});
afterEach(async () => {
  await gateway.stop();
  await upstream.close();
});

/** Tops up with a request that costs nothing, and returns the token. */
async function toppedUp(path = "/reports"): Promise<{ "PAYMENT-PASS": string }> {
  answer = (response) => void response.writeHead(200, { "X-Units": "0" }).end();
  const url = `${gateway.url}${path}`;
  const response = await fetch(url, { headers: await payFor(url) });
  await response.text();
  expect(response.headers.get("X-Balance-Remaining")).toBe("5000000");
  asked = [];
  return { "PAYMENT-PASS": response.headers.get("PAYMENT-PASS") ?? "" };
}

const moneyOf = ({ headers }: Response) => [
  headers.get("X-Balance-Remaining"),
  headers.get("X-Request-Cost"),
];

/** Returns what is left, by a request that costs nothing. */
async function left(headers: { "PAYMENT-PASS": string }) {
  answer = (response) => void response.writeHead(200, { "X-Units": "0" }).end();
  const response = await fetch(`${gateway.url}/reports`, { headers });
  await response.text();
  return response.headers.get("X-Balance-Remaining");
}

const chat = (path: string, headers: { "PAYMENT-PASS": string }) =>
  fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify({ messages: [], stream: path !== "/v1/whole" }),
  });

/** Begins a chat and closes the connection once something of the answer is there. */
function leaveAfterFirstBytes(headers: { "PAYMENT-PASS": string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${gateway.url}/v1/chat`, { method: "POST", headers });
    sent.once("error", reject);
    sent.once("response", (response) => {
      response.once("data", () => {
        sent.off("error", reject).on("error", () => undefined);
        response.on("error", () => undefined);
        response.once("close", () => resolve());
        sent.destroy();
      });
    });
    sent.end(JSON.stringify({ messages: [], stream: true }));
  });
}

test("the cost is what a header of the upstream says, which the buyer does not see", async () => {
  const headers = await toppedUp();
  answer = (response) => void response.writeHead(200, { "X-Units": "0.0123" }).end("content");
  const claims = { ...headers, "X-Units": "0.000001" };
  const used = await fetch(`${gateway.url}/reports`, { headers: claims });
  expect([used.status, moneyOf(used), await used.text()]).toEqual([
    200,
    ["4987700", "12300"],
    "content",
  ]);
  expect(used.headers.get("X-Units")).toBeNull();
  expect(asked[0]?.headers["payment-pass"]).toBeUndefined();
  // An upstream that returns what it was sent would let the buyer name the cost.
  expect(asked[0]?.headers["x-units"]).toBeUndefined();
  answer = (response) => void response.writeHead(503, { "X-Units": "0.0123" }).end();
  const failed = await fetch(`${gateway.url}/reports`, { headers });
  expect([failed.status, moneyOf(failed)]).toEqual([503, ["4987700", "0"]]);
  expect(failed.headers.get("X-Units")).toBeNull();
});

test("a balance without a scope of its own pays for its route alone", async () => {
  const headers = await toppedUp("/alone");
  expect((await fetch(`${gateway.url}/final`, { headers })).status).toBe(402);
  expect(moneyOf(await fetch(`${gateway.url}/alone`, { headers }))).toEqual(["5000000", "0"]);
});

test("a body that is larger than the route takes is refused, and costs nothing", async () => {
  const headers = await toppedUp();
  const body = "a".repeat(1024 ** 2 + 1);
  const refused = await fetch(`${gateway.url}/v1/whole`, { method: "POST", headers, body });
  expect([refused.status, moneyOf(refused)]).toEqual([413, ["5000000", "0"]]);
  expect(asked).toEqual([]);
});

test("a request whose buyer leaves is charged once together with its repeat", async () => {
  const headers = { ...(await toppedUp()), "Idempotency-Key": "order 7" };
  const isBegun = Promise.withResolvers<void>();
  const isLeft = Promise.withResolvers<void>();
  answer = async (response) => {
    isBegun.resolve();
    await isLeft.promise;
    response.writeHead(200, { "X-Units": "0.0091" }).end("content");
  };
  const leaving = new AbortController();
  const lost = fetch(`${gateway.url}/reports`, { headers, signal: leaving.signal });
  await isBegun.promise;
  leaving.abort();
  await expect(lost).rejects.toThrow();
  isLeft.resolve();
  const again = await fetch(`${gateway.url}/reports`, { headers });
  expect([again.status, await again.text(), asked.length]).toEqual([200, "content", 1]);
  const { "PAYMENT-PASS": token } = headers;
  expect(await left({ "PAYMENT-PASS": token })).toBe("4990900");
});

test("a top-up above the price that has to be final pays for its own request alone before", async () => {
  answer = (response) => void response.writeHead(200, { "X-Units": "0.01" }).end();
  const url = `${gateway.url}/final`;
  const paid = await fetch(url, { headers: await payFor(url) });
  expect([paid.status, moneyOf(paid)]).toEqual([200, ["4990000", "10000"]]);
  const headers = { "PAYMENT-PASS": paid.headers.get("PAYMENT-PASS") ?? "" };
  // This facilitator returns no settlement id, so the gateway cannot learn when the payment is final.
  const waiting = await fetch(url, { headers });
  expect([waiting.status, await waiting.json()]).toMatchObject([
    503,
    { error: "settlement_pending" },
  ]);
});

const eventOf = (tokens: number) =>
  `data: ${JSON.stringify({ usage: { prompt_tokens: tokens, completion_tokens: tokens } })}`;

describe("the usage of tokens is the cost", () => {
  test("of a JSON response", async () => {
    const headers = await toppedUp();
    const usage = { prompt_tokens: 1_000, completion_tokens: 2_001 };
    answer = (response) => void response.end(JSON.stringify({ choices: [], usage }));
    const used = await chat("/v1/whole", headers);
    expect(moneyOf(used)).toEqual([String(5_000_000 - 1_351), "1351"]);
    expect(asked[0]?.headers["accept-encoding"]).toBe("identity");
    expect(asked[0]?.body).toBe(JSON.stringify({ messages: [], stream: false }));
  });

  test("of a stream, which is asked to report it", async () => {
    const headers = await toppedUp();
    const usage = { prompt_tokens: 1_000, completion_tokens: 1_000 };
    const event = `data: ${JSON.stringify({ choices: [], usage })}\n\n`;
    answer = (response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write(`data: {"choices":[{}],"usage":null}\n\n${event.slice(0, 20)}`);
      response.end(`${event.slice(20)}data: [DONE]\n\n`);
    };
    const used = await chat("/v1/chat", headers);
    expect(moneyOf(used)).toEqual(["4950000", null]);
    expect(await used.text()).toContain("[DONE]");
    expect(JSON.parse(asked[0]?.body ?? "")).toMatchObject({
      stream_options: { include_usage: true },
    });
    expect(await left(headers)).toBe("4999250");
  });

  test("of a stream that reports it several times, at its highest, also without a last newline", async () => {
    const headers = await toppedUp();
    const bill = async (...tokens: number[]) => {
      answer = (response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        response.end(tokens.map(eventOf).join("\n\n"));
      };
      await (await chat("/v1/chat", headers)).text();
      return left(headers);
    };
    expect(await bill(10, 1_000, 0, 0)).toBe("4999250");
    expect(await bill(0, 1_000)).toBe("4998500");
  });

  test("of a stream whose buyer leaves, which is read to its end", async () => {
    const headers = await toppedUp();
    const { promise: isLeft, resolve } = Promise.withResolvers<void>();
    const { promise: isEnded, resolve: ended } = Promise.withResolvers<void>();
    answer = async (response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write("data: {}\n\n");
      await isLeft;
      const usage = { input_tokens: 1_000, output_tokens: 1_000 };
      response.end(`data: ${JSON.stringify({ response: { usage } })}\n\n`, ended);
    };
    await leaveAfterFirstBytes(headers);
    // By the answer to another request the gateway knows that the buyer has left.
    expect(await left(headers)).toBe("4950000");
    resolve();
    await isEnded;
    // The charge follows the end.
    let remaining = await left(headers);
    while (remaining === "4950000") remaining = await left(headers);
    expect(remaining).toBe("4999250");
  });

  test("of a stream that breaks is what was reported until then, else the reserve", async () => {
    const headers = await toppedUp();
    const usage = { prompt_tokens: 1_000, completion_tokens: 10 };
    const brokenWith = async (event: string) => {
      const hasEvent = Promise.withResolvers<void>();
      answer = async (response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        response.write(event);
        await hasEvent.promise;
        response.destroy();
      };
      const reader = (await chat("/v1/chat", headers)).body?.getReader();
      await reader?.read();
      hasEvent.resolve();
      await expect(reader?.read()).rejects.toThrow(TypeError);
      return left(headers);
    };
    expect(await brokenWith(`data: ${JSON.stringify({ choices: [{}], usage })}\n\n`)).toBe(
      "4999844",
    );
    expect(await brokenWith('data: {"choices":[{}]}\n\n')).toBe("4949844");
  });

  test("of a stream that stops at its reserve is one token for each text, until it is reported", async () => {
    const headers = await toppedUp();
    const word = 'data: {"choices":[{"delta":{"content":"a "}}]}\n\n';
    const usage = { prompt_tokens: 0, completion_tokens: 4 };
    const first = 'data: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n';
    const ended = `${first}${word.repeat(5)}data: ${JSON.stringify({ usage })}\n\n`;
    answer = (response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.end(ended);
    };
    expect(await (await chat("/v1/cut", headers)).text()).toBe(ended);
    expect(await left(headers)).toBe("4960000");
    const hasFive = Promise.withResolvers<void>();
    const isClosed = Promise.withResolvers<void>();
    answer = async (response) => {
      response.once("close", () => isClosed.resolve());
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write(`${first}${word.repeat(5)}`);
      await hasFive.promise;
      response.write(word);
    };
    let text = "";
    for await (const part of (await chat("/v1/cut", headers)).body ?? []) {
      text += new TextDecoder().decode(part);
      if (text.split(word).length === 6) hasFive.resolve();
    }
    expect(text.split(word)).toHaveLength(6);
    expect(text).toMatch(/\n\nevent: error\ndata: {"error":{"code":"reserve_spent",.*}}\n\n$/);
    await isClosed.promise;
    expect(await left(headers)).toBe("4910000");
  });

  test("that is not reported is the reserve", async () => {
    const headers = await toppedUp();
    answer = (response) => void response.end("{}");
    expect(moneyOf(await chat("/v1/whole", headers))).toEqual(["4950000", "50000"]);
    // Counts that no model can have used.
    const usage = { prompt_tokens: -1_000_000, completion_tokens: 1_000 };
    answer = (response) => void response.end(JSON.stringify({ usage }));
    expect(moneyOf(await chat("/v1/whole", headers))).toEqual(["4900000", "50000"]);
  });
});

const read = (more: object) =>
  gatewayConfig({ routes: [{ match: "GET /a", upstream: "api", ...more }] });

test("the file says what is topped up, reserved and charged", () => {
  const route = read({ balance, costFrom }).routes[0];
  expect(route?.balance).toEqual({ topUp: 5_000_000n, reserve: 50_000n });
  expect(route?.costFrom).toEqual({
    usage: { inputPerMillion: 150_000n, outputPerMillion: 600_000n },
  });
  expect(route?.amountUnits).toBe(5_000_000n);
  const stopped = read({ balance: { ...balance, overrun: "stop" } }).routes[0];
  expect(stopped?.balance?.overrun).toBe("stop");
  expect(() => read({ balance: { ...balance, overrun: "go" } })).toThrow(/overrun/);
  expect(() => read({ balance: { topUp: "5" } })).toThrow(/routes\[0\]\.balance\.reserve is/);
  expect(() => read({ balance: { topUp: "5", reserve: "6" } })).toThrow(/is more than topUp/);
  expect(() => read({ balance, price: "1" })).toThrow(/must have either free/);
  expect(() => read({ costFrom, price: "1" })).toThrow(/costFrom needs a balance/);
  expect(() => read({ balance, settle: "after-success" })).toThrow(/settle makes no sense/);
  expect(() => gatewayConfig({ routes: [rule("GET /a free", { balance })] })).toThrow(
    /must have either free/,
  );
  const queued = { facilitator: "embedded", serveWhen: "queued" };
  const routes = [{ match: "GET /a", upstream: "api", balance }];
  expect(() => gatewayConfig({ ...queued, routes })).toThrow(/balance needs serveWhen: confirmed/);
});
