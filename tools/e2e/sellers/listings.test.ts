/**
 * From a listing to a sale: endpoints on our middleware and on the stock one, over HTTPS, are
 * listed, checked, found by the stock bazaar client and by `farthing find`, and paid for. The stock
 * client also finds a tool.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request, type RequestListener } from "node:http";
import { createServer } from "node:https";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@farthing/facilitator";
import { createAuthority, type TestAuthority } from "@farthing/facilitator/testing/certificates";
import { farthing } from "@farthing/seller/express";
import { farthing as sellTools } from "@farthing/seller/mcp";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { PaymentRequirementsV2Schema } from "@x402/core/schemas";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import {
  bazaarResourceServerExtension,
  declareDiscoveryExtension,
  validateDiscoveryExtensionSpec,
  withBazaar,
} from "@x402/extensions/bazaar";
import express, { type Request, type Response } from "express";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import * as z from "zod/v4";
import { openGateway } from "../support/gateway.testing.ts";
import { runFarthing } from "../support/farthing-command.testing.ts";
import { price, startMarket, termsOn, type Market } from "../support/market.testing.ts";

let folder: string;
let authority: TestAuthority;
let market: Market;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-listed-"));
  authority = createAuthority();
  writeFileSync(join(folder, "ca.pem"), authority.cert);
  market = await startMarket({
    env: { FARTHING_LISTING_LOCAL: "yes", FARTHING_OUTBOUND_CA: authority.cert },
  });
});
afterAll(async () => {
  await market?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Serves over HTTPS for the length of a test; gives the origin. */
async function serveSecurely(listener: RequestListener): Promise<string> {
  const server = createServer(authority.identify(), listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `https://127.0.0.1:${address.port}`;
}

/** Lists an endpoint of the seller, as the account API does. */
async function list(resource: string, title: string, tool?: string): Promise<void> {
  const store = await openStore(market.databaseUrl);
  const about = { title, description: "", tags: ["report"], mimeType: null };
  const method = tool === undefined ? ("GET" as const) : ("POST" as const);
  const terms = { resource, method, chainId: market.network.chainId, ...about };
  const id = `lst_${title.toLowerCase()}`;
  const account = market.devnet.seller.address;
  const asked = { city: "Rome" };
  const sample = tool === undefined ? { query: asked } : { tool: { name: tool, arguments: asked } };
  const listing = { ...terms, amount: 10_000n, sample };
  const made = await store.createListing(
    { ...listing, id, account, createdAt: Date.now() },
    { listingsMax: 10 },
  );
  await store.close();
  // A port that a server of an earlier test had may come again, with the listing of that test.
  expect(made).toBe("created");
}

/** The stock client of the catalogue. */
const bazaar = () =>
  withBazaar(new HTTPFacilitatorClient({ url: market.tap.url })).extensions.bazaar;

/** What the catalogue says of an endpoint, as soon as a check has passed. */
async function findListed(resource: string, type = "http") {
  const read = async () => {
    const { items } = await bazaar().listResources({ type, limit: 50 });
    return items.find((one) => one.resource === resource);
  };
  await expect.poll(read).toBeDefined();
  const item = await read();
  if (!item) throw new Error("it is gone");
  return item;
}

/** Runs `farthing`, which believes the authority of these tests. */
async function run(
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const out = await runFarthing(args, {
    NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
    XDG_CONFIG_HOME: folder,
    FARTHING_FACILITATOR_URL: market.tap.url,
    ...more,
  });
  return JSON.parse(out);
}

/** Finds by words, pays for what was found, and checks the chain. */
async function findAndBuy(words: string): Promise<void> {
  const found = await run(["find", words, "--json"]);
  const [first] = Array.isArray(found) ? found : [];
  const buyer = market.newBuyer();
  const paid = await run(["pay", "--json", `${first?.resource}?city=Rome`], {
    FARTHING_WALLET_KEY: buyer.privateKey,
  });
  expect(paid).toMatchObject({ status: 200, paymentStatus: "settled" });
  expect(await market.transfers(buyer.address)).toMatchObject([{ units: 10_000n }]);
}

/** What a request takes, and what comes back. */
const input = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  examples: [{ city: "Paris" }],
};
const output = { type: "object", properties: { report: { type: "integer" } } };

test("an endpoint on our middleware, with input and output", async () => {
  const app = express();
  const charge = farthing(termsOn(market, "public"));
  const describe = { input, output };
  app.get("/alpha", charge({ describe }), (_req, res) => void res.json({ report: 1 }));
  const origin = await serveSecurely(app);
  await list(`${origin}/alpha`, "Alpha");
  const item = await findListed(`${origin}/alpha`);
  expect(item).toMatchObject({ type: "http", x402Version: 2, serviceName: "Alpha" });
  // As the stock schema of version 2 has it.
  for (const offer of item.accepts) {
    expect(PaymentRequirementsV2Schema.safeParse(offer).success).toBe(true);
  }
  const declared = Object(item.extensions?.["bazaar"]);
  expect(validateDiscoveryExtensionSpec(declared)).toEqual({ valid: true });
  expect(declared).toMatchObject({
    info: { input: { method: "GET", queryParams: { city: "Paris" } } },
    schema: {
      properties: {
        input: { properties: { queryParams: { properties: input.properties } } },
        output: { properties: { example: output } },
      },
    },
  });
  await findAndBuy("alpha");
});

