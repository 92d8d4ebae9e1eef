/** Requests that arrive slowly, and addresses that hold many connections: real sockets. */
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createServer } from "./server.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

// The gateway's own times in small: headers before the body, and checked more often than both.
const arrival = { headersMs: 200, requestMs: 400, checkMs: 50 };

async function serve(trustedProxies: readonly string[] = []): Promise<string> {
  const server = createServer(
    trustedProxies,
    async (request) => {
      for await (const _ of request.raw) continue;
      return new Response("read whole");
    },
    { arrival, connectionsMax: 2 },
  );
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  stops.push(() => server.close());
  return url;
}

async function dial(url: string): Promise<{ socket: Socket; closed: Promise<string> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let said = "";
  socket.setEncoding("utf8").on("data", (part: string) => (said += part));
  socket.on("error", () => {});
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(said)));
  await new Promise((resolve) => socket.once("connect", resolve));
  return { socket, closed };
}

const head = "POST /upload HTTP/1.1\r\nHost: api.example.com\r\n";

test.each([
  ["headers that never end", `${head}X-Slow: `],
  ["a body that never ends", `${head}Content-Length: 100\r\n\r\nx`],
])("%s: 408, and the connection is closed", async (_, text) => {
  const line = await dial(await serve());
  line.socket.write(text);
  const drip = setInterval(() => line.socket.write("a"), 50);
  const said = await line.closed;
  clearInterval(drip);
  expect(said).toMatch(/^HTTP\/1\.1 408 [^]*too long to arrive/);
});

test("connections of one address beyond the bound are closed, except a trusted proxy's", async () => {
  const [open, proxied] = [await serve(), await serve(["127.0.0.1"])];
  const lines = [await dial(open), await dial(open), await dial(open)];
  expect(await lines[2]?.closed).toBe("");
  const trusted = [await dial(proxied), await dial(proxied), await dial(proxied)];
  trusted[2]?.socket.write("GET / HTTP/1.1\r\nHost: api.example.com\r\nConnection: close\r\n\r\n");
  expect(await trusted[2]?.closed).toMatch(/^HTTP\/1\.1 200 /);
  for (const { socket } of [...lines, ...trusted]) socket.destroy();
});
