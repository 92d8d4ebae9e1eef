/**
 * No secret leaves: with the log at its most talkative, through success, refusal and every fault,
 * nothing that was configured in confidence or signed by a payer is in a log line, an error body
 * or a metric.
 */
import type { Devnet } from "@farthing/devnet";
import { isObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { createLog, systemClock } from "@farthing/engine/base";
import {
  bodyOn,
  byContract,
  frontRun,
  newDatabaseUrl,
  serveOn,
  startChain,
  textAt,
  walletAt,
  withMember,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";

const rpcSecrets = ["secret-path-of-a-provider", "secret-query-of-a-provider", "secret-password"];
const [rpcPath = "", rpcQuery = "", rpcPassword = ""] = rpcSecrets;

let devnet: Devnet;
let proxy: RpcProxy;
let store: ServiceStore;
let served: Served;
let apiKey = "";
/** While set, the database fails with it. */
let storeFailure: Error | undefined;
const lines: string[] = [];
const answers: Answer[] = [];
/** Signatures that were sent in. */
const signatures: string[] = [];

beforeAll(async () => {
  devnet = await startChain({ blockTimeSeconds: 1 });
  proxy = await startRpcProxy(devnet.rpcUrl);
  const databaseUrl = newDatabaseUrl();
  store = await openStore(databaseUrl);
  const { address: account } = devnet.seller;
  ({ text: apiKey } = await createApiKey(store, systemClock, {
    account,
    mode: "test",
    label: "t",
  }));
  const { port } = new URL(proxy.url);
  served = await serveOn(devnet, {
    databaseUrl,
    store: failing(store),
    rpcUrl: `http://me:${rpcPassword}@127.0.0.1:${port}/${rpcPath}?key=${rpcQuery}`,
    selfBuilt: false,
    log: createLog("debug", { write: (line) => lines.push(line) }),
    env: { FARTHING_METRICS_PORT: "0", FARTHING_PAYER_CAP: "1" },
  });
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await devnet?.stop();
});

function failing(inner: ServiceStore): ServiceStore {
  return {
    ...inner,
    findSettlementsByKey: async (keys) => {
      if (storeFailure) throw storeFailure;
      return inner.findSettlementsByKey(keys);
    },
  };
}

async function post(path: string, body: unknown, key = apiKey): Promise<Answer> {
  if (isObject(body)) signatures.push(textAt(body, "paymentPayload.payload.signature"));
  const answer = await served.post(
    path,
    body,
    key === "" ? {} : { authorization: `Bearer ${key}` },
  );
  answers.push(answer);
  return answer;
}

/** Everything that can happen to a request. */
async function live(): Promise<void> {
  const wrongKey = `${apiKey.slice(0, -1)}${apiKey.endsWith("0") ? "1" : "0"}`;
  const hosted = "/api/facilitator";
  const used = bodyOn(devnet);
  await frontRun(devnet, used);
  const another = walletAt(devnet.buyers, 1).address;
  await Promise.all([
    post("/settle", used),
    ...["/verify", "/settle"].flatMap((route) => [
      post(route, bodyOn(devnet)),
      post(`${hosted}${route}`, bodyOn(devnet)),
      post(route, bodyOn(devnet), wrongKey),
      post(route, bodyOn(devnet), ""),
      post(`${hosted}${route}`, byContract(devnet)),
      post(route, JSON.stringify(bodyOn(devnet)).slice(0, -9)),
      post(route, withMember(bodyOn(devnet), "paymentRequirements.amount", "1")),
      post(route, bodyOn(devnet, { authorization: { to: another } })),
      // Above the payer's cap.
      post(`${hosted}${route}`, bodyOn(devnet, { authorization: { value: 2_000_000n } })),
    ]),
  ]);
}

test("through everything that can happen", async () => {
  await live();
  // Providers quote the URL, nodes quote the transaction.
  proxy.react = ({ method, params }) => ({
    error: {
      code: -32_000,
      message: `${method} ${JSON.stringify(params)}: no plan for ${proxy.url}/${rpcPath}?key=${rpcQuery} (me:${rpcPassword})`,
    },
  });
  await live();
  proxy.react = ({ method, params }) =>
    method === "eth_sendRawTransaction"
      ? { error: { code: -32_000, message: `invalid transaction ${JSON.stringify(params)}` } }
      : undefined;
  await live();
  proxy.react = () => "down";
  await live();
  proxy.react = () => "lose";
  await live();
  proxy.react = () => undefined;
  storeFailure = new Error(`disk full near ${apiKey.slice(0, 8)}`);
  await live();
  storeFailure = undefined;
  const metrics = await (await fetch(`${served.metricsUrl}/metrics`)).text();

  // It did happen: faults and changes of state are told, requests can be found again.
  const log = lines.join("");
  for (const said of [
    "Settlement queued",
    "Settlement confirmed",
    "Request failed with a",
    "stl_",
  ]) {
    expect(log).toContain(said);
  }
  expect(log).toMatch(/"requestId":"req_[0-9a-f]+".*"msg":"Settlement queued"/);
  // Each request is answered once, and none of all this is a bug but the database's own text.
  const bugs = lines.filter((line) => line.includes("Request failed with a bug"));
  expect(bugs.filter((line) => !line.includes("disk full"))).toEqual([]);
  expect(answers.map(({ status }) => status)).toEqual(
    expect.arrayContaining([200, 400, 401, 403, 503]),
  );

  const { privateKey } = walletAt(devnet.relayers, 0);
  const keys = [privateKey.slice(2), apiKey, apiKey.slice(20, 60)];
  const basic = Buffer.from(`me:${rpcPassword}`).toString("base64");
  const signed = signatures.map((signature) => signature.slice(2, 66));
  const bodies = answers.map(({ body }) => JSON.stringify(body)).join("\n");
  for (const text of [log, bodies, metrics]) {
    for (const secret of [...rpcSecrets, basic, ...keys, ...signed]) {
      expect(text.includes(secret), `${secret} in ${excerpt(text, secret)}`).toBe(false);
    }
  }
  // Addresses and hashes are for logs and answers; a metric has neither, nor any URL.
  expect(metrics).not.toMatch(/0x[0-9a-f]{8}|stl_|req_|:\/\//i);
  // Seven lives, each with settlements that wait for their second.
});

function excerpt(text: string, part: string): string {
  const at = text.indexOf(part);
  return at === -1 ? "" : text.slice(Math.max(0, at - 200), at + 200);
}