test("an endpoint behind the gateway, with input and output of its OpenAPI document", async () => {
  const openapi = join(folder, "openapi.json");
  writeFileSync(
    openapi,
    JSON.stringify({
      openapi: "3.1.0",
      paths: {
        "/reports/{id}": {
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
          get: {
            parameters: [
              {
                name: "city",
                in: "query",
                required: true,
                example: "Paris",
                schema: input.properties.city,
              },
            ],
            responses: {
              "200": {
                content: {
                  "application/json": { schema: { $ref: "#/components/schemas/Report" } },
                },
              },
            },
          },
        },
      },
      components: { schemas: { Report: output } },
    }),
  );
  const app = express();
  const origin = await serveSecurely(app);
  const shop = await openGateway(market, {
    routes: [{ match: "GET /reports/:id", upstream: "api", price }],
    more: { publicUrl: origin, discovery: { openapi } },
  });
  onTestFinished(() => shop.stop());
  app.use((req, res) => {
    void req.pipe(
      request(`${shop.url}${req.url}`, { method: req.method, headers: req.headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      }),
    );
  });
  await list(`${origin}/reports/7`, "Gamma");
  const item = await findListed(`${origin}/reports/7`);
  const declared = Object(item.extensions?.["bazaar"]);
  expect(validateDiscoveryExtensionSpec(declared)).toEqual({ valid: true });
  expect(declared).toMatchObject({
    routeTemplate: "/reports/:id",
    info: { input: { method: "GET", queryParams: { city: "Paris" }, pathParams: { id: 7 } } },
    schema: {
      properties: {
        input: { properties: { queryParams: { required: ["city"] } } },
        output: { properties: { example: output } },
      },
    },
  });
  await findAndBuy("gamma");
});

test("a tool of an MCP server", async () => {
  const seller = sellTools(termsOn(market, "public"));
  const app = express();
  const answer = async (req: Request, res: Response) => {
    const server = new McpServer({ name: "weather", version: "1.0.0" });
    const config = {
      description: "Tomorrow's weather",
      inputSchema: { city: z.string() },
      outputSchema: { degrees: z.number() },
    };
    seller.registerTool(server, "forecast", config, () => ({
      content: [],
      structuredContent: { degrees: 20 },
    }));
    const transport = new StreamableHTTPServerTransport({});
    res.on("close", () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res);
  };
  app.all("/mcp", (req, res) => void answer(req, res));
  const origin = await serveSecurely(app);
  await list(`${origin}/mcp`, "Sigma", "forecast");
  const item = await findListed(`${origin}/mcp`, "mcp");
  expect(item).toMatchObject({ type: "mcp", serviceName: "Sigma" });
  expect(item.accepts).toMatchObject([{ scheme: "exact", amount: "10000" }]);
  const declared = Object(item.extensions?.["bazaar"]);
  expect(validateDiscoveryExtensionSpec(declared)).toEqual({ valid: true });
  expect(declared).toMatchObject({
    info: {
      input: {
        type: "mcp",
        toolName: "forecast",
        inputSchema: { properties: { city: { type: "string" } }, required: ["city"] },
      },
    },
    schema: {
      properties: {
        output: { properties: { example: { properties: { degrees: { type: "number" } } } } },
      },
    },
  });
  const { resources } = await bazaar().search({ query: "forecast", type: "mcp" });
  expect(resources.map(({ resource }) => resource)).toEqual([`${origin}/mcp`]);
});

const findOmega = async () =>
  (await bazaar().search({ query: "omega report", network: "eip155:51" })).resources[0];

test("an endpoint on the stock middleware, with the stock extension", async () => {
  const { url, apiKey } = market.facilitator("public");
  const headers = { Authorization: `Bearer ${apiKey}` };
  const facilitator = new HTTPFacilitatorClient({
    url,
    createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: {} }),
  });
  const told: unknown[] = [];
  const server = new x402ResourceServer(facilitator)
    .register(market.network.id, new ExactEvmScheme())
    .registerExtension(bazaarResourceServerExtension)
    .onAfterSettle(async ({ result }) => void told.push(result.extensionResponses));
  const accepts = {
    scheme: "exact",
    network: market.network.id,
    payTo: market.devnet.seller.address,
    price: `$${price}`,
  };
  const extensions = declareDiscoveryExtension({
    input: { city: "Paris" },
    inputSchema: { properties: { city: { type: "string" } }, required: ["city"] },
    output: { example: { report: 1 } },
  });
  const app = express();
  app.use(paymentMiddleware({ "GET /omega": { accepts, extensions } }, server));
  app.get("/omega", (_req, res) => void res.json({ report: 1 }));
  const origin = await serveSecurely(app);
  await list(`${origin}/omega`, "Omega");
  const item = await findListed(`${origin}/omega`);
  // The seller's own extension, as his challenge had it.
  expect(item.extensions).toMatchObject({
    bazaar: { info: { input: { method: "GET", queryParams: { city: "Paris" } } } },
  });
  expect(validateDiscoveryExtensionSpec(Object(item.extensions?.["bazaar"]))).toEqual({
    valid: true,
  });
  // A check that a busy machine makes late hides a listing until the next one.
  await expect.poll(findOmega).toMatchObject({ resource: `${origin}/omega` });
  await findAndBuy("omega");
  // Every search has a response that says why a listing is not found.
  expect(told.at(-1)).toEqual({ bazaar: { status: "success" } });
});
