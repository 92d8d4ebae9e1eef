/** The document that software reads before it buys. */
import { expect, test } from "vitest";
import type { GatewayConfig } from "../configuration/configuration.ts";
import { gatewayConfig, rule } from "../configuration/gateway-file.testing.ts";
import { openApiDocument, wellKnownDocument } from "./openapi-document.ts";

const price = (amount: string) => ({
  price: { mode: "fixed", currency: "USD", amount },
  protocols: [{ x402: {} }],
});

const source = {
  openapi: "3.0.3",
  info: { title: "Internal", version: "7", "x-team": "data" },
  servers: [{ url: "https://origin.internal/v1" }],
  security: [{ key: [] }],
  paths: {
    "/reports/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      servers: [{ url: "https://secret.internal" }],
      get: {
        summary: "Get a report",
        security: [{ key: [] }],
        servers: [{ url: "https://secret.internal" }],
        responses: { "200": { description: "ok" } },
      },
      delete: { responses: {} },
    },
    "/health": { get: { responses: {} } },
    "/admin": { get: { responses: {} } },
  },
  components: {
    schemas: { Report: { type: "object" } },
    securitySchemes: { key: { type: "apiKey", name: "k", in: "header" } },
  },
};

const routes = [
  rule("GET /v1/health free"),
  rule("GET /v1/reports/latest 0.05"),
  rule("GET /v1/reports/:id 0.01", { description: "One report" }),
];

/** As if the file named a document with this in it. */
function withSource(config: GatewayConfig): GatewayConfig {
  return { ...config, discovery: { ...config.discovery, openapi: source } };
}

test("of the upstream's document: what is served, with prices, without what is internal", () => {
  const config = gatewayConfig({ routes: [routes[0], routes[2]], discovery: { title: "Reports" } });
  const document = openApiDocument(withSource(config));
  expect(document).toEqual({
    openapi: "3.0.3",
    info: { title: "Reports", version: "7", "x-team": "data" },
    servers: [{ url: "https://api.example.com" }],
    paths: {
      "/v1/reports/{id}": {
        parameters: source.paths["/reports/{id}"].parameters,
        get: {
          summary: "Get a report",
          "x-payment-info": price("0.01"),
          responses: {
            "200": { description: "ok" },
            "402": { description: expect.stringContaining("PAYMENT-REQUIRED") },
          },
        },
      },
      "/v1/health": { get: { responses: {}, security: [] } },
    },
    components: { schemas: { Report: { type: "object" } } },
  });
  expect(JSON.stringify(document)).not.toContain("internal/");
});

test("an operation that falls under several prices has a range", () => {
  const document = openApiDocument(withSource(gatewayConfig({ routes })));
  expect(document).toMatchObject({
    paths: {
      "/v1/reports/{id}": {
        get: {
          "x-payment-info": {
            price: { mode: "dynamic", currency: "USD", min: "0.01", max: "0.05" },
          },
        },
      },
    },
  });
});

test("without one: the rules as they stand", () => {
  const config = gatewayConfig({
    routes: [
      ...routes,
      rule("POST /v1/reports/:name 0.25", { mimeType: "application/pdf" }),
      rule("* /files/* 1"),
    ],
    discovery: { guidance: "List, then buy.", contact: "a@b.example" },
  });
  const document = openApiDocument(config);
  expect(document).toMatchObject({
    openapi: "3.1.0",
    info: {
      title: "api.example.com",
      version: "1",
      "x-guidance": "List, then buy.",
      contact: { email: "a@b.example" },
    },
    paths: {
      "/v1/health": { get: { security: [] } },
      "/v1/reports/{id}": {
        get: { summary: "One report", "x-payment-info": price("0.01") },
        post: {
          "x-payment-info": price("0.25"),
          parameters: [{ name: "id", in: "path", required: true }],
          responses: { "200": { content: { "application/pdf": {} } } },
        },
      },
      "/files/{rest}": { put: { "x-payment-info": price("1") } },
    },
  });
  expect(wellKnownDocument(config)).toEqual({
    version: 1,
    resources: [
      "https://api.example.com/v1/reports/latest",
      "https://api.example.com/v1/reports/{id}",
      "https://api.example.com/v1/reports/{name}",
      "https://api.example.com/files/{rest}",
    ],
  });
});
