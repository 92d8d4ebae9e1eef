/**
 * A verified agent pays half, from its key to the money: the command creates the key, a real server
 * publishes it over TLS, the gateway finds it there, and the chain shows what each buyer paid.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wrapFetch, privateKeySigner } from "@farthing/buyer";
import { parseAgentKey, signRequests } from "@farthing/buyer/agent";
import { agentDirectoryType } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAuthority } from "../../../packages/facilitator/test/support/certificates.testing.ts";
import { listenHere } from "../../../packages/facilitator/test/support/listening.testing.ts";
import { createDirectoryFetch } from "../../../packages/gateway/src/callers/fetch-directory.ts";
import { freePorts } from "../support/free-ports.testing.ts";
import { runFarthing } from "../support/farthing-command.testing.ts";
import { openGateway, type GatewayShop } from "../support/gateway.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";

const host = "agent.example";
const authority = createAuthority();

let folder: string;
let market: Market;
let shop: GatewayShop;
let directoryServer: Server;
let port: number;
let document = "";
let asked = 0;
type Serve = (request: IncomingMessage, response: ServerResponse) => void;
const serveDocument: Serve = (_, response) =>
  void response.setHeader("Content-Type", agentDirectoryType).end(document);
let serve = serveDocument;
let reached: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-agent-"));
  market = await startMarket();
  directoryServer = createServer(authority.identify({ dns: [host] }), (request, response) => {
    asked += 1;
    reached.push(`${request.headers.host} ${request.url}`);
    serve(request, response);
  });
  port = await listenHere(directoryServer);
  const [gatewayPort] = await freePorts(1);
  shop = await openGateway(market, {
    fetchDirectory: createDirectoryFetch({ ...here, port, ca: authority.cert }),
    routes: [
      {
        match: "GET /paid/:report",
        upstream: "api",
        price: "0.01",
        for: [
          { name: "friends", agents: [host], multiplier: "0.5" },
          { name: "office", networks: ["127.0.0.2"], free: true },
        ],
      },
    ],
    // What agents sign is the address that they know.
    more: {
      listen: { http: `127.0.0.1:${gatewayPort}` },
      publicUrl: `http://127.0.0.1:${gatewayPort}`,
      trustedProxies: ["127.0.0.1"],
    },
  });
});
afterAll(async () => {
  await shop?.stop();
  directoryServer?.closeAllConnections();
  directoryServer?.close();
  await market?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const here = { resolve: async () => ["127.0.0.1"], mayReach: () => true };

test("an agent with a key of `farthing agent-key` pays half, everybody else the price, the office nothing", async () => {
  const out = join(folder, "agent-key.json");
  const made = await runFarthing(["agent-key", "create", `https://${host}`, "--out", out], {
    HOME: folder,
  });
  document = made;
  expect(made).not.toContain(JSON.parse(readFileSync(out, "utf8")).jwk.d);
  const pay = async (args: readonly string[]) => {
    const { privateKey } = market.newBuyer();
    const environment = { HOME: folder, FARTHING_WALLET_KEY: privateKey };
    const url = `${shop.url}/paid/7`;
    const printed = await runFarthing(["pay", "--json", ...args, url], environment);
    const { payment } = JSON.parse(printed);
    return [payment.state, payment.amount];
  };
  const [amount, half] = ["10000", "5000"];
  expect(await pay([])).toEqual(["settled", amount]);
  expect(await pay(["--agent-key", out])).toEqual(["settled", half]);
  expect(await pay(["--agent-key", out])).toEqual(["settled", half]);
  expect(asked).toBe(1);
  expect(reached).toEqual([`${host}:${port} /.well-known/http-message-signatures-directory`]);
  const office = { "X-Forwarded-For": "127.0.0.2" };
  expect((await fetch(`${shop.url}/paid/7`, { headers: office })).status).toBe(200);
  expect(shop.api.heard).toHaveLength(4);

  const { privateKey } = market.newBuyer();
  const signed = signRequests(fetch, parseAgentKey(JSON.parse(readFileSync(out, "utf8"))));
  const buy = wrapFetch(signed, { signer: privateKeySigner(privateKey), rpcUrl: "none" });
  const { payment } = await buy(`${shop.url}/paid/%37?a=b`);
  expect(payment).toMatchObject({ state: "settled", amount: half });
});

test.each<[string, Serve, string]>([
  [
    "moved",
    (_, response) => void response.writeHead(302, { Location: "/keys" }).end(),
    "its directory has status 302",
  ],
  [
    "of another type",
    (_, response) => void response.setHeader("Content-Type", "text/html").end(document),
    `its directory is not of the type ${agentDirectoryType}`,
  ],
  [
    "larger than the bound",
    (_, response) => {
      response.setHeader("Content-Type", agentDirectoryType);
      response.end(`{"keys":[${" ".repeat(70_000)}]}`);
    },
    "its directory is larger than 65536 bytes",
  ],
  [
    "compressed",
    (_, response) => {
      response.setHeader("Content-Type", agentDirectoryType);
      response.setHeader("Content-Encoding", "gzip");
      response.end(Buffer.alloc(100));
    },
    "its directory is no set of keys",
  ],
  [
    "without an end",
    (_, response) => {
      response.setHeader("Content-Type", agentDirectoryType);
      response.write("{");
    },
    "in time",
  ],
  ["broken", (request) => void request.socket.destroy(), "its directory cannot be reached"],
])("a directory that is %s gives no key", async (_, serves, why) => {
  serve = serves;
  const fetchDirectory = createDirectoryFetch({
    ...here,
    port,
    ca: authority.cert,
    totalMs: 1_000,
  });
  expect(await fetchDirectory(host)).toEqual({
    kind: "failed",
    why: expect.stringContaining(why),
  });
  serve = serveDocument;
});

test.each<[string, string, string[]]>([
  ["a private address", host, ["10.0.0.1"]],
  ["a private address among public ones", host, ["8.8.8.8", "127.0.0.1"]],
  ["no address", host, []],
  ["this machine by number", "127.0.0.1", []],
  ["this machine by number, version 6", "[::1]", []],
])("%s is never connected to", async (_, name, addresses) => {
  reached = [];
  const fetchDirectory = createDirectoryFetch({ resolve: async () => addresses, port });
  expect(await fetchDirectory(name)).toEqual({ kind: "failed", why: "its address is not public" });
  expect(reached).toEqual([]);
});
