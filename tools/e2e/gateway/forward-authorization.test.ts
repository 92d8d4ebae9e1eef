/**
 * A real nginx and a real Caddy serve a folder and an API, with the files of deploy/, and ask the gateway
 * about each request: what is paid is served with its receipt, and nothing else by any address.
 */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, request as requestHttp, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { readGatewayConfig, startGateway, type Gateway } from "@farthing/gateway";
import {
  decodeHeader,
  headerNames,
  passHeaders,
  readReceipt,
  type JsonObject,
} from "@farthing/protocol";
import { rawRequest, sendRaw } from "@farthing/seller/testing/listen";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stockBuyer } from "../support/buyers.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";
import { hasProxy, startProxy, type Proxy } from "../support/proxies.testing.ts";
import { signFor } from "../support/signed-payment.testing.ts";

const largeBytes = 100 * 1024 * 1024;
const secret = "what is sold";

let market: Market;
let folder: string;
let api: Server;
let heard: string[] = [];

beforeAll(async () => {
  market = await startMarket();
  folder = mkdtempSync(join(tmpdir(), "farthing-files-"));
  mkdirSync(join(folder, "free"));
  mkdirSync(join(folder, "sold/deep"), { recursive: true });
  writeFileSync(join(folder, "free/page.txt"), "free");
  for (const file of ["sold/report.txt", "sold/index.html", "sold/deep/a.txt", "sold/b%2fc.txt"]) {
    writeFileSync(join(folder, file), secret);
  }
  writeFileSync(join(folder, "sold/large.bin"), "");
  truncateSync(join(folder, "sold/large.bin"), largeBytes);
  api = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${String(request.headers["x-payment-payer"])}`);
    response.end(secret);
  });
  api.on("upgrade", (request, socket) => {
    heard.push(`upgrade ${request.url} ${String(request.headers["x-payment-payer"])}`);
    socket.end(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: test\r\nConnection: Upgrade\r\n\r\nhi",
    );
  });
  api.listen(0, "127.0.0.1");
  await once(api, "listening");
});
afterAll(async () => {
  api?.close();
  rmSync(folder, { recursive: true, force: true });
  await market?.stop();
});

/** A gateway whose requests a proxy serves; everything that is not sold is free, the most dangerous file. */
function openGateway(more: JsonObject = {}): Promise<Gateway> {
  const config = readGatewayConfig(
    JSON.stringify({
      version: 1,
      publicUrl: "http://localhost:1",
      listen: { http: "127.0.0.1:0" },
      trustedProxies: ["127.0.0.1"],
      facilitator: { ...market.facilitator("public") },
      network: market.network.id,
      payTo: market.devnet.seller.address,
      store: "memory",
      upstreams: { files: { servedByProxy: true } },
      routes: [
        { match: "GET /sold/*", upstream: "files", price: "0.01" },
        { match: "POST /sold/*", upstream: "files", price: "0.01" },
        {
          match: "GET /pass/*",
          upstream: "files",
          price: "0.01",
          passes: { uses: 3, validFor: "1h" },
        },
      ],
      default: { upstream: "files", free: true },
      ...more,
    }),
  );
  return startGateway({ config });
}

const hostOf = ({ url }: Gateway) => new URL(url).host;

/** Every one of these names something that is sold, in the eyes of some server. */
const tricks = [
  "//sold/report.txt",
  "/sold//report.txt",
  "/free/../sold/report.txt",
  "/free/./../sold/report.txt",
  "/free/%2e%2e/sold/report.txt",
  "/free/.%2e/sold/report.txt",
  "/free/..%2fsold/report.txt",
  "/free/..%5csold/report.txt",
  "/./sold/report.txt",
  "/%2e/sold/report.txt",
  "/%73old/report.txt",
  "/%73%6f%6c%64/report.txt",
  "/sold%2freport.txt",
  "/sold%2Freport.txt",
  "/sold/%72eport.txt",
  "/sold/report.txt/",
  "/sold/report.txt.",
  "/sold/report.txt%20",
  "/sold/report.txt%00",
  "/sold/report.txt;x",
  "/sold;x/report.txt",
  "/sold/report.txt%3b",
  "/sold/report.txt?x",
  "/sold/report.txt%3fx",
  "/sold/report.txt#free",
  "/sold/report.txt%23free",
  "/SOLD/report.txt",
  "/sold",
  "/sold/",
  "/sold/index.html",
  "/sold/deep/../report.txt",
  "/sold/deep/a.txt",
  "/sold/b%252fc.txt",
  "/sold/b%2fc.txt",
  "http://api.example.com/sold/report.txt",
  "http://api.example.com/free/../sold/report.txt",
  "/?/../sold/report.txt",
  "/x402-authorize/../sold/report.txt",
  "/__x402/authorize",
];

/** Headers by which a caller could ask about another request than the one that is served. */
const claims = [
  "X-Forwarded-Uri: /free/page.txt",
  "X-Forwarded-Method: OPTIONS",
  "X-Forwarded-Host: free.example.com",
  "X-Forwarded-For: 203.0.113.1",
  "X-Original-URL: /free/page.txt",
  "X_Original_URL: /free/page.txt",
  "X-Rewrite-URL: /free/page.txt",
  "X-HTTP-Method-Override: OPTIONS",
  "X-402-Refusal: none",
  "X-Payment-Payer: 0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
];

describe.each(["nginx", "caddy"] as const)("%s", (kind) => {
  describe.skipIf(!hasProxy(kind))("asks the gateway", () => {
    let gateway: Gateway;
    let files: Proxy;
    let before: Proxy;
    const stack = new AsyncDisposableStack();
    beforeAll(async () => {
      gateway = await openGateway();
      stack.defer(() => gateway.stop());
      files = await startProxy(kind, { folder, gateway: hostOf(gateway) });
      stack.defer(() => files.stop());
      const place = api.address();
      const port = place !== null && typeof place === "object" ? place.port : 0;
      before = await startProxy(kind, {
        folder,
        gateway: hostOf(gateway),
        api: `127.0.0.1:${port}`,
      });
      stack.defer(() => before.stop());
    });
    afterAll(() => stack.disposeAsync());

    test("a free file is served, also to scripts of other origins", async () => {
      const response = await fetch(`${files.url}/free/page.txt`);
      expect([response.status, await response.text()]).toEqual([200, "free"]);
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(response.headers.has(headerNames.paymentResponse)).toBe(false);
      const preflight = await fetch(`${files.url}/sold/report.txt`, { method: "OPTIONS" });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("Access-Control-Allow-Headers")).toMatch(/PAYMENT-SIGNATURE/);
    });

    test("a file that is sold gets the gateway's own 402, with its challenge, for programs and people", async () => {
      const response = await fetch(`${files.url}/sold/report.txt`);
      expect(response.status).toBe(402);
      expect(decodeHeader(response.headers.get(headerNames.paymentRequired))?.value).toMatchObject({
        resource: { url: "http://localhost:1/sold/report.txt" },
        accepts: [{ amount: "10000" }],
      });
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      expect(await response.json()).toMatchObject({ x402Version: 1 });
      // As a browser's address bar asks.
      const asked = rawRequest("GET /sold/report.txt", ["Accept: text/html"]);
      const page = await sendRaw(files.url, asked);
      expect([page.status, page.text.includes("<html")]).toEqual([402, true]);
    });

    test("the end of a file of 100 MiB is bought by its range, and the same payment opens the rest", async () => {
      const buyer = market.newBuyer();
      const header = await signBound(buyer, `${files.url}/sold/large.bin`);
      const part = (range: string) =>
        fetch(`${files.url}/sold/large.bin`, { headers: { ...header, Range: range } });
      const end = await part(`bytes=${largeBytes - 16}-`);
      expect([end.status, end.headers.get("Content-Range")]).toEqual([
        206,
        `bytes ${largeBytes - 16}-${largeBytes - 1}/${largeBytes}`,
      ]);
      expect((await end.clone().arrayBuffer()).byteLength).toBe(16);
      const [paid] = await market.transfers(buyer.address);
      expect(readReceipt(end.headers)).toMatchObject({
        success: true,
        ...(paid && { transaction: paid.transaction }),
      });
      expect(end.headers.get("Cache-Control")).toBe("private, no-store");
      const rest = await part(`bytes=0-${largeBytes - 17}`);
      expect([rest.status, (await rest.arrayBuffer()).byteLength]).toEqual([206, largeBytes - 16]);
      expect(await market.transfers(buyer.address)).toHaveLength(1);
    });

    test("our buyer and the stock one buy a file", async () => {
      const [own, stock] = [market.newBuyer(), market.newBuyer()];
      const buys = [
        [own, wrapFetch(fetch, { signer: privateKeySigner(own.privateKey) })],
        [stock, stockBuyer(market, stock)],
      ] as const;
      for (const [{ address }, buy] of buys) {
        const response = await buy(`${files.url}/sold/report.txt`);
        expect([response.status, await response.clone().text()]).toEqual([200, secret]);
        await market.expectPaidOnce(response, address);
      }
    });

    test("no address and no claim opens what is sold", async () => {
      const asked = ["GET", "HEAD", "POST"].flatMap((method) =>
        tricks.map((trick) => [`${method} ${trick}`, rawRequest(`${method} ${trick}`)] as const),
      );
      const claimed = claims.map(
        (claim) => [claim, rawRequest("GET /sold/report.txt", [claim])] as const,
      );
      const answers = await Promise.all(
        [...asked, ...claimed].map(async ([name, request]) => {
          const { status, text } = await sendRaw(files.url, request);
          return { name, status, isSold: text.includes(secret) };
        }),
      );
      expect(answers.filter(({ isSold }) => isSold)).toEqual([]);
      // The proxy finds some malformed itself, and the free rule finds no such file.
      const usual = [308, 400, 402, 403, 404, 405];
      expect(answers.filter(({ status }) => !usual.includes(status))).toEqual([]);
      expect(answers.filter(({ status }) => status === 402).length).toBeGreaterThan(20);
    });

    test("an API learns from the gateway alone who has paid, and a repeated order is not done again", async () => {
      heard = [];
      const buyer = market.newBuyer();
      const forged = { "X-Payment-Payer": market.devnet.seller.address };
      const init = { method: "POST", headers: forged };
      const header = await signFor(buyer, `${before.url}/sold/jobs`, { init });
      const pay = () =>
        fetch(`${before.url}/sold/jobs`, {
          method: "POST",
          headers: { ...forged, ...header },
          body: "{}",
        });
      const first = await pay();
      expect(await first.clone().text()).toBe(secret);
      await market.expectPaidOnce(first, buyer.address);
      const again = await pay();
      expect(again.status).toBe(409);
      expect(readReceipt(again.headers)?.success).toBe(true);
      expect(heard).toEqual([`POST /sold/jobs ${buyer.address}`]);
      await fetch(`${before.url}/free`, { headers: forged });
      expect(heard[1]).not.toContain(market.devnet.seller.address);
    });

    test("a WebSocket is opened by a payment at its handshake", async () => {
      heard = [];
      const buyer = market.newBuyer();
      const url = `${before.url}/sold/live`;
      expect(await upgrade(url, {})).toBe(402);
      expect(await upgrade(url, { ...(await signFor(buyer, url)) })).toBe(101);
      expect(heard).toEqual([`upgrade /sold/live ${buyer.address}`]);
    });

    test("a pass opens as many files as were bought", async () => {
      heard = [];
      const { privateKey } = market.newBuyer();
      const buy = wrapFetch(fetch, { signer: privateKeySigner(privateKey) });
      const first = await buy(`${before.url}/pass/1`);
      expect([first.status, first.headers.get("X-Pass-Remaining")]).toEqual([200, "2"]);
      const pass = { [passHeaders.token]: first.headers.get(passHeaders.token) ?? "" };
      const uses = [];
      for (const page of [2, 3, 4]) {
        uses.push((await fetch(`${before.url}/pass/${page}`, { headers: pass })).status);
      }
      expect(uses).toEqual([200, 200, 402]);
    });

    test("without its gateway the proxy serves nothing and takes nothing", async () => {
      const lost = await openGateway();
      const alone = await startProxy(kind, { folder, gateway: hostOf(lost) });
      await lost.stop();
      const response = await fetch(`${alone.url}/sold/report.txt`);
      expect([502, 503]).toContain(response.status);
      expect(await response.text()).not.toContain(secret);
      await alone.stop();
    });
  });
});

/** A bound payment, as our buyer makes it, for requests that a test writes itself. */
async function signBound(
  { privateKey }: { readonly privateKey: `0x${string}` },
  url: string,
): Promise<Record<string, string>> {
  let sent: Headers | undefined;
  const send = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    if (!request.headers.has(headerNames.paymentSignature)) return fetch(request);
    sent = request.headers;
    return new Response();
  };
  await wrapFetch(send, { signer: privateKeySigner(privateKey) })(url);
  const { paymentSignature } = headerNames;
  return { [paymentSignature]: sent?.get(paymentSignature) ?? "" };
}

/** The status of a handshake. */
async function upgrade(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const request = requestHttp(url, {
    headers: { ...headers, Connection: "Upgrade", Upgrade: "test" },
  });
  request.end();
  return new Promise((resolve, reject) => {
    request.once("response", ({ statusCode }) => resolve(statusCode));
    request.once("upgrade", ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    request.once("error", reject);
  });
}
