/**
 * The gateway as an operator runs it: `farthing gateway` with the engine inside, its file changed
 * while it runs, killed and started again.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { contractWalletSigner, privateKeySigner, wrapFetch } from "@farthing/buyer";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bin } from "../support/farthing-command.testing.ts";
import { freePorts } from "../support/free-ports.testing.ts";
import { configOf, startApi, usualRoutes, type Api } from "../support/gateway.testing.ts";
import {
  facilitatorEnvironment,
  price,
  startMarket,
  type Market,
} from "../support/market.testing.ts";
import { signFor } from "../support/signed-payment.testing.ts";

let market: Market;
let api: Api;
const folder = mkdtempSync(join(tmpdir(), "farthing-gateway-"));
const file = join(folder, "gateway.yaml");
const stack = new AsyncDisposableStack();
beforeAll(async () => {
  market = await startMarket({ ownFacilitator: false });
  stack.defer(() => market.stop());
  api = await startApi();
  stack.defer(() => api.close());
});
afterAll(() => stack.disposeAsync());

function save(text: string): void {
  writeFileSync(join(folder, "new"), text);
  renameSync(join(folder, "new"), file);
}

function fileWith(changes: JsonObject): string {
  const more = { facilitator: "embedded", store: "sqlite:./gateway.db", ...changes };
  return JSON.stringify(configOf(market, api, { more }));
}

/** Starts the process with the file; `until` resolves with the line that matches. */
async function run(...flags: string[]) {
  return runWith("--config", file, ...flags);
}

async function runWith(...flags: string[]) {
  const { devnet, databaseUrl } = market;
  const child = spawn(process.execPath, [bin, "gateway", ...flags], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...facilitatorEnvironment(devnet, databaseUrl),
    },
  });
  const said: string[] = [];
  const listeners = new Set<() => void>();
  const lines = createInterface({ input: child.stderr });
  lines.on("line", (line) => {
    said.push(line);
    for (const look of listeners) look();
  });
  let logged = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (logged += part));
  const until = (pattern: RegExp, from = 0): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = said.slice(from).find((line) => pattern.test(line));
        if (found === undefined) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      child.once("exit", (code) => reject(new Error(`Ended with ${code}: ${said.join("\n")}`)));
      look();
    });
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  const listening = await until(/listens on/);
  const url = /http:\S+/.exec(listening)?.[0] ?? "";
  return { url, until, end, child, saidSoFar: () => said.length, logged: () => logged };
}

async function priceAt(url: string): Promise<unknown> {
  const body: unknown = await (await fetch(`${url}/paid/7`)).json();
  return body;
}

/** As the file says; nothing listens there. */
const publicUrl = "http://localhost:1";
const soldWithPasses = {
  match: "GET /passes/:report",
  upstream: "api",
  price,
  passes: { uses: 3, validFor: "1h" },
};

/** Buys or uses a pass by a contract wallet that has no token of it. */
async function visitByContract(url: string) {
  const { address, owner } = market.devnet.smartWallet;
  const signer = contractWalletSigner(address, privateKeySigner(owner.privateKey));
  const atGateway: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    const response = await fetch(new Request(`${url}${pathname}`, request));
    return new Response(response.body, response);
  };
  const response = await wrapFetch(atGateway, { signer })(`${publicUrl}/passes/7`);
  return [response.status, response.payment.state];
}

test("sells, reads its file again, keeps the last good one, and what was paid across a kill", async () => {
  save(fileWith({ routes: [...usualRoutes, soldWithPasses] }));
  const first = await run();
  expect(await visitByContract(first.url)).toEqual([200, "settled"]);
  // Signed in, through the nodes of the facilitator inside.
  expect(await visitByContract(first.url)).toEqual([200, "not_required"]);
  api.reset();
  const buyer = market.newBuyer();
  const headers = await signFor(buyer, `${first.url}/paid/7`);
  const bought = await fetch(`${first.url}/paid/7`, { headers });
  const body = await bought.clone().text();
  await market.expectPaidOnce(bought, buyer.address);

  const dearer = { routes: [{ ...usualRoutes[1], price: "0.02" }] };
  save(fileWith(dearer));
  await first.until(/Configuration reloaded/);
  expect(await priceAt(first.url)).toMatchObject({
    accepts: [{ maxAmountRequired: "20000" }, {}],
  });

  save(`${fileWith(dearer)}: and no more YAML`);
  await first.until(/The previous one stays active/);
  expect(await priceAt(first.url)).toMatchObject({
    accepts: [{ maxAmountRequired: "20000" }, {}],
  });

  save(fileWith({}));
  await first.until(/Configuration reloaded/, first.saidSoFar());
  const before = first.saidSoFar();
  first.child.kill("SIGHUP");
  await first.until(/Configuration reloaded/, before);
  expect(first.logged()).toContain('"outcome":"paid"');
  expect(first.logged()).not.toContain(headers["PAYMENT-SIGNATURE"]);
  await first.end("SIGKILL");

  const second = await run();
  const again = await fetch(`${second.url}/paid/7`, { headers });
  expect([again.headers.get("X-Payment-Replayed"), await again.clone().text()]).toEqual([
    "true",
    body,
  ]);
  await market.expectPaidOnce(again, buyer.address);
  expect(api.heard).toHaveLength(1);
  expect(await second.end("SIGTERM")).toBe(0);
});

test("told to stop while its engine waits for a node that says nothing: it ends", async () => {
  save(fileWith({}));
  const node = createServer();
  await once(node.listen(0, "127.0.0.1"), "listening");
  const { port } = Object(node.address());
  const { devnet, databaseUrl } = market;
  const env = {
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    ...facilitatorEnvironment(devnet, databaseUrl),
    [`FARTHING_RPC_${devnet.chainId}`]: `http://127.0.0.1:${port}`,
  };
  const child = spawn(process.execPath, [bin, "gateway", "--config", file], {
    stdio: "ignore",
    env,
  });
  const ended = once(child, "exit");
  const [connection] = await once(node, "connection");
  child.kill("SIGTERM");
  expect((await ended)[0]).toBe(0);
  connection.destroy();
  node.close();
});

test("sells an API by options alone, and ends with its terminal", async () => {
  api.reset();
  const { devnet, network } = market;
  const [port] = await freePorts(1);
  const sale = ["--to", api.url, "--price", "0.01", "--pay-to", devnet.seller.address];
  const place = ["--network", network.id, "--listen", `127.0.0.1:${port}`];
  const gateway = await runWith(...sale, ...place);
  const url = `${gateway.url}/any/path?at=all`;
  const buyer = market.newBuyer();
  const bought = await fetch(url, { headers: await signFor(buyer, url) });
  await market.expectPaidOnce(bought, buyer.address);
  expect(api.heard).toMatchObject([{ method: "GET", target: "/any/path?at=all" }]);
  expect(await gateway.end("SIGHUP")).toBe(0);
});

test("says what is wrong with its file, with 3", async () => {
  save("version: 1\nprice: 0.1");
  await expect(run()).rejects.toThrow(/with 3: [^]*cannot start[^]*price/);
});
