/** A listed tool of an MCP server is checked by calling it without a payment. */
import { isObject, member, parseJson, type JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { challengeOf, type Answerer } from "../../../test/support/https-seller.testing.ts";
import {
  listingsPath,
  openListingFixture,
  type ListingFixture,
} from "./listing-fixture.testing.ts";

let fixture: ListingFixture;
beforeAll(async () => {
  fixture = await openListingFixture();
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.reset());

const forecast = { name: "forecast", arguments: { city: "Rome" } };
const aTool = (more: JsonObject = {}) => ({ method: "POST", sample: { tool: forecast }, ...more });

/** A server whose every tool says this; a stream of events where `isStream` is set. */
function toolServer(called: JsonObject, { isStream = false } = {}): Answerer {
  return (response, { method, body }) => {
    const message = parseJson(body)?.value;
    const asked = isObject(message) ? message : {};
    const id = member(asked, "id");
    if (method === "DELETE" || id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const isFirst = member(asked, "method") === "initialize";
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: {} };
    const text = JSON.stringify({ jsonrpc: "2.0", id, ...(isFirst ? { result: hello } : called) });
    const type = isStream ? "text/event-stream" : "application/json";
    const headers = { "content-type": type, ...(isFirst && { "mcp-session-id": "session-1" }) };
    response.writeHead(200, headers);
    response.end(isStream ? `event: message\ndata: ${text}\n\n` : text);
  };
}

/** What a call is answered with that has to be paid. */
function asksToPay(bazaar?: JsonObject): JsonObject {
  const { body } = challengeOf({
    url: "mcp://tool/forecast",
    payTo: fixture.devnet.seller.address,
    mode: "v2-only",
    ...(bazaar && { extensions: { bazaar } }),
  });
  const content = [{ type: "text", text: JSON.stringify(body) }];
  return { result: { isError: true, content, structuredContent: body } };
}

const sentTo = ({ asked }: ListingFixture["shop"]) =>
  asked.map(({ method, body }) => {
    const message = parseJson(body)?.value;
    return isObject(message) ? member(message, "method") : method;
  });

function listTool(resource: string, name: string) {
  const terms = aTool({ resource, sample: { tool: { name } } });
  return fixture.seller.post(listingsPath, fixture.inputOf(terms));
}

describe("a listed tool", () => {
  test.each([{ isStream: false }, { isStream: true }])(
    "is called without a payment, and found among the tools (%j)",
    async (how) => {
      fixture.shop.answer = toolServer(asksToPay(), how);
      const listing = await fixture.createLive(aTool());
      expect(sentTo(fixture.shop)).toEqual([
        "initialize",
        "notifications/initialized",
        "tools/call",
        "DELETE",
      ]);
      const [first, , call, end] = fixture.shop.asked;
      expect(first?.headers["mcp-session-id"]).toBeUndefined();
      expect(JSON.parse(call?.body ?? "")).toMatchObject({ params: forecast });
      for (const one of [call, end]) {
        expect(one?.headers).toMatchObject({
          "mcp-session-id": "session-1",
          "mcp-protocol-version": "2025-06-18",
        });
      }
      expect(await fixture.shown(listing)).toMatchObject([
        {
          type: "mcp",
          accepts: [{ amount: "10000" }],
          extensions: {
            bazaar: {
              info: { input: { type: "mcp", toolName: "forecast", example: { city: "Rome" } } },
            },
          },
        },
      ]);
      const found = async (type: string) => {
        const { items } = (await fixture.served.get(`/discovery/resources?type=${type}`)).body;
        return Array.isArray(items) ? items.length : 0;
      };
      expect([await found("mcp"), await found("http"), await found("ftp")]).toEqual([1, 0, 0]);
    },
  );

  test("is shown with what its own challenge declares", async () => {
    const bazaar = { info: { input: { type: "mcp", toolName: "forecast" } }, schema: {} };
    fixture.shop.answer = toolServer(asksToPay(bazaar));
    const listing = await fixture.createLive(aTool());
    expect(await fixture.shown(listing)).toMatchObject([{ extensions: { bazaar } }]);
  });

  test("stands beside the other tools of its server", async () => {
    fixture.shop.answer = toolServer(asksToPay());
    const { resource } = await fixture.create(aTool());
    const second = aTool({ resource, sample: { tool: { name: "climate" } } });
    const other = await fixture.create(second);
    expect(other["resource"]).toBe(resource);
    const again = await fixture.seller.post(listingsPath, fixture.inputOf(second));
    expect(again.status).toBe(409);
  });

  const refused: readonly (readonly [string, () => Answerer, string])[] = [
    ["gives its answer away", () => toolServer({ result: { content: [] } }), "served_unpaid"],
    ["does not know it", () => toolServer({ error: { code: -32_602 } }), "validates_first"],
    [
      "fails",
      () => toolServer({ result: { isError: true, content: [{ type: "text", text: "{" }] } }),
      "validates_first",
    ],
    ["is no MCP server", () => (response) => void response.writeHead(404).end(), "not_found"],
    ["says something else", () => (response) => void response.end("hello"), "no_challenge"],
    [
      "asks for another price",
      () => {
        const text = JSON.stringify(asksToPay()).replaceAll("10000", "20000");
        return toolServer(Object(parseJson(text)?.value));
      },
      "terms_differ",
    ],
  ];
  test.each(refused)("whose server %s is not shown", async (_case, answer, reason) => {
    fixture.shop.answer = answer();
    const listing = await fixture.create(aTool());
    const { check } = await fixture.recheckWhenFree(listing);
    expect(check).toMatchObject({ isPublic: false, reason });
  });

  test("has nothing of a request beside it", async () => {
    const sample = { tool: forecast, body: {} };
    const answer = await fixture.seller.post(listingsPath, fixture.inputOf(aTool({ sample })));
    expect([answer.status, answer.body["error"]]).toEqual([400, "invalid_request"]);
  });

  test("has a name that fits into the address under which it is stored", async () => {
    const base = "https://127.0.0.1:8443/mcp/";
    const long = `${base}${"a".repeat(1_990 - base.length)}`;
    for (const [resource, name] of [
      [`${base}${"a".repeat(500)}`, "\u{1f4c8}".repeat(128)],
      [long, "forecast-of-tomorrow"],
    ] as const) {
      const { status, body } = await listTool(resource, name);
      expect([status, body["error"]]).toEqual([400, "invalid_request"]);
      expect(body["message"]).toContain("sample.tool.name");
    }
    expect((await listTool(long, "forecast")).status).toBe(201);
  });
});
