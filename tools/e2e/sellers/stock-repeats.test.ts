/**
 * A stock seller keeps no record of payments: it serves whenever the facilitator says that a payment
 * succeeded. The buyer chooses what to send and how often, so the facilitator must say it once.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { readConfig, silentLog, startFacilitator } from "@farthing/facilitator";
import { startPostgres, type TestPostgres } from "@farthing/engine/testing";
import { isObject, networkOfChain, readReceipt } from "@farthing/protocol";
import { listen } from "@farthing/seller/testing/listen";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keyIn } from "@farthing/facilitator/testing/api-keys";
import { facilitatorEnvironment, price } from "../support/market.testing.ts";
import { openStockShop } from "../support/shops.testing.ts";
import { signFor } from "../support/signed-payment.testing.ts";

/** Requests that one payment is sent with at once, and one after the other when all are answered. */
const atOnce = 12;
const inARow = 4;

const network = networkOfChain(51);
const hosted = "/api/facilitator";
const stack = new AsyncDisposableStack();
let devnet: Devnet;
let server: TestPostgres;
/** Addresses of each surface; the processes of one address are asked in turn. */
let surfaces: Record<Surface, { readonly url: string; readonly apiKey?: string }>;

type Surface = "hosted" | "public" | "self-built" | "two processes, hosted" | "two, public";

async function start(databaseUrl: string, relayers: readonly number[], selfBuilt = false) {
  const keys = relayers.map((index) => devnet.relayers[index]?.privateKey);
  const env = {
    ...facilitatorEnvironment(devnet, databaseUrl),
    FARTHING_RELAYER_KEYS: keys.join(","),
    FARTHING_RATE_LIMIT: "0",
  };
  const options = { config: readConfig({ env }), log: silentLog, selfBuilt };
  const facilitator = await startFacilitator(options);
  stack.defer(() => facilitator.stop());
  return facilitator.url;
}

/** One address in front of several processes: each request goes to the next one. */
async function inTurn(urls: readonly string[]): Promise<string> {
  let turn = 0;
  const listening = await listen((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const { method = "GET", url = "/", headers } = req;
      const { authorization = "", "content-type": type = "application/json" } = headers;
      const body = method === "GET" ? {} : { body: Buffer.concat(chunks) };
      const to = `${urls[turn++ % urls.length]}${url}`;
      const pass = async () => {
        const passed = { authorization, "content-type": type };
        const answer = await fetch(to, { method, headers: passed, ...body });
        res.writeHead(answer.status, { "content-type": "application/json" });
        res.end(await answer.text());
      };
      pass().catch(() => res.destroy());
    });
  });
  stack.defer(() => listening.close());
  return listening.url;
}

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "farthing-repeats-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  [devnet, server] = await Promise.all([
    startDevnet({ chainId: 51, blockTimeSeconds: 1, relayers: 4, buyers: 20 }),
    startPostgres(),
  ]);
  stack.defer(() => server.stop());
  stack.defer(() => devnet.stop());
  const file = `sqlite:${join(folder, "farthing.db")}`;
  const seller = devnet.seller.address;
  const apiKey = await keyIn(file, seller);
  const sharedKey = await keyIn(server.databaseUrl, seller);
  const [one, alone, first, second] = await Promise.all([
    start(file, [0]),
    start(`sqlite:${join(folder, "self-built.db")}`, [1], true),
    start(server.databaseUrl, [2]),
    start(server.databaseUrl, [3]),
  ]);
  const both = await inTurn([first, second]);
  surfaces = {
    hosted: { url: one + hosted },
    public: { url: one, apiKey },
    "self-built": { url: alone },
    "two processes, hosted": { url: both + hosted },
    "two, public": { url: both, apiKey: sharedKey },
  };
});
afterAll(() => stack.disposeAsync());

let buyersUsed = 0;

function nextBuyer() {
  const buyer = devnet.buyers[buyersUsed++];
  if (!buyer) throw new Error("All wallets of the devnet have bought something.");
  return buyer;
}

async function isServed(response: Response): Promise<boolean> {
  const body: unknown = await response.json();
  return response.status === 200 && isObject(body) && "report" in body;
}

/** Sends one payment to a shop as often as the attack does; how many of the answers were served. */
async function attack(url: string): Promise<{ served: number; receipts: unknown[] }> {
  const headers = { ...(await signFor(nextBuyer(), url)) };
  const send = () => fetch(url, { headers });
  const answers = await Promise.all(Array.from({ length: atOnce }, send));
  for (let sent = 0; sent < inARow; sent++) answers.push(await send());
  const served = await Promise.all(answers.map((answer) => isServed(answer.clone())));
  const good = answers.filter((_, index) => served[index]);
  return { served: good.length, receipts: good.map(({ headers: of }) => readReceipt(of)) };
}

describe.each(["hosted", "public", "self-built", "two processes, hosted", "two, public"] as const)(
  "a stock seller on the surface: %s",
  (surface) => {
    test.each([
      ["default", {}],
      ["upfront", { flow: "upfront" as const }],
    ])("one payment sent sixteen times is served once, %s flow", async (_, terms) => {
      const market = { devnet, network, facilitator: () => surfaces[surface] };
      const shop = await openStockShop(market, "hosted", terms);
      const { served, receipts } = await attack(shop.url);
      expect(served).toBe(1);
      expect(receipts).toMatchObject([{ success: true, amount: String(Number(price) * 1e6) }]);
      await shop.close();
    });
  },
);
