/** Bodies that come bit by bit, in both directions, and clients that leave. */
import { request as httpRequest } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rawRequest, startBefore } from "./gateway.testing.ts";
import type { Gateway } from "./gateway.ts";

let serve: (request: IncomingMessage, response: ServerResponse) => void;
let upstream: Listening;
let gateway: Gateway;
beforeEach(async () => {
  upstream = await listen((request, response) => serve(request, response));
  gateway = await startBefore(upstream.url, {
    // Nothing here ends because it took long.
    upstream: {
      maxRequestBytes: "64KiB",
      timeouts: { headers: "10m", idle: "10m", total: "10m" },
    },
    routes: [{ match: "* /free/*", upstream: "api", free: true }],
  });
});
afterEach(async () => {
  await gateway.stop();
  await upstream.close();
});

async function nextText(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const { value } = await reader.read();
  return new TextDecoder().decode(value);
}

test("events arrive one by one, and the head before the first", async () => {
  let stream: ServerResponse | undefined;
  serve = (_, response) => {
    stream = response;
    response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
  };
  const response = await fetch(`${gateway.url}/free/events`);
  expect(response.headers.get("Content-Type")).toBe("text/event-stream");
  const reader = response.body?.getReader();
  if (!reader || !stream) throw new Error("There is no stream.");
  for (const event of ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]) {
    // The next one is written only after this one was read at the other end.
    stream.write(event);
    expect(await nextText(reader)).toBe(event);
  }
  stream.end();
  expect((await reader.read()).done).toBe(true);
});

test("a request's body arrives before it is complete", async () => {
  const { promise: arrived, resolve } = Promise.withResolvers<string>();
  serve = (request, response) => {
    request.once("data", (part: Buffer) => resolve(part.toString()));
    request.once("end", () => response.end("thanks"));
  };
  const { host } = new URL(gateway.url);
  const sent = httpRequest({
    host: "127.0.0.1",
    port: host.split(":")[1],
    method: "POST",
    path: "/free/a",
  });
  const answered = new Promise<IncomingMessage>((take) => sent.once("response", take));
  sent.write("first half");
  expect(await arrived).toBe("first half");
  sent.end("second");
  const response = await answered;
  expect(response.statusCode).toBe(200);
  response.resume();
});

test.each(["before the head", "in the middle of the body"])(
  "a client that leaves %s ends the upstream's work",
  async (when) => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    serve = (_, response) => {
      response.once("close", resolve);
      if (when !== "before the head") response.writeHead(200).write("half");
      start();
    };
    const leaving = new AbortController();
    const asked = fetch(`${gateway.url}/free/slow`, { signal: leaving.signal });
    asked.catch(() => undefined);
    await started;
    if (when !== "before the head") await asked;
    leaving.abort();
    await expect(closed).resolves.toBeUndefined();
  },
);

const realTimeout = setTimeout;

/** Writes until nothing more is taken, for half a second; gives how much it was, in bytes. */
function writeUntilStuck(response: ServerResponse): Promise<number> {
  const chunk = Buffer.alloc(64 * 1024);
  let written = 0;
  return new Promise((resolve) => {
    const push = (): void => {
      // Full at every hop: gateway, sockets, client. Nobody takes more until somebody reads.
      const isTaken = response.write(chunk);
      written += chunk.byteLength;
      if (isTaken) return void setImmediate(push);
      const timer = realTimeout(resolve, 500, written);
      response.once("drain", () => {
        clearTimeout(timer);
        push();
      });
    };
    push();
  });
}

test("an upstream is not read faster than its client reads", async () => {
  const { promise: stuck, resolve } = Promise.withResolvers<number>();
  serve = (_, response) => resolve(writeUntilStuck(response));
  const leaving = new AbortController();
  const response = await fetch(`${gateway.url}/free/endless`, { signal: leaving.signal });
  expect(response.status).toBe(200);
  // What lies in the sockets' buffers on the way; an endless stream would be far beyond it.
  expect(await stuck).toBeLessThan(64 * 1024 * 1024);
  leaving.abort();
});

test("a client who takes nothing of his answer is let go of after a minute", async () => {
  const { promise: stuck, resolve } = Promise.withResolvers<number>();
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>();
  serve = (_, response) => {
    response.once("close", letGo);
    resolve(writeUntilStuck(response));
  };
  const { hostname, port } = new URL(gateway.url);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const client = connect(Number(port), hostname).pause();
  client.write(rawRequest("GET /free/endless"));
  await stuck;
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  await expect(isLetGo).resolves.toBeUndefined();
  client.destroy();
});

test("an upstream that breaks off breaks off the answer, and does not end it", async () => {
  serve = (_, response) => {
    response.writeHead(200).write("half", () => response.destroy());
  };
  const response = await fetch(`${gateway.url}/free/a`);
  await expect(response.text()).rejects.toThrow();
});

test.each(["declared", "chunked"])("a body that is too large (%s) is refused", async (how) => {
  serve = (request, response) => {
    request.resume();
    request.once("end", () => response.end("taken"));
  };
  const body = new Uint8Array(100_000);
  const chunked = { body: new Blob([body]).stream(), duplex: "half" };
  const response = await fetch(`${gateway.url}/free/a`, {
    method: "POST",
    ...(how === "declared" ? { body } : chunked),
  });
  expect([response.status, await response.json()]).toMatchObject([
    413,
    { error: "request_too_large" },
  ]);
});
