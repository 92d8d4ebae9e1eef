/** Requests that arrive slowly, and addresses that hold many connections: real sockets. */
import { connect, type Socket } from "node:net";
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveOn, startChain, type Served } from "../support/facilitator.testing.ts";

let devnet: Devnet;
let served: Served;
let behindProxy: Served;

beforeAll(async () => {
  devnet = await startChain({ relayers: 2 });
  const env = { FARTHING_CONNECTIONS_PER_ADDRESS: "2" };
  // The service's own times in small: headers before the body, and checked more often than both.
  const arrival = { headersMs: 200, requestMs: 400, checkMs: 50 };
  served = await serveOn(devnet, { env, arrival });
  behindProxy = await serveOn(devnet, {
    wallets: [1],
    env: { ...env, FARTHING_TRUSTED_PROXIES: "127.0.0.0/8" },
  });
});
afterAll(async () => {
  await Promise.all([served?.stop(), behindProxy?.stop()]);
  await devnet?.stop();
});

interface Line {
  readonly socket: Socket;
  /** What the server said until it closed the connection. */
  readonly closed: Promise<string>;
}

async function dial({ url }: Served): Promise<Line> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let said = "";
  socket.setEncoding("utf8").on("data", (part: string) => (said += part));
  socket.on("error", () => {});
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(said)));
  await new Promise((resolve) => socket.once("connect", resolve));
  return { socket, closed };
}

describe("a request that arrives slowly is answered 408 and closed", () => {
  const head = "POST /settle HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

  test.each([
    ["headers that never end", `${head}X-Slow: `],
    ["a body that never ends", `${head}Content-Length: 100\r\n\r\n{`],
  ])("%s", async (_, text) => {
    const line = await dial(served);
    line.socket.write(text);
    // One more byte now and then does not make it a new request.
    const drip = setInterval(() => line.socket.write("a"), 50);
    const said = await line.closed;
    clearInterval(drip);
    expect(said).toMatch(/^HTTP\/1\.1 408 [^]*too long to arrive/);
  });
});

describe("connections of one address", () => {
  test("beyond the bound are closed, and a place that becomes free is given again", async () => {
    const [first, second] = [await dial(served), await dial(served)];
    const third = await dial(served);
    expect(await third.closed).toBe("");
    first.socket.destroy();
    await first.closed;
    second.socket.destroy();
    await second.closed;
    expect((await served.get("/health")).status).toBe(200);
  });

  test("are not counted for a trusted proxy, through which everybody comes", async () => {
    const lines = [await dial(behindProxy), await dial(behindProxy), await dial(behindProxy)];
    const answers = await Promise.all(
      lines.map(async ({ socket, closed }) => {
        socket.write("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        return closed;
      }),
    );
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});
