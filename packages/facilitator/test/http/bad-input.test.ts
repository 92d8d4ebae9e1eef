/**
 * Whatever a stranger sends is evaluated or turned away with the one error body; nothing is a 5xx,
 * and the service goes on.
 */
import type { Devnet } from "@farthing/devnet";
import { errorCodes, isObject, isRefusalCode, type JsonObject } from "@farthing/protocol";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  bodyOn,
  countOf,
  serveOn,
  startChain,
  usesOf,
  withMember,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import { rawPost, sendRaw } from "../support/raw-http.testing.ts";

let devnet: Devnet;
let served: Served;

beforeAll(async () => {
  devnet = await startChain();
  served = await serveOn(devnet);
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});
afterEach(async () => {
  const { body } = await served.post("/verify", bodyOn(devnet));
  expect(body).toMatchObject({ isValid: true });
});

/** The one body of answers that evaluate nothing. */
function expectProblem(answer: Pick<Answer, "status" | "body">, status: number, code: string) {
  expect([answer.status, answer.body]).toEqual([
    status,
    {
      error: code,
      message: expect.stringMatching(/\w.*\.$/),
      retryable: expect.any(Boolean),
      requestId: expect.any(String),
    },
  ]);
  expect(errorCodes).toContain(code);
}

const json = "Content-Type: application/json";
const lengthOf = (body: string) => `Content-Length: ${Buffer.byteLength(body)}`;
const megabytes = 1024 * 1024;

describe.each(["/verify", "/settle"])("the body of %s", (path) => {
  test.each([
    ["truncated", JSON.stringify({ paymentPayload: {} }).slice(0, -3)],
    ["empty", ""],
    ["no JSON", "hello"],
    ["a list", "[]"],
    ["null", "null"],
    ["a number", "1"],
    ["a text", '"x"'],
    ["nested a hundred thousand levels deep", "[".repeat(30_000) + "]".repeat(30_000)],
    [
      "nested deeply inside a payment",
      `{"paymentPayload":${'{"a":'.repeat(50)}1${"}".repeat(50)}}`,
    ],
  ])("%s: 400", async (_, body) => {
    expectProblem(await served.post(path, body), 400, "invalid_request");
  });

  test.each([
    ["", /^The body is empty; /],
    ["[1]", /^The body is JSON and no object; /],
    [`{"a":${'{"a":'.repeat(50)}1${"}".repeat(51)}`, /^The body is nested deeper than 32 levels; /],
    ['{"secret" 1}', /^The body is not valid JSON: look at character 10, counted from 0; /],
    ['{"a":"secret', /^The body is not valid JSON: look at character 12, counted from 0; /],
    ["secret", /^The body is not valid JSON; /],
    ['{"a":secret}', /^The body is not valid JSON; /],
  ])("%s: says what is wrong with it and repeats nothing", async (body, says) => {
    const { message } = (await served.post(path, body)).body;
    expect(message).toMatch(says);
    expect(message).not.toContain("secret");
  });

  test("of 10 MiB: 413", async () => {
    const body = `{"a":"${"x".repeat(10 * megabytes)}"}`;
    const answer = await sendRaw(served.url, rawPost(path, [json, lengthOf(body)], body));
    expectProblem(answer, 413, "request_too_large");
  });

  test("of 10 MiB in chunks, its length unsaid: 413", async () => {
    const chunk = `10000\r\n${"x".repeat(0x1_0000)}\r\n`;
    const head = [json, "Transfer-Encoding: chunked"];
    const answer = await sendRaw(served.url, rawPost(path, head, `${chunk.repeat(160)}0\r\n\r\n`));
    expectProblem(answer, 413, "request_too_large");
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonx",
    "multipart/form-data; boundary=x",
    "%",
  ])("as %s: 415", async (type) => {
    const answer = await served.post(path, bodyOn(devnet), { "content-type": type });
    expectProblem(answer, 415, "unsupported_media_type");
  });

  test("of no type: 415", async () => {
    const body = JSON.stringify(bodyOn(devnet));
    const answer = await sendRaw(served.url, rawPost(path, [lengthOf(body)], body));
    expectProblem(answer, 415, "unsupported_media_type");
  });

  test("with a charset is read", async () => {
    const type = { "content-type": "application/json; charset=utf-8" };
    const { status, body } = await served.post(path, bodyOn(devnet), type);
    expect([status, body["isValid"] ?? body["success"]]).toEqual([200, true]);
  });
});

