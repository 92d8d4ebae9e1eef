/** Code for the seller's server, with the facilitator's address and the account. */
import type { Address } from "@farthing/protocol";
import type { Language } from "../../components/highlight.ts";

export interface SnippetValues {
  readonly facilitatorUrl: string;
  readonly payTo: Address;
  /** CAIP-2: `eip155:50`. */
  readonly network: string;
  readonly usdc: Address;
}

/** Code of one file or command, as it is shown. */
export interface Code {
  readonly what: string;
  readonly language: Language;
  readonly code: string;
}

export interface Snippet {
  readonly name:
    | "express"
    | "next"
    | "fastify"
    | "hono"
    | "gateway"
    | "python"
    | "go"
    | "mcp"
    | "stock"
    | "curl";
  readonly title: string;
  readonly note: string;
  readonly blocks: readonly Code[];
}

export const snippetsOf = (values: SnippetValues): readonly Snippet[] =>
  ways.map((snippetFor) => snippetFor(values));

const install = (packages: string): Code => ({
  what: "command to install",
  language: "bash",
  code: `npm install ${packages}`,
});

function createCharge({ facilitatorUrl, payTo, network }: SnippetValues, name = "charge"): string {
  return `const ${name} = farthing({
  facilitator: { url: "${facilitatorUrl}", apiKey: process.env.FARTHING_API_KEY },
  payTo: "${payTo}",
  network: "${network}",
});`;
}

/** The gateway in front of an API on port 8000, without a configuration file. */
const gatewayCommand = ({ facilitatorUrl, payTo, network }: SnippetValues): Code => ({
  what: "command for the gateway",
  language: "bash",
  code: `export FARTHING_API_KEY=fk_…
npx farthing gateway --to http://127.0.0.1:8000 --price 0.01 \\
  --facilitator ${facilitatorUrl} \\
  --network ${network} \\
  --pay-to ${payTo}`,
});

