/** Which requests a document refuses before money, and which it leaves to the upstream. */
import type { JsonObject } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { gatewayConfig, rule } from "../configuration/gateway-file.testing.ts";
import type { GatewayConfig } from "../configuration/configuration.ts";
import { findWarnings } from "../inspection/check.ts";
import { createOperationCheck } from "./input-check.ts";
import { soldOperations } from "./sold-operations.ts";

const json = (schema: object) => ({ "application/json": { schema } });
const order = { $ref: "#/components/schemas/Order" };

const document: JsonObject = {
  openapi: "3.0.3",
  servers: [{ url: "https://origin.internal/v1" }],
  paths: {
    "/reports/{id}": {
      parameters: [{ $ref: "#/components/parameters/Id" }],
      get: {
        parameters: [
          { name: "city", in: "query", required: true, schema: { type: "string", minLength: 2 } },
          { name: "days", in: "query", schema: { type: "integer", maximum: 7 } },
          { name: "full", in: "query", schema: { type: "boolean" } },
          { name: "kind", in: "query", schema: { type: "array", items: { enum: ["a", "b"] } } },
          {
            name: "ids",
            in: "query",
            explode: false,
            schema: { type: "array", items: { type: "integer" } },
          },
          { name: "filter", in: "query", required: true, style: "deepObject", schema: {} },
          { name: "X-Key", in: "header", required: true, schema: { type: "string" } },
        ],
        responses: {},
      },
    },
    "/reports/latest": { get: { responses: {} } },
    "/orders": { post: { requestBody: { required: true, content: json(order) }, responses: {} } },
    "/files": {
      put: { requestBody: { content: { "image/*": {}, ...json({ type: "object" }) } } },
    },
    "/broken": { post: { requestBody: { content: json({ $ref: "#/components/schemas/No" }) } } },
    "/free": { post: { requestBody: { required: true, content: json(order) } } },
  },
  components: {
    parameters: { Id: { name: "id", in: "path", required: true, schema: { type: "integer" } } },
    schemas: {
      Order: {
        type: "object",
        required: ["id", "count"],
        additionalProperties: false,
        properties: {
          id: { type: "string", readOnly: true },
          count: { type: "integer", minimum: 0, exclusiveMinimum: true },
          note: { type: "string", nullable: true },
          // Names of members that are words of a schema elsewhere.
          nullable: { type: "string" },
          default: { type: "string", nullable: true },
          next: order,
        },
      },
    },
  },
};

function configOf(openapi: JsonObject, validate = true): GatewayConfig {
  const config = gatewayConfig({
    routes: [rule("POST /v1/free free"), rule("* /v1/* 0.01")],
    discovery: { validate },
  });
  return { ...config, discovery: { ...config.discovery, openapi } };
}

async function check(line: string, body?: string, headers: Record<string, string> = {}) {
  const [method = "", target = ""] = line.split(" ");
  const config = configOf(document);
  const route = config.routes[1];
  const run = route && createOperationCheck(config, soldOperations(config), route);
  if (!run) throw new Error("the route has no check");
  const init = { method, headers: { "Content-Type": "application/json", ...headers } };
  const response = await run(
    new Request(`https://api.example.com${target}`, body === undefined ? init : { ...init, body }),
  );
  return response && [response.status, (await response.json()).message];
}

const report = "GET /v1/reports/7?city=Oslo";

describe("parameters", () => {
  test.each([
    report,
    `${report}&days=7&full=true&kind=a&kind=b&ids=1,2`,
    "GET /v1/reports/7?city=12",
    "HEAD /v1/reports/7?city=Oslo",
    `${report}&unknown=1`,
    // The more specific path has no parameters.
    "GET /v1/reports/latest",
    "GET /v1/elsewhere",
    "DELETE /v1/reports/x",
  ])("%s may be paid for", async (line) => {
    expect(await check(line)).toBeUndefined();
  });

  test.each([
    ["GET /v1/reports/x?city=Oslo", "path parameter id has a wrong value"],
    ["GET /v1/reports/7", "query parameter city is missing"],
    ["GET /v1/reports/7?city=O", "query parameter city has a wrong value"],
    [`${report}&city=Rome`, "query parameter city is there more than once"],
    [`${report}&days=8`, "query parameter days has a wrong value"],
    [`${report}&days=0x1`, "query parameter days has a wrong value"],
    [`${report}&full=yes`, "query parameter full has a wrong value"],
    [`${report}&kind=c`, "query parameter kind has a wrong value"],
    [`${report}&ids=1,x`, "query parameter ids has a wrong value"],
    ["HEAD /v1/reports/7", "query parameter city is missing"],
  ])("%s is a 400: %s", async (line, why) => {
    expect(await check(line)).toEqual([400, expect.stringContaining(why)]);
  });
});

