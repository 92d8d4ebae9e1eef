/** Free requests pass as they are: nothing of them is repaired, repeated or added to on the way. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { rawRequest, sendRaw, startBefore } from "./gateway.testing.ts";
import type { Gateway } from "./gateway.ts";

let serve: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
let asked: string[] = [];
let upstream: Listening;
let gateway: Gateway;
beforeEach(async () => {
  asked = [];
  serve = (_, response) => void response.end("ok");
  upstream = await listen((request, response) => {
    asked.push(request.url ?? "");
    void serve(request, response);
  });
  gateway = await startBefore(`${upstream.url}/base`, {
    routes: [{ match: "* /free/*", upstream: "api", free: true }],
  });
});
afterEach(async () => {
  await gateway.stop();
  await upstream.close();
});

test.each([
  "/free/a",
  "/free/a/",
  "/free/a?",
  "/free/a?x=1&x=1&y",
  "/free/a?next=/free/b?c=d",
  "/free/a?q=%2e%2E%20+\"<>'{}|`^&a[]=1",
  "/free/a?to=../..//b",
  "/free/..a/...b",
  "/free/a'b(c)!*,:@&=+$[d]",
  "/free/%C3%A9%20b",
])("%s reaches the upstream letter by letter", async (target) => {
  const { status } = await sendRaw(gateway.url, rawRequest(`GET ${target}`));
  expect([status, asked]).toEqual([200, [`/base${target}`]]);
});

test.each(["POST", "PUT", "PATCH", "DELETE", "GET"])(
  "the body of a %s goes on as it is, with its type and its length",
  async (method) => {
    const type = 'multipart/form-data; boundary="a b"; charset=latin1';
    serve = async (request, response) => {
      const { "content-type": heard, "content-length": length } = request.headers;
      response.end(JSON.stringify([heard, length, await text(request)]));
    };
    const head = rawRequest(`${method} /free/a`, [`Content-Type: ${type}`, "Content-Length: 9"]);
    const answer = await sendRaw(gateway.url, `${head}{"a" : 1}`);
    expect(answer.text).toContain(JSON.stringify([type, "9", '{"a" : 1}']));
  },
);

// Short ones are written together with their head, longer ones in pieces.
test.each([1, 64, 256, 1_024])(
  "every byte of a response of %i times 256 arrives",
  async (times) => {
    const all = Buffer.concat(
      Array.from({ length: times }, () => Uint8Array.from({ length: 256 }, (_, at) => at)),
    );
    serve = (_, response) => void response.end(all);
    const response = await fetch(`${gateway.url}/free/a`);
    expect(response.headers.get("Content-Length")).toBe(`${all.byteLength}`);
    expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), all)).toBe(0);
  },
);

test.each([200, 503])("nothing is asked twice when the upstream answers %i", async (status) => {
  const headers = { "Retry-After": "0", "Content-Type": "application/problem+json" };
  serve = (_, response) => void response.writeHead(status, headers).end("{}");
  const response = await fetch(`${gateway.url}/free/a`);
  expect([response.status, await response.text()]).toEqual([status, "{}"]);
  expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  expect(asked).toHaveLength(1);
});

test("nothing is asked twice when the connection breaks", async () => {
  serve = (_, response) => void response.destroy();
  const response = await fetch(`${gateway.url}/free/a`);
  expect([response.status, await response.json()]).toMatchObject([
    502,
    { error: "upstream_broken" },
  ]);
  expect(asked).toHaveLength(1);
});

test("a status that does not exist is a 502, without a header of that answer", async () => {
  serve = (_, response) => void response.writeHead(700, { "X-Upstream": "1" }).end("odd");
  const { status, headers } = await fetch(`${gateway.url}/free/a`);
  expect([status, headers.get("X-Upstream")]).toEqual([502, null]);
});

test("answers without a body keep what they say of it", async () => {
  serve = ({ method }, response) => {
    response.writeHead(method === "HEAD" ? 200 : 304, { ETag: '"a"', "Content-Length": "5" });
    response.end();
  };
  const head = await fetch(`${gateway.url}/free/a`, { method: "HEAD" });
  expect([head.status, head.headers.get("Content-Length")]).toEqual([200, "5"]);
  const same = await fetch(`${gateway.url}/free/a`, { headers: { "If-None-Match": '"a"' } });
  expect([same.status, same.headers.get("ETag"), await same.text()]).toEqual([304, '"a"', ""]);
});

test("an answer before the end of its request arrives whole, and the connection goes on", async () => {
  serve = (_, response) => void response.end("early");
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname).setEncoding("utf8");
  let got = "";
  const answers = Promise.withResolvers<void>();
  const heard = Promise.withResolvers<void>();
  socket.on("data", (part: string) => {
    got += part;
    if (got.includes("early")) heard.resolve();
    if (got.split("early").length === 3) answers.resolve();
  });
  const head = ["POST /free/a HTTP/1.1", "Host: a", "Content-Length: 10", "", ""].join("\r\n");
  socket.write(`${head}first`);
  await heard.promise;
  socket.write(`later${rawRequest("GET /free/b")}`);
  await answers.promise;
  expect(got.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  socket.destroy();
});

test("a connection keeps nothing of requests that end after their answers", async () => {
  serve = (_, response) => void response.end("early");
  const warnings: string[] = [];
  const note = ({ message }: Error) => void warnings.push(message);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname).setEncoding("utf8");
  onTestFinished(() => void socket.destroy());
  let got = "";
  socket.on("data", (part: string) => void (got += part));
  const head = ["POST /free/a HTTP/1.1", "Host: a", "Content-Length: 10", "", ""].join("\r\n");
  for (let nth = 1; nth <= 20; nth++) {
    socket.write(`${head}first`);
    await expect.poll(() => got.split("early").length - 1, { interval: 5 }).toBe(nth);
    socket.write("later");
  }
  // Node.js warns where a socket has more than ten listeners of a kind.
  expect(warnings).toEqual([]);
});
