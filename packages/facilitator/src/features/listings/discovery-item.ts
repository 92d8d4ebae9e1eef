/** A listing in the shape of the bazaar extension (x402 specification). */
import { isObject, type JsonObject } from "@farthing/protocol";
import { Type } from "typebox";
import { timeText } from "@farthing/engine/base";
import type { ListedTool, Listing } from "./model.ts";
import { anyObject, exactly, nullable, TimeText } from "../../http/messages/schemas.ts";

export const DiscoveryItem = exactly({
  resource: Type.String({ format: "uri" }),
  type: Type.String({ description: "`http`, or `mcp` for a tool of an MCP server" }),
  x402Version: Type.Integer(),
  accepts: Type.Array(anyObject(), {
    description: "Of the last challenge that was seen, what was checked first",
  }),
  lastUpdated: TimeText,
  description: Type.Optional(Type.String()),
  mimeType: Type.Optional(Type.String()),
  serviceName: Type.String(),
  tags: Type.Array(Type.String()),
  metadata: exactly({
    method: Type.String(),
    sample: Type.Optional(anyObject()),
    checkedAt: nullable(Type.String({ format: "date-time" })),
  }),
  quality: exactly(
    {
      l30DaysTotalCalls: Type.Integer(),
      l30DaysUniquePayers: Type.Integer(),
      lastCalledAt: nullable(Type.String({ format: "date-time" })),
    },
    "Settlements with the seller's keys at this price on this network",
  ),
  extensions: exactly({ bazaar: anyObject() }),
});

export function itemResponse(listing: Listing) {
  const { resource, method, seen, sample, stats, check } = listing;
  const description = listing.description || seen?.description || "";
  const mimeType = listing.mimeType ?? seen?.mimeType ?? "";
  return {
    resource,
    type: sample.tool ? "mcp" : "http",
    x402Version: seen?.x402Version ?? 2,
    accepts: [...(seen?.accepts ?? [])],
    lastUpdated: timeText(seen?.at ?? listing.updatedAt) ?? "",
    ...(description === "" ? {} : { description }),
    ...(mimeType === "" ? {} : { mimeType }),
    serviceName: listing.title,
    tags: [...listing.tags],
    metadata: {
      method,
      ...(Object.keys(sample).length === 0 ? {} : { sample }),
      checkedAt: timeText(check.checkedAt),
    },
    quality: {
      l30DaysTotalCalls: stats.settlements,
      l30DaysUniquePayers: stats.payers,
      lastCalledAt: timeText(stats.lastSettledAt),
    },
    extensions: { bazaar: seen?.bazaar ?? bazaarOf(listing) },
  };
}

/** The bazaar extension that the seller's own challenge would carry. */
function bazaarOf({ method, sample }: Listing): JsonObject {
  const { query, body, tool } = sample;
  if (tool) return toolBazaar(tool);
  const withBody = isObject(body) ? { bodyType: "json", body } : {};
  const hasBody = method === "POST" || method === "PUT" || method === "PATCH";
  const input = {
    type: "http",
    method,
    ...(query === undefined ? {} : { queryParams: query }),
    ...(hasBody ? withBody : {}),
  };
  const text = { type: "string" };
  const properties = {
    type: { ...text, const: "http" },
    method: { ...text, enum: [method] },
    ...(query === undefined ? {} : { queryParams: { type: "object" } }),
    ...("body" in input ? { bodyType: { ...text, enum: ["json"] }, body: { type: "object" } } : {}),
  };
  return {
    info: { input },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        input: {
          type: "object",
          properties,
          required: Object.keys(properties),
          additionalProperties: false,
        },
      },
      required: ["input"],
    },
  };
}

/** What a call takes is known to the tool's server; the listing has an example at most. */
function toolBazaar({ name, arguments: example }: ListedTool): JsonObject {
  const own = example === undefined ? {} : { example };
  const input = { type: "mcp", toolName: name, inputSchema: { type: "object" }, ...own };
  const properties = {
    type: { type: "string", const: "mcp" },
    toolName: { type: "string" },
    inputSchema: { type: "object" },
    ...(example === undefined ? {} : { example: { type: "object" } }),
  };
  const required = ["type", "toolName", "inputSchema"];
  return {
    info: { input },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        input: { type: "object", properties, required, additionalProperties: false },
      },
      required: ["input"],
    },
  };
}
