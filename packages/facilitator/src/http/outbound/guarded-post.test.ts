/** Where a message to an address of a stranger's choice goes, and where it does not. */
import { createServer, type Server } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { listenHere } from "../../../test/support/listening.testing.ts";
import { createGuardedPost, webhookReach } from "./guarded-post.ts";
import { findUrlProblem } from "./url-rules.ts";

const message = (url: string) => ({ url, headers: { "x-test": "1" }, body: "{}" });

describe("sending", () => {
  let server: Server;
  let port: number;
  const hosts: (string | undefined)[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      hosts.push(request.headers.host);
      if (request.url === "/endless") {
        response.writeHead(200);
        const more = () => {
          while (response.write("x".repeat(64 * 1024)));
        };
        response.on("drain", more);
        return more();
      }
      response.writeHead(request.method === "POST" ? 202 : 405).end("taken");
    });
    port = await listenHere(server);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test("goes to the address that was checked, whatever the name says next", async () => {
    const answers = [["127.0.0.1"], ["10.0.0.1"]];
    let asked = 0;
    const post = createGuardedPost({
      reach: webhookReach(true),
      resolve: async () => answers[asked++] ?? [],
    });
    const url = `http://hooks.example:${port}/`;
    expect(await post(message(url))).toEqual({ kind: "answered", status: 202 });
    expect(asked).toBe(1);
    expect(hosts.at(-1)).toBe(`hooks.example:${port}`);
    const inside = { kind: "unanswered", problem: "Its address is not public." };
    expect(await post(message(url))).toEqual(inside);
  });

  test("one inside address among public ones is one too many", async () => {
    const post = createGuardedPost({
      reach: webhookReach(false),
      resolve: async () => ["8.8.8.8", "10.0.0.1"],
    });
    const outcome = await post(message("https://hooks.example/"));
    expect(outcome).toEqual({ kind: "unanswered", problem: "Its address is not public." });
  });

  test("a name without address, and one that does not resolve", async () => {
    for (const resolve of [
      async () => [],
      async () => {
        throw new Error("SERVFAIL 10.0.0.53");
      },
    ]) {
      const post = createGuardedPost({ reach: webhookReach(false), resolve });
      const outcome = await post(message("https://hooks.example/"));
      expect(outcome).toEqual({ kind: "unanswered", problem: "The name has no address." });
    }
  });

  test("an answer without end is cut off", async () => {
    const post = createGuardedPost({ reach: webhookReach(true) });
    const outcome = await post(message(`http://127.0.0.1:${port}/endless`));
    expect(outcome).toEqual({ kind: "answered", status: 200 });
  });

  test("what does not answer, or not in HTTP, or not in TLS", async () => {
    const odd = createTcpServer((socket) => socket.end("220 mail.example ESMTP\r\n"));
    const oddPort = await listenHere(odd);
    onTestFinished(() => void odd.close());
    const post = createGuardedPost({ reach: webhookReach(true) });
    for (const url of [
      `http://127.0.0.1:${oddPort}/`,
      `https://127.0.0.1:${oddPort}/`,
      "http://127.0.0.1:1/",
    ]) {
      const outcome = await post(message(url));
      expect(outcome).toMatchObject({ kind: "unanswered" });
      expect(JSON.stringify(outcome)).not.toMatch(/127\.0|ESMTP/);
    }
  });

  test("nothing is sent once its sender has ended", async () => {
    const post = createGuardedPost({ reach: webhookReach(true) });
    const before = hosts.length;
    const signal = AbortSignal.abort();
    const outcome = await post({ ...message(`http://127.0.0.1:${port}/`), signal });
    expect(outcome).toMatchObject({ kind: "unanswered" });
    expect(hosts).toHaveLength(before);
  });
});

test("on devnets this machine and plain http are allowed, and nothing else more", () => {
  expect(findUrlProblem("http://127.0.0.1:3000/hook", webhookReach(true))).toBeUndefined();
  for (const url of [
    "ftp://127.0.0.1/",
    "http://a:b@127.0.0.1/",
    "http://x.example/#y",
    "nothing",
  ]) {
    expect(findUrlProblem(url, webhookReach(true))).toEqual(expect.any(String));
  }
});
