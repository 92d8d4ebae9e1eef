/** Requests to addresses of strangers: over TLS, to where was checked, within bounds. */
import { createServer, type Server } from "node:https";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createAuthority } from "../../../test/support/certificates.testing.ts";
import { listenForTest, listenHere } from "../../../test/support/listening.testing.ts";
import { createGuardedPost } from "./guarded-post.ts";
import { createGuardedRequest } from "./guarded-request.ts";
import { findUrlProblem } from "./url-rules.ts";

const internetOnly = { isLocal: false, isPlain: false };
const local = { isLocal: true, isPlain: false };
const authority = createAuthority();
const resolve = async () => ["127.0.0.1"];
const get = (url: string) => ({ method: "GET", url, headers: {}, bytesMax: 1_000 });

describe("addresses that are not public are refused in every notation", () => {
  const request = createGuardedRequest({ reach: internetOnly });

  test.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://１２７.０.０.１/",
    "https://127.0.0.1./",
    "https://①②⑦.0.0.1/",
    "https://[::1]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::127.0.0.1]/",
    "https://[2002:7f00:1::]/",
    "https://[fe80::1]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://localhost/",
    "https://localhost./",
    "https://metadata/",
    "https://shop.example\\@127.0.0.1/",
    "https://shop.example:22/",
    "https://me:word@shop.example/",
    "https://shop.example/#part",
    "https://shop.example/\r\nX: y",
    " https://shop.example/",
    "http://shop.example/",
    "file:///etc/passwd",
    "gopher://shop.example/",
    "//shop.example/",
  ])("%s", async (url) => {
    const outcome = await request(get(url));
    expect(outcome).toMatchObject({ kind: "unanswered", isOurFault: false });
  });

  test.each(["10.0.0.1", "192.168.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:10.0.0.1"])(
    "a name of the internet that leads to %s",
    async (address) => {
      for (const answer of [[address], ["8.8.8.8", address], [address, "8.8.8.8"]]) {
        const asked = createGuardedRequest({ reach: internetOnly, resolve: async () => answer });
        expect(await asked(get("https://shop.example/"))).toMatchObject({
          kind: "unanswered",
          problem: "Its address is not public.",
        });
      }
    },
  );

  test("a name and the usual ports pass", () => {
    for (const url of ["https://shop.example/a?b=c", "https://shop.example:8443/"]) {
      expect(findUrlProblem(url, internetOnly)).toBeUndefined();
    }
    expect(findUrlProblem("https://shop.example./", internetOnly)).toMatch(/dot/);
  });
});

