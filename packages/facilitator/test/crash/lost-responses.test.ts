/** Responses that reach nobody: the connection closes, or the process is killed, before they do. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { programFile } from "@farthing/lab/programs";
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  bodyOn,
  countOf,
  environmentOn,
  newDatabaseUrl,
  payerAndNonceOf,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  withMember,
  type Served,
} from "../support/facilitator.testing.ts";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served;
beforeAll(async () => {
  devnet = await startChain({ relayers: 2 });
  proxy = await startRpcProxy(devnet.rpcUrl);
  served = await serveOn(devnet, { rpcUrl: proxy.url });
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await devnet?.stop();
});
const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);
afterEach(async () => {
  proxy.gate = undefined;
  await automine(true);
});

const settle = async (body: JsonObject) => (await served.post("/settle", body)).body;
const verify = async (body: JsonObject) => (await served.post("/verify", body)).body;

const upfront = (body = bodyOn(devnet)) =>
  withMember(body, "paymentRequirements.extra.paymentFlow", "upfront");

/** Sends a request and gives what cuts its connection. */
function begin(path: string, body: JsonObject): () => void {
  const { hostname, port } = new URL(served.url);
  const headers = { "content-type": "application/json" };
  const sent = httpRequest({ hostname, port, path, headers, method: "POST" });
  sent.on("error", () => {});
  sent.end(JSON.stringify(body));
  return () => sent.destroy();
}

function query(text: string, nonce: string, from = "") {
  const database = new DatabaseSync(`${served.databaseUrl.replace(/^sqlite:/, "")}${from}`);
  try {
    return database.prepare(text).get(nonce);
  } finally {
    database.close();
  }
}

const toldTo = (nonce: string) =>
  query(
    "select success_told_to as told from settlement_claims join settlements on id = settlement_id where nonce = ?",
    nonce,
  )?.["told"];

describe("a connection that closes", () => {
  test("before the response was written gives the success back", async () => {
    const body = upfront();
    const { nonce } = payerAndNonceOf(body);
    await automine(false);
    const cut = begin(`/settle`, body);
    await expect.poll(() => toldTo(nonce)).toEqual(expect.any(String));
    cut();
    await expect.poll(() => toldTo(nonce)).toBeNull();
    await automine(true);
    await devnet.mine();
    expect(await settle(body)).toMatchObject({ success: true, extra: { replayed: true } });
    expect(await settle(body)).toMatchObject({ success: false, errorReason: "already_settled" });
  });

  test("before a result was written opens no exchange", async () => {
    const body = bodyOn(devnet);
    const { nonce } = payerAndNonceOf(body);
    const count = () =>
      query("select exchanges from payment_exchanges where nonce = ?", nonce, ".exchanges")?.[
        "exchanges"
      ];
    await verify(body);
    const opening = Promise.withResolvers<void>();
    proxy.reset();
    proxy.gate = opening.promise;
    const cut = begin(`/verify`, body);
    await expect.poll(() => proxy.countOf("eth_call")).toBeGreaterThan(0);
    cut();
    // Answered after the closed connection was seen: requests are read in order.
    await served.get("/health");
    opening.resolve();
    proxy.gate = undefined;
    await verify(bodyOn(devnet));
    expect(count()).toBe(1);
    const first = await settle(body);
    expect(await settle(body)).toMatchObject({ success: true, id: first["id"] });
  });
});

test.each([
  ["with the authorization", 120],
  ["an hour after the last verification", 7_200],
])("an exchange is forgotten %s, whichever comes first", async (_when, seconds) => {
  const validBefore = BigInt(Math.floor(Date.now() / 1000) + seconds);
  const body = bodyOn(devnet, { authorization: { validBefore } });
  const hourMs = 60 * 60 * 1000;
  const since = Date.now() + hourMs;
  expect(await verify(body)).toMatchObject({ isValid: true });
  const { nonce } = payerAndNonceOf(body);
  const text = "select forget_at from payment_exchanges where nonce = ?";
  const forgetAt = Number(query(text, nonce, ".exchanges")?.["forget_at"]);
  if (seconds * 1000 < hourMs) expect(forgetAt).toBe(Number(validBefore) * 1000);
  else {
    expect(forgetAt).toBeGreaterThanOrEqual(since);
    expect(forgetAt).toBeLessThanOrEqual(Date.now() + hourMs);
  }
});

test("a process that is killed while its call is open leaves the success used up, and proves it", async () => {
  const databaseUrl = newDatabaseUrl();
  const environment = environmentOn(devnet, { databaseUrl, wallets: [1] });
  const runner = programFile(new URL("../support/serve-runner.testing.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@farthing/source", runner], {
    env: { ...environment, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  let url = "";
  for await (const line of createInterface({ input: child.stderr })) {
    url = /^Farthing listens on (http\S+)$/.exec(line)?.[1] ?? "";
    if (url !== "") break;
  }
  await automine(false);
  const body = upfront();
  const headers = { "content-type": "application/json" };
  const lost = fetch(`${url}/settle`, { method: "POST", headers, body: JSON.stringify(body) });
  const { address } = walletAt(devnet.relayers, 1);
  await expect.poll(() => countOf(devnet, address)).toBe(1);
  child.kill("SIGKILL");
  await Promise.all([expect(lost).rejects.toThrow(), ended]);
  await automine(true);
  await devnet.mine();
  const next = await serveOn(devnet, { databaseUrl, wallets: [1] });
  const { body: again } = await next.post("/settle", body);
  expect(again).toMatchObject({ success: false, errorReason: "already_settled" });
  const id = textAt(again, "extra.settlementId");
  const { body: page } = await next.get(`/settlements/${id}`);
  expect(page).toMatchObject({ status: "confirmed", transaction: again["transaction"] });
  expect(await usesOf(devnet, body)).toEqual([again["transaction"]]);
  await next.stop();
});
