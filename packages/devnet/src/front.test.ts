/** A guarded devnet obeys programs and pages of this machine, and no page of another site. */
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { parseJson } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDevnet, type Devnet } from "./devnet.ts";

let devnet: Devnet;
let port: string;
beforeAll(async () => {
  devnet = await startDevnet({ blockTimeSeconds: 0, buyers: 1, relayers: 1, isGuarded: true });
  ({ port } = new URL(devnet.rpcUrl));
});
afterAll(() => devnet?.stop());

const victim = "0x00000000000000000000000000000000000000aa";
const theft = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "anvil_setBalance",
  params: [victim, "0x1"],
});
const question = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });

/** Sends what a browser would, with the headers that it sets itself. */
async function send(
  headers: Record<string, string>,
  body = theft,
  method = "POST",
): Promise<[status: number | undefined, reply: unknown, response: IncomingMessage]> {
  const sent = request(devnet.rpcUrl, { method, headers });
  sent.on("error", () => undefined).end(body);
  const [response]: IncomingMessage[] = await once(sent, "response");
  if (!response) throw new Error("There is no response.");
  return [response.statusCode, parseJson(await text(response))?.value, response];
}

const balanceOf = (address: string) => devnet.rpc("eth_getBalance", [address, "latest"]);

describe.each([
  ["another site", { Origin: "https://shop.example" }],
  ["a site with a name like that of this machine", { Origin: "http://localhost.example" }],
  ["a frame without an origin", { Origin: "null" }],
  ["a name that was pointed at this machine", { Host: "shop.example" }],
  ["such a name, from its own page", { Host: "shop.example", Origin: "http://shop.example" }],
])("a page of %s", (_what, headers) => {
  test.each(["application/json", "text/plain"])("is refused with %s", async (type) => {
    const [status, reply] = await send({ "Content-Type": type, ...headers });
    expect([status, reply]).toMatchObject([403, { error: { message: expect.any(String) } }]);
    expect(await balanceOf(victim)).toBe("0x0");
  });

  test("is refused its preflight and its WebSocket", async () => {
    const [status, , { headers: given }] = await send(headers, "", "OPTIONS");
    expect([status, given["access-control-allow-origin"]]).toEqual([403, undefined]);
    const upgrade = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13" };
    const key = { "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==" };
    const [refused] = await send({ ...upgrade, ...key, ...headers }, "", "GET");
    expect(refused).toBe(403);
  });
});

test("programs are obeyed, and pages of this machine and extensions of the browser too", async () => {
  const origins = [
    undefined,
    "http://localhost:3000",
    "http://127.0.0.1:8403",
    "http://[::1]:1",
    "http://shop.localhost",
    "chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn",
  ];
  for (const origin of origins) {
    const headers = { "Content-Type": "application/json", ...(origin && { Origin: origin }) };
    const [status, reply, { headers: given }] = await send(headers, question);
    expect([status, reply]).toMatchObject([200, { result: "0x33" }]);
    expect(given["access-control-allow-origin"]).toBe(origin);
    const [asked] = await send(headers, "", "OPTIONS");
    expect(asked).toBe(204);
  }
  const [status] = await send({ Host: `localhost:${port}` }, question);
  expect(status).toBe(200);
});

test("a WebSocket of a program reaches the node", async () => {
  const socket = new WebSocket(devnet.rpcUrl.replace("http", "ws"));
  await once(socket, "open");
  socket.send(question);
  const [event] = await once(socket, "message");
  expect(JSON.parse(event.data)).toMatchObject({ result: "0x33" });
  const closed = once(socket, "close");
  socket.close();
  await closed;
});

test("a request has a bound", async () => {
  const [status] = await send({}, "x".repeat(17 * 1024 * 1024));
  expect(status).toBe(413);
});