describe("what is hardly HTTP", () => {
  const body = JSON.stringify({});
  test.each([
    ["two content types", [json, json, lengthOf(body)], 400, "invalid_request"],
    [
      "two API keys",
      [json, "Authorization: Bearer a", "Authorization: Bearer b", lengthOf(body)],
      400,
      "invalid_request",
    ],
    [
      "two preferences",
      [json, "Prefer: wait=1", "Prefer: wait=2", lengthOf(body)],
      400,
      "invalid_request",
    ],
    ["two lengths", [json, lengthOf(body), "Content-Length: 7"], 400, "invalid_request"],
    ["a length that is no number", [json, "Content-Length: ten"], 400, "invalid_request"],
    ["a negative length", [json, "Content-Length: -1"], 400, "invalid_request"],
    [
      "a length and chunks",
      [json, lengthOf(body), "Transfer-Encoding: chunked"],
      400,
      "invalid_request",
    ],
    [
      "headers of 100 KiB",
      [json, `X-Long: ${"x".repeat(100_000)}`, lengthOf(body)],
      431,
      "request_too_large",
    ],
  ] as const)("%s: %#", async (_, headers, status, code) => {
    expectProblem(await sendRaw(served.url, rawPost("/verify", headers, body)), status, code);
  });

  test("no HTTP at all", async () => {
    expectProblem(await sendRaw(served.url, "hello\r\n\r\n"), 400, "invalid_request");
  });
});

