/**
 * The least that a `/verify` takes on Node.js: it reads the request, asks the node to simulate one transfer,
 * the same one each time, and responds what never changes. It checks nothing.
 */
import { createServer, type ServerResponse } from "node:http";
import { parseJson } from "@farthing/protocol";
import { addressOf } from "@farthing/seller/testing/listen";
import { Pool } from "undici";
import { post } from "./load.ts";

const { BENCH_RPC_URL: rpcUrl = "", BENCH_CALL: call = "" } = process.env;
const node = new Pool(rpcUrl);
const target = { path: "/", headers: { "content-type": "application/json" } };
const body = JSON.stringify({ isValid: true, payer: `0x${"1".repeat(40)}` });
const headers = { "Content-Type": "application/json", "Content-Length": body.length };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => void respond(chunks, response));
});

async function respond(chunks: readonly Buffer[], response: ServerResponse): Promise<void> {
  const isRead = parseJson(Buffer.concat(chunks).toString()) !== undefined;
  const { result } = await post(node, target, call);
  response.writeHead(isRead && result === "0x" ? 200 : 500, headers).end(body);
}

server.listen(0, "127.0.0.1", () => console.log(`It listens on ${addressOf(server)}`));
process.on("SIGTERM", () => process.exit());