/** The shortest way first. */
const ways: readonly ((values: SnippetValues) => Snippet)[] = [
  (values) => ({
    name: "express",
    title: "Express",
    note: "The handler runs once the transfer is confirmed. A repeated payment gets the same answer and is charged once.",
    blocks: [
      install("@farthing/seller express"),
      {
        what: "code for Express",
        language: "typescript",
        code: `import express from "express";
import { farthing } from "@farthing/seller/express";

${createCharge(values)}

const app = express();
app.get("/report", charge({ price: "0.01", description: "One report" }), (req, res) => {
  res.json({ report: "…", paidBy: req.payment?.payer });
});
app.listen(3000);`,
      },
    ],
  }),
  (values) => ({
    name: "next",
    title: "Next.js",
    note: "Save it as app/report/route.ts. Next.js does not know the address that buyers use, so publicUrl names it.",
    blocks: [
      install("@farthing/seller next react react-dom"),
      {
        what: "code for Next.js",
        language: "typescript",
        code: `import { farthing } from "@farthing/seller/next";

${createCharge(values).replace("\n});", '\n  publicUrl: process.env.PUBLIC_URL ?? "http://127.0.0.1:3000",\n});')}

export const GET = charge(
  { price: "0.01", description: "One report" },
  (request, context, payment) => Response.json({ report: "…", paidBy: payment.payer }),
);
// Pages of other sites may pay from a browser.
export const OPTIONS = GET;`,
      },
    ],
  }),
  (values) => ({
    name: "fastify",
    title: "Fastify",
    note: "The handler runs once the transfer is confirmed. Plain Node is charged alike, with @farthing/seller/node.",
    blocks: [
      install("@farthing/seller fastify"),
      {
        what: "code for Fastify",
        language: "typescript",
        code: `import fastify from "fastify";
import { farthing } from "@farthing/seller/fastify";

${createCharge(values)}

const app = fastify();
const paid = { onRequest: charge({ price: "0.01", description: "One report" }) };
app.get("/report", paid, async (request) => {
  return { report: "…", paidBy: request.payment?.payer };
});
await app.listen({ port: 3000 });`,
      },
    ],
  }),
  (values) => ({
    name: "hono",
    title: "Hono",
    note: "Runs wherever Hono runs: Node, Bun, Deno, Workers. There, read the key from the environment of the platform.",
    blocks: [
      install("@farthing/seller hono"),
      {
        what: "code for Hono",
        language: "typescript",
        code: `import { Hono } from "hono";
import { farthing } from "@farthing/seller/hono";

${createCharge(values)}

const app = new Hono();
app.get("/report", charge({ price: "0.01", description: "One report" }), (c) =>
  c.json({ report: "…", paidBy: c.get("payment").payer }),
);
export default app;`,
      },
    ],
  }),
  (values) => ({
    name: "gateway",
    title: "Gateway",
    note: "Sells an API in any language without changing it. Save the file as gateway.yaml beside your API, which listens on port 8000 here.",
    blocks: [
      install("farthing"),
      {
        what: "code for Gateway",
        language: "yaml",
        code: `version: 1
publicUrl: http://127.0.0.1:4021 # the address that buyers see
listen: { http: "127.0.0.1:4021" }
network: ${values.network}
facilitator: { url: "${values.facilitatorUrl}", apiKey: "\${FARTHING_API_KEY}" }
payTo: "${values.payTo}"

upstreams:
  api: { url: "http://127.0.0.1:8000" }

routes: # the first match applies; other requests get 404
  - { match: "GET /health", upstream: api, free: true }
  - { match: "GET /report", upstream: api, price: "0.01", description: "One report" }`,
      },
      {
        what: "command to run",
        language: "bash",
        code: `export FARTHING_API_KEY=fk_…
npx farthing gateway`,
      },
    ],
  }),
  (values) => ({
    name: "python",
    title: "Python",
    note: "The gateway sells each request to the API behind it, also one that is written with FastAPI, Flask or Django. Keep the API itself private.",
    blocks: [
      {
        what: "code for Python",
        language: "python",
        code: `import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Api(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"report": "…"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("127.0.0.1", 8000), Api).serve_forever()`,
      },
      install("farthing"),
      gatewayCommand(values),
    ],
  }),
  (values) => ({
    name: "go",
    title: "Go",
    note: "The gateway sells each request to the API behind it, also one that is written with Gin or Echo. Keep the API itself private.",
    blocks: [
      {
        what: "code for Go",
        language: "go",
        code: `package main

import (
	"encoding/json"
	"log"
	"net/http"
)

func main() {
	http.HandleFunc("GET /report", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]string{"report": "…"})
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:8000", nil))
}`,
      },
      install("farthing"),
      gatewayCommand(values),
    ],
  }),
  (values) => ({
    name: "mcp",
    title: "MCP",
    note: "A server with one paid tool, and below an agent that buys it. The tool works first and is paid afterwards.",
    blocks: [
      install("@farthing/seller @farthing/buyer @modelcontextprotocol/sdk zod express"),
      {
        what: "code for MCP",
        language: "typescript",
        code: `import { farthing } from "@farthing/seller/mcp";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
import { z } from "zod";

${createCharge(values, "seller")}

function createServer() {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  seller.registerTool(
    server,
    "forecast",
    { price: "0.01", description: "Tomorrow's weather", inputSchema: { city: z.string() } },
    ({ city }) => ({ content: [{ type: "text", text: \`Rain in \${city}.\` }] }),
  );
  return server;
}

const app = express();
app.post("/mcp", async (request, response) => {
  const transport = new StreamableHTTPServerTransport();
  await createServer().connect(transport);
  await transport.handleRequest(request, response);
});
app.listen(4021);`,
      },
      {
        what: "code for an agent that buys",
        language: "typescript",
        code: `import { privateKeySigner } from "@farthing/buyer";
import { payingClient } from "@farthing/buyer/mcp";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const server = "http://127.0.0.1:4021/mcp";
const client = new Client({ name: "agent", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(server)));

const signer = privateKeySigner(process.env.FARTHING_WALLET_KEY);
const { callTool } = payingClient(client, { server, signer, limits: { perDay: "1" } });
const result = await callTool({ name: "forecast", arguments: { city: "Paris" } });
console.log(JSON.stringify(result.content));
await client.close();`,
      },
    ],
  }),
  ({ facilitatorUrl, payTo, network }) => ({
    name: "stock",
    title: "@x402/express",
    note: "The published middleware, unchanged. It knows USDC on this network by itself; add createAuthHeaders for the key.",
    blocks: [
      install("@x402/core @x402/evm @x402/express express"),
      {
        what: "code for @x402/express",
        language: "typescript",
        code: `import express from "express";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";

const headers = { Authorization: \`Bearer \${process.env.FARTHING_API_KEY}\` };
const facilitator = new HTTPFacilitatorClient({
  url: "${facilitatorUrl}",
  createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: headers }),
});
const server = new x402ResourceServer(facilitator).register("${network}", new ExactEvmScheme());

const accepts = {
  scheme: "exact",
  network: "${network}",
  payTo: "${payTo}",
  price: "$0.01",
};
const app = express();
app.use(paymentMiddleware({ "GET /report": { accepts, description: "One report" } }, server));
app.get("/report", (req, res) => res.json({ report: "…" }));
app.listen(3000);`,
      },
    ],
  }),
  ({ facilitatorUrl, payTo, network, usdc }) => ({
    name: "curl",
    title: "curl",
    note: "Put the buyer’s payment, decoded from its header, where payment.json stands. Settle with the same body at /settle, then ask /settlements/{id} until it is confirmed.",
    blocks: [
      {
        what: "code for curl",
        language: "bash",
        code: `curl ${facilitatorUrl}/verify \\
  -H "Authorization: Bearer $FARTHING_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d @- <<EOF
{
  "x402Version": 2,
  "paymentPayload": $(cat payment.json),
  "paymentRequirements": {
    "scheme": "exact",
    "network": "${network}",
    "asset": "${usdc}",
    "amount": "10000",
    "payTo": "${payTo}",
    "maxTimeoutSeconds": 120,
    "extra": { "name": "USDC", "version": "2" }
  }
}
EOF`,
      },
    ],
  }),
];
