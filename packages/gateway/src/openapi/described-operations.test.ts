/** What challenges declare of the upstream's operations, validated by the stock extension. */
import { decodeHeader, headerNames, type JsonObject } from "@farthing/protocol";
import {
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
  type DiscoveryExtension,
} from "@x402/extensions/bazaar";
import { createMemoryGrants, createFacilitatorClient } from "@farthing/seller";
import { describe, expect, test } from "vitest";
import {
  gatewayConfig,
  rule,
  upstream,
  type Settings,
} from "../configuration/gateway-file.testing.ts";
import { findWarnings } from "../inspection/check.ts";
import { createPaidRoute } from "../paid-route.ts";
import { createDescriber } from "./described-operations.ts";
import { soldOperations } from "./sold-operations.ts";

const json = (schema: object, more: object = {}) => ({ "application/json": { schema, ...more } });
const text = { type: "string" };
const order = { $ref: "#/components/schemas/Order" };

const document: JsonObject = {
  openapi: "3.0.3",
  servers: [{ url: "https://origin.internal/v1" }],
  paths: {
    "/reports/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
      get: {
        parameters: [
          { $ref: "#/components/parameters/City" },
          { name: "days", in: "query", schema: { type: "integer", nullable: true } },
          { name: "X-Unit", in: "header", example: "C", schema: { enum: ["C", "F"] } },
          { name: "X-Key", in: "header", required: true, schema: text },
          { name: "Authorization", in: "header", schema: text },
        ],
        responses: {
          "404": { content: json({ type: "array" }) },
          "201": { content: json({ type: "array" }) },
          "200": { $ref: "#/components/responses/Report" },
        },
      },
    },
    "/orders": {
      post: {
        parameters: [{ name: "dry", in: "query", schema: { type: "boolean" } }],
        requestBody: { content: json(order, { example: { count: 2, lines: [{ count: 1 }] } }) },
        responses: { "2XX": { content: json(order) } },
      },
      put: { requestBody: { content: json(order, { example: { count: "two" } }) } },
      patch: { requestBody: { content: { "image/png": {}, "text/csv": { schema: text } } } },
      delete: { responses: { "204": { description: "Gone" } } },
    },
    "/files/{file}": {
      put: { requestBody: { content: { "image/png": { schema: text } } }, responses: {} },
    },
    "/forms/{form id}": {
      post: {
        requestBody: {
          content: { "multipart/form-data": { schema: { properties: { a: text } } } },
        },
      },
    },
  },
  components: {
    parameters: {
      City: {
        name: "city",
        in: "query",
        required: true,
        description: "Where the weather is",
        example: "Oslo",
        schema: { ...text, minLength: 2, "x-internal": "table 7" },
      },
    },
    responses: { Report: { content: json({ $ref: "#/components/schemas/Report" }) } },
    schemas: {
      Report: {
        type: "object",
        title: "<b>Report</b>",
        required: ["degrees", "secret"],
        properties: {
          degrees: { type: "number", exclusiveMinimum: true, minimum: -274 },
          secret: { ...text, writeOnly: true },
        },
        example: { degrees: 20 },
      },
      Order: {
        type: "object",
        required: ["id", "count"],
        properties: {
          id: { ...text, readOnly: true },
          count: { type: "integer" },
          lines: { type: "array", items: order },
        },
      },
    },
  },
};

function configOf(openapi: JsonObject, discovery: Settings = {}) {
  const config = gatewayConfig({
    store: "sqlite:./a.db",
    upstreams: { api: { ...upstream, headers: { "x-key": "of the origin" } } },
    routes: [rule("* /v1/* 0.01", { settle: "before-upstream" })],
    discovery,
  });
  return { ...config, discovery: { ...config.discovery, openapi } };
}

