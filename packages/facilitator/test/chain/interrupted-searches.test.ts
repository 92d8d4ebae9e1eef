/** A search for lost payments that is killed on its way, and one that two processes begin at once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import type { Devnet } from "@farthing/devnet";
import { createLog } from "@farthing/engine/base";
import type { JsonObject } from "@farthing/protocol";
import { startPostgres } from "@farthing/engine/testing";
import { programFile } from "@farthing/lab/programs";
import { startRpcProxy, type NodeCall, type RpcProxy } from "@farthing/lab/rpc-proxy";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  environmentOn,
  newDatabaseUrl,
  payerAndNonceOf,
  readResponse,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { backUp, settlementTables as tables } from "../support/lost-rows.testing.ts";

const runner = programFile(new URL("../support/serve-runner.testing.ts", import.meta.url));
const env = { FARTHING_ID_SECRET: "0f".repeat(32) };

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startChain({ buyers: 4 });
});
afterAll(() => devnet?.stop());

const paymentOf = (buyer: number) => bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) });

/** Pays with four wallets at once; gives what was told of each. */
async function payWithAll(served: Served) {
  const bodies = [0, 1, 2, 3].map(paymentOf);
  const answers = await Promise.all(bodies.map((body) => served.post("/settle", body)));
  const told = answers.map(({ body: { id, transaction } }) => ({ id: String(id), transaction }));
  return { bodies, told };
}

async function expectRecovered(
  served: Served,
  { bodies, told }: Awaited<ReturnType<typeof payWithAll>>,
): Promise<void> {
  for (const { id, transaction } of told) {
    const { body } = await served.get(`/settlements/${id}`);
    expect(body).toMatchObject({ state: "confirmed", transaction, settledBy: "relayer" });
  }
  for (const [index, body] of bodies.entries()) {
    expect(await usesOf(devnet, body)).toEqual([told[index]?.transaction]);
  }
}

/** A read of logs by the search for what wallets have sent. */
function isSearch({ method, params }: NodeCall): boolean {
  return method === "eth_getLogs" && typeof Object(params[0]).topics[0] === "string";
}

async function startProxy(): Promise<RpcProxy> {
  const proxy = await startRpcProxy(devnet.rpcUrl);
  onTestFinished(proxy.stop);
  return proxy;
}