describe("routes", () => {
  test.each([
    "/",
    "/verify/x",
    "/settlements",
    "/settlements/a/b",
    "/api/facilitator/verify",
    "/constructor",
    `/settlements/${"x".repeat(5_000)}`,
  ])("%s: 404", async (path) => {
    expectProblem(await served.get(path), 404, "not_found");
  });

  test("a path that there is not: says which there are, and these are there", async () => {
    const { message } = (await served.get("/verifi")).body;
    const [, list = ""] = /Below \/ are (.*)\.$/.exec(String(message)) ?? [];
    const paths = list.split(", ").map((path) => path.replace("{id}", "stl_1"));
    expect(paths.length).toBeGreaterThan(5);
    const bodies = paths.map(async (path) => (await served.get(path)).body);
    for (const { message: told } of await Promise.all(bodies)) {
      expect(told ?? "").not.toMatch(/nothing at this path/);
    }
  });

  test.each(["/%zz", "/settlements/%E0%A4%A"])("%s, which is no path: 400", async (path) => {
    const text = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    expectProblem(await sendRaw(served.url, text), 400, "invalid_request");
  });

  test.each([
    ["GET", "/verify", "POST"],
    ["DELETE", "/settle", "POST"],
    ["POST", "/supported", "GET"],
    ["PUT", "/health", "GET"],
    ["POST", "/settlements/stl_1", "GET"],
    ["PROPFIND", "/verify", "POST"],
  ])("%s %s: 405, and what is allowed", async (method, path, allowed) => {
    const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close`;
    const answer = await sendRaw(served.url, `${head}\r\n\r\n`);
    expectProblem(answer, 405, "method_not_allowed");
    expect(/^allow: (.*)$/im.exec(answer.head)?.[1]).toContain(allowed);
  });

  test.each(["//verify", "/verify?x=1", "///verify"])("%s is /verify", async (path) => {
    expect((await served.post(path, bodyOn(devnet))).body).toMatchObject({ isValid: true });
  });

  test.each(["abc", "-1", "1.5", "1&wait=2", "", "99999"])("?wait=%s: 400", async (wait) => {
    expectProblem(await served.get(`/settlements/x?wait=${wait}`), 400, "invalid_request");
  });

  test("an unknown settlement: 404 at once, also with a wait", async () => {
    expectProblem(await served.get("/settlements/stl_1?wait=30"), 404, "not_found");
  });
});

describe("numbers and texts beyond reason are evaluated", () => {
  test.each([
    ["paymentRequirements.maxTimeoutSeconds", 1e308, false],
    ["paymentRequirements.maxTimeoutSeconds", 0.5, true],
    ["paymentRequirements.maxTimeoutSeconds", -1, false],
    ["paymentRequirements.amount", "9".repeat(400), false],
    ["paymentRequirements.amount", 10_000, false],
    ["paymentPayload.payload.authorization.value", "1e4", false],
    ["paymentPayload.payload.authorization.value", ` 10000`, false],
    ["paymentPayload.payload.authorization.validBefore", `${2n ** 256n}`, false],
    ["paymentPayload.payload.signature", `0x${"ff".repeat(9_000)}`, false],
    ["paymentPayload.resource", { url: "x".repeat(10_000) }, true],
  ])("%s: %j", async (path, value, isValid) => {
    const message = withMember(bodyOn(devnet), path, value);
    const { status, body } = await served.post("/verify", message);
    expect([status, body["isValid"]]).toEqual([200, isValid]);
  });

  test("1e999 is no time", async () => {
    const text = JSON.stringify(bodyOn(devnet)).replaceAll(
      '"maxTimeoutSeconds":60',
      '"maxTimeoutSeconds":1e999',
    );
    const { status, body } = await served.post("/verify", text);
    expect([status, body["isValid"]]).toEqual([200, false]);
  });

  test("__proto__ and constructor are members like others", async () => {
    const text = JSON.stringify(bodyOn(devnet)).replace(
      "{",
      '{"__proto__":{"isValid":1},"constructor":{},',
    );
    expect((await served.post("/verify", text)).body).toMatchObject({ isValid: true });
  });
});

describe("a payment with any part replaced", () => {
  const strange = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: "binary" }),
    fc.constantFrom(undefined, -0, 1e308, 2 ** 53, "0x", "9".repeat(80), [], {}, "__proto__"),
    fc.bigInt({ min: 0n, max: 2n ** 260n }).map(String),
  );

  test("is evaluated or turned away, by /verify and by /settle, and moves nothing twice", async () => {
    const before = await countOf(devnet, served.relayer);
    const payments = (["v1", "v2", "flat-v2"] as const).map((shape) => bodyOn(devnet, { shape }));
    const spoiled = fc
      .constantFrom(...payments)
      .chain((payment) =>
        fc.tuple(fc.constant(payment), fc.constantFrom(...pathsOf(payment)), strange),
      )
      .map(([payment, path, value]) => withMember(payment, path, value));
    await fc.assert(
      fc.asyncProperty(spoiled, async (message) => {
        expectEvaluated(await served.post("/verify", message), "isValid", "invalidReason");
        const settled = await served.post("/settle", message, { prefer: "respond-async" });
        expectEvaluated(settled, "success", "errorReason");
      }),
      { numRuns: 300 },
    );
    // Some replacements change nothing that is signed; those settle, each payment once.
    for (const payment of payments)
      expect((await usesOf(devnet, payment)).length).toBeLessThanOrEqual(1);
    expect((await countOf(devnet, served.relayer)) - before).toBeLessThanOrEqual(payments.length);
  });
});

function pathsOf(message: JsonObject, prefix = ""): string[] {
  return Object.entries(message).flatMap(([key, value]) => [
    `${prefix}${key}`,
    ...(isObject(value) ? pathsOf(value, `${prefix}${key}.`) : []),
  ]);
}

function expectEvaluated({ status, body }: Answer, verified: string, reason: string): void {
  if (status === 200) {
    expect(body[verified]).toBeTypeOf("boolean");
    if (body[verified] === false) expect(isRefusalCode(body[reason])).toBe(true);
  } else expectProblem({ status, body }, 400, "invalid_request");
}
