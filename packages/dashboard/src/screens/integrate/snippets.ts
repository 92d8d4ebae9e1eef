/** Code for the seller's server, with the facilitator's address and the account. */
import type { Address } from "@farthing/protocol";

export interface SnippetValues {
  readonly facilitatorUrl: string;
  readonly payTo: Address;
  /** CAIP-2: `eip155:50`. */
  readonly network: string;
  readonly usdc: Address;
}

export interface Snippet {
  readonly name: "express" | "fastify" | "hono" | "stock" | "curl";
  readonly title: string;
  readonly install?: string;
  readonly code: string;
  readonly note: string;
}

export const snippetsOf = (values: SnippetValues): readonly Snippet[] =>
  ways.map((snippetFor) => snippetFor(values));

function createCharge({ facilitatorUrl, payTo, network }: SnippetValues): string {
  return `const charge = farthing({
  facilitator: { url: "${facilitatorUrl}", apiKey: process.env.FARTHING_API_KEY },
  payTo: "${payTo}",
  network: "${network}",
});`;
}

/** The shortest way first. */
const ways: readonly ((values: SnippetValues) => Snippet)[] = [
  (values) => ({
    name: "express",
    title: "Express",
    install: "npm install @farthing/seller express",
    note: "The handler runs once the transfer is confirmed. A repeated payment gets the same answer and is charged once.",
    code: `import express from "express";
import { farthing } from "@farthing/seller/express";

${createCharge(values)}

const app = express();
app.get("/report", charge({ price: "0.01", description: "One report" }), (req, res) => {
  res.json({ report: "…", paidBy: req.payment?.payer });
});
app.listen(3000);`,
  }),
  (values) => ({
    name: "fastify",
    title: "Fastify",
    install: "npm install @farthing/seller fastify",
    note: "The handler runs once the transfer is confirmed. Next.js and plain Node are charged alike, with @farthing/seller/next and /node; farthing gateway charges for an API without changing it.",
    code: `import fastify from "fastify";
import { farthing } from "@farthing/seller/fastify";

${createCharge(values)}

const app = fastify();
const paid = { onRequest: charge({ price: "0.01", description: "One report" }) };
app.get("/report", paid, async (request) => {
  return { report: "…", paidBy: request.payment?.payer };
});
await app.listen({ port: 3000 });`,
  }),
  (values) => ({
    name: "hono",
    title: "Hono",
    install: "npm install @farthing/seller hono",
    note: "Runs wherever Hono runs: Node, Bun, Deno, Workers. There, read the key from the environment of the platform.",
    code: `import { Hono } from "hono";
import { farthing } from "@farthing/seller/hono";

${createCharge(values)}

const app = new Hono();
app.get("/report", charge({ price: "0.01", description: "One report" }), (c) =>
  c.json({ report: "…", paidBy: c.get("payment").payer }),
);
export default app;`,
  }),
  ({ facilitatorUrl, payTo, network }) => ({
    name: "stock",
    title: "@x402/express",
    install: "npm install @x402/core @x402/evm @x402/express express",
    note: "The published middleware, unchanged. It knows USDC on this network by itself; add createAuthHeaders for the key.",
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
  }),
  ({ facilitatorUrl, payTo, network, usdc }) => ({
    name: "curl",
    title: "curl",
    note: "Put the buyer’s payment, decoded from its header, where payment.json stands. Settle with the same body at /settle, then ask /settlements/{id} until it is confirmed.",
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
  }),
];