test("killed again and again, it ends at the next start, and records nothing twice", async () => {
  const databaseUrl = newDatabaseUrl();
  const before = await serveOn(devnet, { databaseUrl, env });
  const restore = backUp(databaseUrl);
  expect((await before.post("/settle", paymentOf(0))).body).toMatchObject({ success: true });
  const lost = await payWithAll(before);
  await before.stop();
  restore();

  const proxy = await startProxy();
  const payers = new Set(lost.bodies.map((body) => payerAndNonceOf(body).payer.toLowerCase()));
  const points: ((call: NodeCall) => boolean)[] = [
    isSearch,
    ({ method }) => method === "eth_getTransactionByHash",
    // Right before the claim.
    ({ method, params }) => method === "eth_getCode" && payers.has(String(params[0]).toLowerCase()),
  ];
  for (const isPoint of points) {
    const child = spawn(process.execPath, ["--conditions=@farthing/source", runner], {
      env: {
        ...environmentOn(devnet, { databaseUrl, rpcUrl: proxy.url, env }),
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      },
      stdio: "ignore",
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit");
    proxy.step = async (side, calls) => {
      if (side === "before" && calls.some(isPoint)) child.kill("SIGKILL");
    };
    expect(await ended).toEqual([null, "SIGKILL"]);
    proxy.step = undefined;
  }
  const served = await serveOn(devnet, { databaseUrl, env });
  onTestFinished(() => served.stop());
  await expectRecovered(served, lost);
  const file = new DatabaseSync(databaseUrl.slice("sqlite:".length));
  expect(file.prepare("select count(*) as count from settlements").get()).toEqual({ count: 5 });
  file.close();
});

/** The fields of an event's lines. */
const eventsIn = (lines: readonly string[], event: string): JsonObject[] =>
  lines.map((line) => JSON.parse(line)).filter((line) => line.event === event);

test("one that the database refuses is said and left out; the others are recorded, and the service is ready", async () => {
  const databaseUrl = newDatabaseUrl();
  const before = await serveOn(devnet, { databaseUrl, env });
  const restore = backUp(databaseUrl);
  const { bodies, told } = await payWithAll(before);
  await before.stop();
  restore();
  const { nonce } = payerAndNonceOf(bodies[2] ?? {});
  const file = new DatabaseSync(databaseUrl.slice("sqlite:".length));
  file.exec(`create trigger refuse before insert on settlements when new.nonce = '${nonce}'
    begin select raise(abort, 'not this one'); end`);
  file.close();

  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const metrics = { FARTHING_METRICS_PORT: "0" };
  const served = await serveOn(devnet, { databaseUrl, log, env: { ...env, ...metrics } });
  onTestFinished(() => served.stop());
  expect((await served.get("/ready")).status).toBe(200);
  await expectRecovered(served, { bodies: bodies.toSpliced(2, 1), told: told.toSpliced(2, 1) });
  expect(eventsIn(lines, "transfer_not_recovered")).toMatchObject([
    {
      nonce,
      transaction: told[2]?.transaction,
      problem: expect.stringMatching(/database refuses it: .*not this one/),
    },
  ]);
  expect(eventsIn(lines, "settlements_recovered")).toHaveLength(1);
  const counted = await (await fetch(`${served.metricsUrl}/metrics`)).text();
  expect(counted).toMatch(
    /x402_log_lines_total\{level="error",event="transfer_not_recovered"\} 1\b/,
  );
});

test("of two processes that start, one reads the chain and the other waits for it", async () => {
  const postgres = await startPostgres();
  onTestFinished(postgres.stop);
  const { databaseUrl } = postgres;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  const before = await serveOn(devnet, { databaseUrl, env });
  await client.query(tables.map((name) => `create table kept_${name} as table ${name}`).join("; "));
  const lost = await payWithAll(before);
  await before.stop();
  const back = tables.toReversed().map((name) => `insert into ${name} table kept_${name}`);
  await client.query(`begin; truncate ${tables.join(", ")} cascade; ${back.join("; ")}; commit`);

  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  let isReleased = false;
  const proxies = [await startProxy(), await startProxy()];
  const urls: string[] = [];
  const starting = proxies.map((proxy, index) => {
    proxy.react = (call) =>
      isSearch(call) && !isReleased
        ? { error: { code: -32_000, message: "header not found" } }
        : undefined;
    const onListening = (url: string) => (urls[index] = url);
    const own = { rpcUrl: proxy.url, wallets: [index], onListening };
    return serveOn(devnet, { databaseUrl, env, log, ...own });
  });
  const texts = async () =>
    Promise.all(
      urls.map(async (url) =>
        JSON.stringify((await readResponse(await fetch(`${url}/ready`))).body),
      ),
    );
  const both = [
    expect.stringMatching(/has lost payments.*at block/),
    expect.stringMatching(/has lost payments.*by another process/),
  ];
  await expect
    .poll(
      async () =>
        (await texts()).toSorted(
          (one, other) => Number(/another/.test(one)) - Number(/another/.test(other)),
        ),
      { interval: 200 },
    )
    .toEqual(both);
  expect(proxies.filter(({ calls }) => calls.some(isSearch))).toHaveLength(1);
  isReleased = true;
  const [first, second] = await Promise.all(starting);
  onTestFinished(async () => {
    await first?.stop();
    await second?.stop();
  });
  if (!first || !second) throw new Error("both have started");
  await expectRecovered(first, lost);
  expect(proxies.filter(({ calls }) => calls.some(isSearch))).toHaveLength(1);
  const ends = lines.filter((line) => JSON.parse(line).event === "settlements_recovered");
  expect(ends).toHaveLength(1);
  expect((await second.get("/ready")).status).toBe(200);
});
