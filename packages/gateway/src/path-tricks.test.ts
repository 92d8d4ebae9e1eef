/**
 * No way of writing an address reaches a paid upstream unpaid. The upstream is Express, which takes
 * other cases of letters, slashes at the end and escapes; and everything but the paid routes is free,
 * which is the most dangerous file an operator can write.
 */
import express from "express";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { rawRequest, sendRaw, startBefore } from "./gateway.testing.ts";
import type { Gateway } from "./gateway.ts";

const paid = [
  { match: "GET /v1/reports/:id", upstream: "api", price: "0.01" },
  { match: "POST /v1/jobs", upstream: "api", price: "0.25", settle: "before-upstream" },
  { match: "GET /v1/files/*", upstream: "api", price: "0.02" },
];

let sold: string[] = [];
const sell: express.RequestHandler = (req, res) => {
  sold.push(`${req.method} ${req.originalUrl}`);
  res.send("what is sold");
};
let upstream: Listening;
beforeAll(async () => {
  const app = express();
  app.get("/v1/reports/:id", sell);
  app.post("/v1/jobs", sell);
  app.get("/v1/files/*rest", sell);
  app.use((_req, res) => void res.send("free"));
  upstream = await listen(app);
});
afterAll(() => upstream?.close());
beforeEach(() => {
  sold = [];
});

/** Every one of these names something that is sold, in the eyes of some server. */
const tricks = [
  "/v1//reports/7",
  "//v1/reports/7",
  "/v1/reports//7",
  "/free/../v1/reports/7",
  "/free/./../v1/reports/7",
  "/free/%2e%2e/v1/reports/7",
  "/free/%2E./v1/reports/7",
  "/free/..%2fv1/reports/7",
  "/v1/./reports/7",
  "/v1/%2e/reports/7",
  "/v1/%72eports/7",
  "/%76%31/reports/7",
  "/v1%2freports/7",
  "/v1%2Freports%2F7",
  "/v1%5creports/7",
  "/v1\\reports\\7",
  "/V1/Reports/7",
  "/v1/REPORTS/7",
  "/v1/reports/7/",
  "/v1/reports/7//",
  "/v1/reports/7.",
  "/v1/reports./7",
  "/v1/reports%20/7",
  "/v1/reports;x/7",
  "/v1;a=b/reports/7",
  "/v1/reports/7%00",
  "/v1/reports/7%0a",
  "/v1/reports/7%3bx",
  "/v1/reports%3f/7",
  "/v1/reports/7%23",
  "/v1/reports/%252e%252e/7",
  "/v1%252freports/7",
  "/v1/reports/7#free",
  "/v1/reports/7\t",
  "/v1/reports/\xe9",
  "/v1/reports/%e9",
  "/v1/reports/7%",
  "http://api.example.com/v1/reports/7",
  "http://127.0.0.1/v1/reports/7",
  "HTTP://api.example.com/free/../v1/reports/7",
  "//api.example.com/v1/reports/7",
  "v1/reports/7",
  "*",
  "?/v1/reports/7",
  "/?/../v1/reports/7",
  "/v1/files",
  "/v1/files/a/../b",
  "/v1/files/%2e%2e/files/a",
  "/v1/FILES/a/b",
  "/v1/files/a%2fb",
];

/** Headers by which some frameworks choose another route. */
const overrides = [
  ["GET /free/page", ["X-Original-URL: /v1/reports/7"]],
  ["GET /free/page", ["X-Rewrite-URL: /v1/reports/7"]],
  ["GET /free/page", ["X_Original_URL: /v1/reports/7"]],
  ["GET /v1/jobs", ["X-HTTP-Method-Override: POST"]],
  ["GET /v1/jobs", ["X-HTTP-Method: POST"]],
  ["GET /v1/jobs", ["X-Method-Override: POST"]],
] as const;

describe.each([
  ["denied", "deny"],
  ["free", { upstream: "api", free: true }],
] as const)("when everything else is %s", (_name, fallback) => {
  let gateway: Gateway;
  beforeAll(async () => {
    const routes = [{ match: "GET /free/*", upstream: "api", free: true }, ...paid];
    gateway = await startBefore(upstream.url, { routes, default: fallback });
  });
  afterAll(() => gateway?.stop());

  test.each(["GET", "HEAD", "get"])("no address by %s opens what is sold", async (method) => {
    for (const trick of tricks) {
      const { status, text } = await sendRaw(gateway.url, rawRequest(`${method} ${trick}`));
      expect.soft([trick, text.includes("what is sold")]).toEqual([trick, false]);
      expect.soft([200, 400, 402, 404]).toContain(status);
    }
    expect(sold).toEqual([]);
  });

  test.each(overrides)("%s with %j opens nothing that is sold", async (line, headers) => {
    await sendRaw(gateway.url, rawRequest(line, headers));
    expect(sold).toEqual([]);
  });

  test("what could be read in two ways is refused, and says so", async () => {
    for (const target of [
      "/free/../v1/reports/7",
      "/v1//reports/7",
      "/free/a;b",
      "http://a/free/b",
    ]) {
      const { status, text } = await sendRaw(gateway.url, rawRequest(`GET ${target}`));
      expect([target, status]).toEqual([target, 400]);
      expect(text).toContain('"error":"malformed_request"');
    }
  });

  test("two Host headers are refused", async () => {
    const { status } = await sendRaw(
      gateway.url,
      rawRequest("GET /free/a", ["Host: api.example.com", "Host: other.example"]),
    );
    expect(status).toBe(400);
  });

  test.each(["TRACE /free/a", "CONNECT api.example.com:443", "PROPFIND /v1/reports/7"])(
    "%s is not allowed",
    async (line) => {
      const { status } = await sendRaw(gateway.url, rawRequest(line));
      expect(status).toBe(405);
    },
  );

  test("a smuggled second request is none", async () => {
    const inner = rawRequest("GET /v1/reports/7");
    const outer = ["POST /free/a HTTP/1.1", "Host: a", "Transfer-Encoding: chunked"];
    const smuggled = [...outer, `Content-Length: ${inner.length + 5}`, "", `0\r\n\r\n${inner}`];
    const { text } = await sendRaw(gateway.url, smuggled.join("\r\n"));
    expect(text).not.toContain("what is sold");
    expect(sold).toEqual([]);
  });
});