describe("bodies", () => {
  const post = "POST /v1/orders";
  const deep = `{"count":1,"next":${'{"count":1,"next":'.repeat(40)}{"count":1}${"}".repeat(41)}`;

  test.each([
    [post, '{"count":1}', {}],
    [post, '{"count":1,"note":null,"next":{"count":2}}', {}],
    [post, '{"count":1,"nullable":"x","default":null}', {}],
    [post, '{"count":1}', { "Content-Type": "Application/JSON; charset=utf-8" }],
    ["PUT /v1/files", "bytes", { "Content-Type": "image/png" }],
    ["PUT /v1/files", undefined, {}],
    ["POST /v1/broken", "anything", {}],
  ])("%s with %s may be paid for", async (line, body, headers) => {
    expect(await check(line, body, { ...headers })).toBeUndefined();
  });

  test.each([
    [post, undefined, {}, 400, "a body is required"],
    [post, "{", {}, 400, "is no JSON"],
    [post, deep, {}, 400, "is no JSON, or deeper than 32 levels"],
    [post, '{"count":0}', {}, 422, "body/count must be > 0"],
    [post, '{"count":1,"next":{"count":"x"}}', {}, 422, "body/next/count must be integer"],
    [post, "[]", {}, 422, "body must be object"],
    [post, '{"count":1,"a":1}', {}, 422, "must not have additional properties"],
    [post, "count=1", { "Content-Type": "text/plain" }, 415, "must be application/json"],
    ["PUT /v1/files", "x", { "Content-Type": "video/mp4" }, 415, "image/* or application/json"],
  ])("%s with %s is refused", async (line, body, headers, status, why) => {
    expect(await check(line, body, { ...headers })).toEqual([status, expect.stringContaining(why)]);
  });

  test("a response names a few problems, however many there are", async () => {
    const names = Array.from({ length: 5_000 }, (_, at) => `"${at}${"x".repeat(500)}":1`);
    const [status, message] = (await check(post, `{"count":"x",${names.join(",")}}`)) ?? [];
    expect(status).toBe(422);
    expect(message.length).toBeLessThan(1_300);
  });
});

test("free routes and a setting of false are not looked at", () => {
  for (const [validate, index] of [
    [true, 0],
    [false, 1],
  ] as const) {
    const config = configOf(document, validate);
    const route = config.routes[index];
    expect(route && createOperationCheck(config, soldOperations(config), route)).toBeUndefined();
  }
});

test.each([
  [{ $ref: "#/components/schemas/No" }, /refers to #\/components\/schemas\/No, which is missing/],
  [{ $ref: "other.json" }, /outside the document's components/],
  [{ type: "string", pattern: "(" }, /a pattern or a member that is not valid/],
  [{ enum: Array.from({ length: 20_001 }, () => ({})) }, /more than 20000 parts/],
])("the schema %j is named by gateway check", (schema, problem) => {
  const paths = { "/a": { post: { requestBody: { content: json(schema) } } } };
  const config = {
    ...configOf({ openapi: "3.1.0", paths }),
    routes: gatewayConfig({ routes: [rule("POST /a 1")] }).routes,
  };
  const found = findWarnings(config).filter(({ name }) => name === "discovery.openapi");
  expect(found.map(({ text }) => text)).toEqual([expect.stringMatching(problem)]);
  expect(found[0]?.text).toContain("requests of POST /a are not validated");
});

test("a price by caller is checked as the route's own", () => {
  const more = { for: [{ agents: "any", price: "0.001" }] };
  const config = gatewayConfig({ routes: [rule("GET /v1/* 0.01", more)] });
  const described = { ...config, discovery: { ...config.discovery, openapi: document } };
  const [entry] = described.routes[0]?.callers ?? [];
  if (!entry) throw new Error("The route has an entry.");
  expect(createOperationCheck(described, soldOperations(described), entry.route)).toBeDefined();
});
