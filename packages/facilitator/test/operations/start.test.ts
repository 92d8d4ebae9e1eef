/**
 * The start as seen from its port: it answers before the node and the database do, says what it
 * waits for, evaluates nothing, and then serves there. A start that fails or is ended leaves nothing.
 */
import { createServer } from "node:net";
import { DatabaseSync } from "node:sqlite";
import type { Devnet } from "@farthing/devnet";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  newDatabaseUrl,
  serveOn,
  startChain,
  type ServeOptions,
} from "../support/facilitator.testing.ts";
import { listenHere } from "../support/listening.testing.ts";
import { startRpcProxy, type NodeCall, type RpcProxy } from "@farthing/lab/rpc-proxy";
import { openStore } from "../../src/features/open-store.ts";
import { bothEngines } from "../stores/store-benches.testing.ts";
import type { StoreBench } from "../stores/store-values.testing.ts";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startChain();
});
afterAll(() => devnet?.stop());

/** A node that answers when it is let go, after the start's first request. */
async function startHeldNode(): Promise<{ readonly proxy: RpcProxy; letGo(): void }> {
  const proxy = await startRpcProxy(devnet.rpcUrl);
  const held = Promise.withResolvers<void>();
  proxy.gate = held.promise;
  onTestFinished(async () => {
    held.resolve();
    await proxy.stop();
  });
  return { proxy, letGo: held.resolve };
}

/** Begins to start; resolves with the port that is open by then, and the start itself. */
async function begin(options: ServeOptions) {
  const opened = Promise.withResolvers<string>();
  const serving = serveOn(devnet, { ...options, onListening: opened.resolve });
  serving.catch(opened.reject);
  onTestFinished(() =>
    serving.then(
      (served) => served.stop(),
      () => undefined,
    ),
  );
  return { url: await opened.promise, serving };
}

