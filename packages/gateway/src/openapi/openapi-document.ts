/** Discovery documents with prices. They help to choose; only the 402 is binding. */
import {
  isObject,
  objectMembers,
  textMembers,
  type JsonObject,
  shortUsdc,
} from "@farthing/protocol";
import {
  isMeteredByChannel,
  type GatewayConfig,
  type RouteConfig,
} from "../configuration/configuration.ts";
import { basePathOf, operationsOf, patternOf } from "./openapi-operations.ts";
import { rulesFor } from "../routing/route-overlap.ts";
import { ruleMethods, segmentsOf } from "../routing/route-pattern.ts";

/** Builds `/openapi.json` from the served operations of the upstream's document, or the rules. */
export function openApiDocument(config: GatewayConfig): JsonObject {
  const { discovery, publicUrl } = config;
  const source = discovery.openapi;
  const sourceInfo = source && isObject(source["info"]) ? source["info"] : {};
  const contact = discovery.contact === undefined ? {} : { email: discovery.contact };
  const { servers: _servers, security: _security, components, ...rest } = source ?? {};
  return {
    ...rest,
    openapi: textMembers(source ?? {}, "openapi").openapi ?? "3.1.0",
    info: {
      ...sourceInfo,
      title: discovery.title ?? sourceInfo["title"] ?? new URL(publicUrl).host,
      version: sourceInfo["version"] ?? "1",
      ...(discovery.guidance === undefined ? {} : { "x-guidance": discovery.guidance }),
      ...(discovery.contact === undefined ? {} : { contact }),
    },
    servers: [{ url: publicUrl }],
    paths: source ? pricedPaths(config, source) : rulePaths(config),
    // Buyers authenticate with payments; the upstream's credentials are not theirs.
    ...(isObject(components) ? { components: { ...components, securitySchemes: undefined } } : {}),
  };
}

/** Builds `/.well-known/x402`: the paid addresses, with `{name}` for parameters. */
export function wellKnownDocument({ routes, publicUrl }: GatewayConfig): JsonObject {
  const paid = routes.filter(({ amountUnits }) => amountUnits !== undefined);
  const resources = paid.map(({ pattern }) => publicUrl + templateOf(pattern.path));
  return { version: 1, resources: [...new Set(resources)] };
}

function pricedPaths(config: GatewayConfig, source: JsonObject): JsonObject {
  const base = basePathOf(source);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path, method, operation, shared } of operationsOf(source)) {
    const pattern = patternOf(method, base + path);
    const rules = typeof pattern === "string" ? [] : rulesFor(config, pattern);
    if (rules.length === 0) continue;
    const { servers: _servers, security: _security, ...kept } = operation;
    const item = (paths[base + path] ??= { ...shared });
    item[method.toLowerCase()] = priced(kept, rules);
  }
  return paths;
}

/** Returns the rules as operations. A partly hidden rule keeps its own price. */
function rulePaths({ routes }: GatewayConfig): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  // Templates that differ only in the names of parameters are one path in OpenAPI.
  const known = new Map<string, string>();
  for (const route of routes) {
    const template = templateOf(route.pattern.path);
    const shape = template.replace(/\{[^}]*\}/g, "{}");
    const path = known.get(shape) ?? template;
    known.set(shape, path);
    const item = (paths[path] ??= {});
    const methods = route.pattern.method === "*" ? ruleMethods : [route.pattern.method];
    for (const method of methods) {
      item[method.toLowerCase()] ??= priced(
        {
          ...(route.description === undefined ? {} : { summary: route.description }),
          parameters: parametersOf(path),
          responses: { "200": okResponse(route) },
        },
        [route],
      );
    }
  }
  return paths;
}

function okResponse({ mimeType }: RouteConfig): JsonObject {
  const content = mimeType === undefined ? {} : { content: { [mimeType]: {} } };
  return { description: "What the upstream answers", ...content };
}

/** `/v1/:id` becomes `/v1/{id}`; a trailing `*` becomes `{rest}`. */
export function templateOf(path: string): string {
  const parts = segmentsOf(path).map((part) => {
    if (part === "*") return "{rest}";
    return part.startsWith(":") ? `{${part.slice(1)}}` : part;
  });
  return `/${parts.join("/")}`;
}

function parametersOf(template: string): readonly JsonObject[] {
  return [...template.matchAll(/\{([^}]*)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
    ...(name === "rest" && template.endsWith("{rest}")
      ? { description: "any number of segments" }
      : {}),
  }));
}

/** Adds price and 402 to an operation; `rules` are those that its requests can match. */
function priced(operation: JsonObject, rules: readonly RouteConfig[]): JsonObject {
  const amounts = rules.map(({ amountUnits }) => amountUnits ?? 0n);
  // Over a channel, a request with a cost of its own costs any part of its price.
  const least = rules.map((rule, nth) => (isMeteredByChannel(rule) ? 0n : (amounts[nth] ?? 0n)));
  const min = least.reduce((one, other) => (one < other ? one : other));
  const max = amounts.reduce((one, other) => (one > other ? one : other));
  if (max === 0n) return { ...operation, security: [] };
  const price =
    min === max
      ? { mode: "fixed", currency: "USD", amount: shortUsdc(max) }
      : { mode: "dynamic", currency: "USD", min: shortUsdc(min), max: shortUsdc(max) };
  const [sold] = rules;
  const summary = sold?.description === undefined ? {} : { summary: sold.description };
  return {
    ...summary,
    ...operation,
    "x-payment-info": { price, protocols: [{ x402: {} }] },
    responses: {
      ...objectMembers(operation, "responses").responses,
      "402": {
        description:
          "Payment required. The header PAYMENT-REQUIRED says how much, to whom and on which network.",
      },
    },
  };
}