describe("a server on this machine", () => {
  let server: Server;
  let port: number;
  const names: (string | undefined)[] = [];
  beforeAll(async () => {
    const identity = authority.identify({ dns: ["shop.example"], ips: ["127.0.0.1"] });
    server = createServer(identity, (request, response) => {
      names.push(request.headers.host);
      response.writeHead(200, { "X-One": ["a", "b"] }).end("x".repeat(1_000));
    });
    port = await listenHere(server);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test("is asked where was checked, by its own name, whatever the name says next", async () => {
    const answers = [["127.0.0.1"], ["10.0.0.1"]];
    let asked = 0;
    const request = createGuardedRequest({
      reach: local,
      extraCa: authority.cert,
      resolve: async () => answers[asked++] ?? [],
    });
    const url = `https://shop.example:${port}/`;
    expect(await request(get(url))).toMatchObject({
      kind: "answered",
      status: 200,
      headers: { "x-one": "a, b" },
      body: "x".repeat(1_000),
    });
    // Checked and connected to by one look-up: a second one could say something else.
    expect(asked).toBe(1);
    expect(names.at(-1)).toBe(`shop.example:${port}`);
    const { length } = names;
    expect(await request(get(url))).toMatchObject({ problem: "Its address is not public." });
    expect(names).toHaveLength(length);
  });

  test("whose answer is longer than is taken gives no body", async () => {
    const request = createGuardedRequest({ reach: local, extraCa: authority.cert });
    const wanted = { ...get(`https://127.0.0.1:${port}/`), bytesMax: 999 };
    expect(await request(wanted)).toMatchObject({ kind: "answered", body: undefined });
  });

  test("has a certificate that is believed and for its name, for messages as for questions", async () => {
    const url = `https://127.0.0.1:${port}/`;
    const elsewhere = `https://other.example:${port}/`;
    const certificate = {
      kind: "unanswered",
      problem: "The certificate or TLS itself is not in order.",
    };
    const { length } = names;
    for (const [target, extraCa] of [
      [url, undefined],
      [url, createAuthority("Another").cert],
      [elsewhere, authority.cert],
    ] as const) {
      const deps = { reach: local, resolve, extraCa };
      expect(await createGuardedRequest(deps)(get(target))).toMatchObject(certificate);
      const message = { url: target, headers: {}, body: "{}" };
      expect(await createGuardedPost(deps)(message)).toEqual(certificate);
    }
    expect(names).toHaveLength(length);
    const right = createGuardedPost({ reach: local, extraCa: authority.cert });
    const message = { url, headers: {}, body: "{}" };
    expect(await right(message)).toEqual({ kind: "answered", status: 200 });
  });
});

test("what never ends is ended, and is the endpoint's fault", async () => {
  const server = createServer(authority.identify(), (_request, response) => {
    response.writeHead(200).write("x");
  });
  const port = await listenForTest(server);
  const request = createGuardedRequest({ reach: local, extraCa: authority.cert });
  expect(await request(get(`https://127.0.0.1:${port}/`))).toEqual({
    kind: "unanswered",
    problem: "There was no answer within 10 seconds.",
    isOurFault: false,
  });
});

test("interim answers without end are ended at once, and one or two pass", async () => {
  const hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  const server = createServer(authority.identify(), ({ url, socket }, response) => {
    socket.on("error", () => undefined);
    if (url === "/some") {
      socket.write(hint.repeat(2), () => response.end("x"));
      return;
    }
    const more = () => {
      while (!socket.destroyed && socket.write(hint.repeat(100)));
    };
    socket.on("drain", more);
    more();
  });
  const port = await listenForTest(server);
  const request = createGuardedRequest({ reach: local, extraCa: authority.cert });
  const some = await request(get(`https://127.0.0.1:${port}/some`));
  expect(some).toMatchObject({ kind: "answered", body: "x" });
  expect(await request(get(`https://127.0.0.1:${port}/endless`))).toEqual({
    kind: "unanswered",
    problem: "The connection failed.",
    isOurFault: false,
  });
});

test("what switches to another protocol instead of answering is ended at once", async () => {
  const server = createServer(authority.identify());
  server.on("secureConnection", (socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
    });
  });
  const port = await listenForTest(server);
  const request = createGuardedRequest({ reach: local, extraCa: authority.cert });
  expect(await request(get(`https://127.0.0.1:${port}/`))).toMatchObject({
    kind: "unanswered",
    isOurFault: false,
  });
});

test("the environment neither sends it through a proxy nor lets certificates be", async () => {
  const server = createServer(authority.identify(), (_request, response) => response.end());
  const port = await listenForTest(server);
  onTestFinished(() => void vi.unstubAllEnvs());
  const proxy = "http://127.0.0.1:1";
  vi.stubEnv("HTTPS_PROXY", proxy).stubEnv("https_proxy", proxy).stubEnv("NODE_USE_ENV_PROXY", "1");
  const url = `https://127.0.0.1:${port}/`;
  const trusting = createGuardedRequest({ reach: local, extraCa: authority.cert });
  expect(await trusting(get(url))).toMatchObject({ kind: "answered", status: 200 });
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  expect(await createGuardedRequest({ reach: local })(get(url))).toMatchObject({
    problem: "The certificate or TLS itself is not in order.",
  });
});

test("a resolver that cannot ask, and an end from here, are not the endpoint's fault", async () => {
  const again = Object.assign(new Error("try again"), { code: "EAI_AGAIN" });
  const gone = Object.assign(new Error("not found"), { code: "ENOTFOUND" });
  for (const [error, isOurFault] of [
    [again, true],
    [gone, false],
  ] as const) {
    const deps = { reach: internetOnly, resolve: () => Promise.reject(error) };
    const request = createGuardedRequest(deps);
    expect(await request(get("https://shop.example/"))).toMatchObject({ isOurFault });
  }
  const request = createGuardedRequest({ reach: local });
  const ended = { ...get("https://127.0.0.1:1/"), signal: AbortSignal.abort() };
  expect(await request(ended)).toMatchObject({ kind: "unanswered", isOurFault: true });
});