/** The declaration in the challenge of a request. */
async function declaredFor(line: string, openapi: JsonObject = document, discovery: Settings = {}) {
  const config = configOf(openapi, discovery);
  const [route] = config.routes;
  if (!route) throw new Error("There is no route.");
  const describe = createDescriber(config, soldOperations(config), route);
  const facilitator = createFacilitatorClient({ url: "https://facilitator.example" });
  const deps = {
    facilitators: [facilitator],
    grants: createMemoryGrants(),
    onEvent: () => undefined,
  };
  const paid = createPaidRoute(config, route, deps, { describe });
  const [method = "", target = ""] = line.split(" ");
  const incoming = { method, target, headers: {}, readBody: async () => new Uint8Array() };
  const charged = await paid.charge(incoming, () => new Response());
  const response = charged instanceof Response ? charged : charged.response;
  const challenge = Object(decodeHeader(response.headers.get(headerNames.paymentRequired))?.value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the stock functions' own type
  return challenge.extensions.bazaar as
    | (DiscoveryExtension & { routeTemplate?: string })
    | undefined;
}

/** What programs read: the shapes of the input by place, and that of the output. */
function shapesOf(declared: DiscoveryExtension | undefined) {
  const { input, output } = Object(declared?.schema.properties);
  const { type: _type, method: _method, bodyType: _body, ...shapes } = Object(input?.properties);
  return { ...shapes, output: output?.properties.example };
}

describe("an operation with parameters", () => {
  test("is declared with the values of the request, and without what the gateway writes", async () => {
    const declared = await declaredFor("GET /v1/reports/7?city=Rome");
    expect(declared?.routeTemplate).toBe("/v1/reports/:id");
    expect(declared?.info).toEqual({
      input: {
        type: "http",
        method: "GET",
        queryParams: { city: "Oslo" },
        pathParams: { id: 7 },
        headers: { "X-Unit": "C" },
      },
      output: { type: "json", example: { degrees: 20 } },
    });
    expect(shapesOf(declared)).toEqual({
      queryParams: {
        type: "object",
        properties: {
          city: { ...text, minLength: 2, description: "Where the weather is" },
          days: { anyOf: [{ type: "null" }, { type: "integer" }] },
        },
        required: ["city"],
      },
      pathParams: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
      headers: { type: "object", properties: { "X-Unit": { enum: ["C", "F"] } } },
      output: {
        type: "object",
        required: ["degrees"],
        properties: { degrees: { type: "number", exclusiveMinimum: -274 } },
      },
    });
  });

  test("is declared without a value in the path that does not fit", async () => {
    const declared = await declaredFor("GET /v1/reports/latest?city=Rome");
    expect(declared?.info.input).not.toHaveProperty("pathParams");
  });
});

describe("an operation with a body", () => {
  test("is declared without references, for what is sent and what comes back", async () => {
    const declared = await declaredFor("POST /v1/orders");
    expect(declared?.info.input).toEqual({
      type: "http",
      method: "POST",
      bodyType: "json",
      body: { count: 2, lines: [{ count: 1 }] },
    });
    const count = { type: "integer" };
    const lines = { type: "array", items: { type: "object" } };
    expect(shapesOf(declared)).toEqual({
      queryParams: { type: "object", properties: { dry: { type: "boolean" } } },
      body: { type: "object", required: ["count"], properties: { count, lines } },
      output: {
        type: "object",
        required: ["id", "count"],
        properties: { id: text, count, lines },
      },
    });
  });

  test.each([
    ["PUT /v1/orders", { type: "http", method: "PUT", bodyType: "json" }],
    ["PATCH /v1/orders", { type: "http", method: "PATCH", bodyType: "text" }],
    ["DELETE /v1/orders", { type: "http", method: "DELETE" }],
    ["PUT /v1/files/a", { type: "http", method: "PUT", pathParams: { file: "a" } }],
    ["POST /v1/forms/a", { type: "http", method: "POST", bodyType: "form-data" }],
  ])("of %s is declared as %j", async (line, input) => {
    // A path parameter that the document does not list has no schema.
    const expected = line.includes("/files/") ? { ...input, pathParams: undefined } : input;
    expect((await declaredFor(line))?.info.input).toEqual(expected);
  });
});

test.each([
  "GET /v1/reports/7?city=Rome",
  "HEAD /v1/reports/7?city=Rome",
  "POST /v1/orders",
  "PUT /v1/orders",
  "PATCH /v1/orders",
  "DELETE /v1/orders",
  "PUT /v1/files/a",
  "POST /v1/forms/a",
])("the stock extension accepts what is declared for %s", async (line) => {
  const declared = await declaredFor(line);
  if (!declared) throw new Error("Nothing is declared.");
  expect(validateDiscoveryExtension(declared)).toEqual({ valid: true });
  expect(validateDiscoveryExtensionSpec(Object(declared))).toEqual({ valid: true });
});

test("nothing is declared for what the document does not know, and with describe: false", async () => {
  expect(await declaredFor("GET /v1/elsewhere")).toBeUndefined();
  expect(await declaredFor("POST /v1/orders", document, { describe: false })).toBeUndefined();
  expect(await declaredFor("POST /v1/orders", document, { validate: false })).toBeDefined();
});

describe("schemas without room in a challenge", () => {
  const long = (chars: number) => ({ ...text, pattern: "x".repeat(chars) });
  const doubled = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `L${at}`,
      {
        properties: {
          a: { $ref: `#/components/schemas/L${at + 1}` },
          b: { $ref: `#/components/schemas/L${at + 1}` },
        },
      },
    ]),
  );
  const withSchemas = (input: object, output: object): JsonObject => ({
    openapi: "3.1.0",
    paths: {
      "/v1/a": {
        post: {
          requestBody: { content: json(input) },
          responses: { "200": { content: json(output) } },
        },
      },
    },
    components: { schemas: { ...doubled, L40: text } },
  });

  test.each([
    ["texts", withSchemas({ ...text, description: "x".repeat(2_500) }, long(2_000)), undefined],
    ["the response", withSchemas(long(2_000), long(2_000)), /no room for the response$/],
    [
      "the body",
      withSchemas(long(4_000), text),
      /no room for the response; a challenge has no room for the input$/,
    ],
    [
      "a response that doubles with each level",
      withSchemas(text, { $ref: "#/components/schemas/L0" }),
      /the response is left out, because it is too large for a challenge$/,
    ],
    [
      "a wrong pattern",
      withSchemas(text, { ...text, pattern: "(" }),
      /the response is left out, because a schema has a pattern/,
    ],
  ])(
    "%s is left out, with a warning where more than texts is lost",
    async (_what, openapi, warned) => {
      const declared = await declaredFor("POST /v1/a", openapi);
      expect(JSON.stringify(declared).length).toBeLessThan(4_000);
      const isInputLost = warned?.source.includes("the input") === true;
      expect(declared?.info.input).toMatchObject(isInputLost ? {} : { bodyType: "json" });
      const found = findWarnings(configOf(openapi)).filter(
        ({ name }) => name === "discovery.openapi",
      );
      const expected = warned ? [expect.stringMatching(warned)] : [];
      expect(found.map(({ text: said }) => said)).toEqual(expected);
    },
  );
});