async function ask(url: string, path: string, body?: unknown) {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, { ...init, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** What /ready says is missing, by name. */
async function missingAt(url: string): Promise<unknown> {
  const { status, text } = await ask(url, "/ready");
  expect(status).toBe(503);
  return JSON.parse(text);
}

/** The chain has not moved since it was made; the service wants a newest block that is new. */
async function becomesReady(url: string): Promise<void> {
  await devnet.mine();
  await expect.poll(async () => (await ask(url, "/ready")).status).toBe(200);
}

const sentAway = { error: "service_unavailable", retryable: true };

test("while the node says nothing: /health answers, /ready names the chain, nothing is evaluated", async () => {
  const { proxy, letGo } = await startHeldNode();
  const { url, serving } = await begin({ rpcUrl: proxy.url });
  expect((await ask(url, "/health")).status).toBe(200);
  expect(await missingAt(url)).toMatchObject({
    status: "not ready",
    checks: [
      { name: "database", ok: false, text: "it is opened once the chain has been checked" },
      { name: "eip155:51", ok: false, text: expect.stringMatching(/^the chain is being checked/) },
    ],
  });
  const body = bodyOn(devnet);
  const shapes = [
    ["/verify", { isValid: false }],
    ["/settle", { success: false, transaction: "", network: "" }],
  ] as const;
  for (const [path, shape] of shapes) {
    const { status, headers, text } = await ask(url, path, body);
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("5");
    expect(JSON.parse(text)).toMatchObject({ ...sentAway, ...shape });
  }
  for (const path of ["/supported", "/v1/status", "/settlements/health", "/nothing"]) {
    const { status, text } = await ask(url, path);
    expect([path, status]).toEqual([path, 503]);
    expect(JSON.parse(text)).toMatchObject(sentAway);
  }
  expect(proxy.countOf("eth_sendRawTransaction")).toBe(0);

  letGo();
  expect((await serving).url).toBe(url);
  await becomesReady(url);
  const settled = await ask(url, "/settle", body);
  expect(JSON.parse(settled.text)).toMatchObject({ success: true, status: "confirmed" });
});

/** Keeps a database of an earlier version from being opened; returns what lets go of it. */
async function holdDatabase(bench: StoreBench): Promise<() => Promise<void>> {
  if (bench.isConcurrent) {
    const client = new Client({ connectionString: bench.databaseUrl });
    await client.connect();
    await client.query("begin; lock table kysely_migration in access exclusive mode");
    return () => client.end();
  }
  const database = new DatabaseSync(bench.databaseUrl.replace("sqlite:", ""));
  database.exec("drop index settlements_unfinalized; begin immediate");
  return async () => {
    if (database.isOpen) database.close();
  };
}

/** A payment of an earlier version, whatever became of it. */
const insertOne = `insert into settlements (id, chain_id, asset, payer, nonce, pay_to, amount,
  valid_after, valid_before, signature, payer_has_code, seen_unused_at, network_name, state, created_at)
  values ('stl_1', 51, '0x${"22".repeat(20)}', '0x${"11".repeat(20)}', '0x01', '0x${"33".repeat(20)}',
  '1', '0', '1', '0x00', 0, 1, 'eip155:51', 'failed', 1)`;

describe.each(bothEngines())("%s", (_, startBench) => {
  test("while the database is brought to this version: /health answers, /ready names the database", async () => {
    const bench = await startBench();
    onTestFinished(bench.stop);
    await (await bench.open()).close();
    await bench.query(insertOne);
    const letGo = await holdDatabase(bench);
    onTestFinished(letGo);
    const { url, serving } = await begin({ databaseUrl: bench.databaseUrl });
    const texts = async () => JSON.stringify(await missingAt(url));
    await expect.poll(texts).toMatch(/it is being opened and brought to this/);
    expect((await ask(url, "/health")).status).toBe(200);
    expect((await ask(url, "/settle", bodyOn(devnet))).status).toBe(503);

    await letGo();
    await serving;
    await becomesReady(url);
  });
});

// The checks of the start have passed when the follower looks; wallets are taken at its block.
const isFollower = ({ params }: NodeCall) => params[0] === "finalized";
const isTaking = ({ method, params }: NodeCall) =>
  method === "eth_getTransactionCount" && String(params[1]).startsWith("0x");

const isNotReady = (text: string) => ({
  checks: [
    { name: "database", ok: true },
    { name: "eip155:51", ok: false, text },
  ],
});

test("until a block was seen no payment is evaluated; while wallets are taken payments are claimed, and then told", async () => {
  const proxy = await startRpcProxy(devnet.rpcUrl);
  const firstBlock = Promise.withResolvers<void>();
  const wallets = Promise.withResolvers<void>();
  onTestFinished(async () => {
    firstBlock.resolve();
    wallets.resolve();
    await proxy.stop();
  });
  proxy.step = async (side, calls) => {
    if (side === "before" && calls.some(isFollower)) await firstBlock.promise;
    if (side === "before" && calls.some(isTaking)) await wallets.promise;
  };
  const { url, serving } = await begin({ rpcUrl: proxy.url });
  await expect.poll(async () => (await ask(url, "/supported")).status).toBe(200);
  expect(await missingAt(url)).toMatchObject(isNotReady("the chain has not answered yet"));
  const early = await ask(url, "/settle", bodyOn(devnet));
  expect([early.status, early.headers.has("retry-after")]).toEqual([503, true]);

  firstBlock.resolve();
  await expect
    .poll(() => missingAt(url))
    .toMatchObject(isNotReady("no relayer wallet can take work"));
  const settling = ask(url, "/settle", bodyOn(devnet));
  await expect.poll(() => proxy.countOf("eth_call")).toBeGreaterThan(1);
  wallets.resolve();
  await serving;
  expect(JSON.parse((await settling).text)).toMatchObject({ success: true, status: "confirmed" });
  await becomesReady(url);
});

test.each([
  {
    what: "a node on another chain",
    react: ({ method }: NodeCall) => (method === "eth_chainId" ? { result: "0x1" } : undefined),
    says: /^eip155:51 chain id: the node serves chain 1, not 51; put a node of .* into FARTHING_RPC_51$/,
  },
  {
    what: "a node that is away",
    react: () => "down" as const,
    says: /^eip155:51 node: .+; check FARTHING_RPC_51 and that the node is reachable$/,
  },
  {
    what: "a wallet without gas",
    react: ({ method }: NodeCall) => (method === "eth_getBalance" ? { result: "0x0" } : undefined),
    says: /^eip155:51 relayer: 0x\S+ holds 0 XDC, less than .*; send it XDC for gas$/,
  },
  {
    what: "a database that is away",
    databaseUrl: "postgres://farthing:secret@127.0.0.1:1/farthing",
    says: /^The database cannot be used \(PostgreSQL, 127\.0\.0\.1:1\/farthing\): nothing listens there; start the database, or correct DATABASE_URL$/,
  },
])("$what ends the start with a sentence of what to do, and closes the port", async (one) => {
  const proxy = await startRpcProxy(devnet.rpcUrl);
  onTestFinished(() => proxy.stop());
  const { react = () => undefined, databaseUrl = newDatabaseUrl(), says } = one;
  proxy.react = react;
  const { url, serving } = await begin({ rpcUrl: proxy.url, databaseUrl });
  await expect(serving).rejects.toThrow(says);
  await expect(ask(url, "/health")).rejects.toThrow("fetch failed");
});

test("a SQLite file that cannot be updated ends the start with a sentence of what to do", async () => {
  const databaseUrl = newDatabaseUrl();
  await (await openStore(databaseUrl)).close();
  const database = new DatabaseSync(databaseUrl.replace("sqlite:", ""));
  // A name is taken by what no version makes.
  database.exec(`${insertOne}; drop index settlements_unfinalized;
    drop index relayer_transactions_bytes; create table relayer_transactions_bytes (a integer)`);
  database.close();
  const { url, serving } = await begin({ databaseUrl });
  await expect(serving).rejects.toThrow(
    /^The SQLite file .*farthing.db could not be brought to this version: .*; see that the disk has room .* start again$/,
  );
  await expect(ask(url, "/health")).rejects.toThrow("fetch failed");
});

test("a taken port ends the start before node and database are asked", async () => {
  const other = createServer();
  const port = await listenHere(other);
  onTestFinished(() => void other.close());
  const proxy = await startRpcProxy(devnet.rpcUrl);
  onTestFinished(() => proxy.stop());
  const env = { FARTHING_PORT: String(port) };
  const databaseUrl = newDatabaseUrl();
  await expect(serveOn(devnet, { env, databaseUrl, rpcUrl: proxy.url })).rejects.toMatchObject({
    code: "configuration",
    message: `Cannot listen on 127.0.0.1:${port}, where another program, or another facilitator, listens already; set FARTHING_PORT to a free port`,
  });
  expect(proxy.requests).toBe(0);
  const database = new DatabaseSync(databaseUrl.replace("sqlite:", ""));
  expect(database.prepare("select name from sqlite_master").all()).toEqual([]);
  database.close();
});
