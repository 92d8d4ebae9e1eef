/**
 * No secret of an account leaves: neither a cookie nor a signature nor a key is in a log line, an
 * error or a metric, and the database holds what proves them and not them.
 */
import { readFileSync } from "node:fs";
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "@farthing/engine/base";
import {
  answerTo,
  askSignIn,
  openBrowser,
  signIn,
  stepUp,
  type Browser,
} from "../support/browser.testing.ts";
import {
  newDatabaseUrl,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served;
/** While set, the database fails with what it was asked to keep. */
let isStoreDown = false;
const lines: string[] = [];
const refusals: Answer[] = [];
const databaseUrl = newDatabaseUrl();

beforeAll(async () => {
  devnet = await startChain();
  proxy = await startRpcProxy(devnet.rpcUrl);
  served = await serveOn(devnet, {
    selfBuilt: false,
    rpcUrl: proxy.url,
    databaseUrl,
    store: failing(await openStore(databaseUrl)),
    log: createLog("debug", { write: (line) => lines.push(line) }),
    env: { FARTHING_METRICS_PORT: "0" },
  });
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await devnet?.stop();
});

/** A store whose errors name the verb; drivers do not repeat what was bound. */
function failing(inner: ServiceStore): ServiceStore {
  return new Proxy(inner, {
    get(target, name) {
      const verb: unknown = Reflect.get(target, name);
      if (typeof verb !== "function") return verb;
      return (...parameters: unknown[]) => {
        if (isStoreDown && name !== "close") throw new Error(`disk full at ${String(name)}`);
        return Reflect.apply(verb, target, parameters);
      };
    },
  });
}

/** The values that a browser was given to keep. */
function cookiesOf({ setCookies }: Browser): string[] {
  return setCookies
    .map((line) => /^[^=]+=([^;]+);/.exec(line)?.[1])
    .filter((value) => value !== undefined);
}

/** What an owner does, right, and wrong, and again, and while nothing works; gives his secrets. */
async function live(): Promise<string[]> {
  const secrets: string[] = [];
  const { seller } = devnet;
  const wallet = walletAt(devnet.buyers, 0);
  const input = { label: "shop", mode: "test", expiresInDays: null };
  const browser = openBrowser(served);

  expect((await signIn(browser, { wallet: seller })).status).toBe(200);
  const asked = await askSignIn(openBrowser(served), { wallet: seller });
  const lost = answerTo(asked, seller);
  const contract = await askSignIn(browser, { wallet, address: devnet.smartWallet.address });
  const approval = await stepUp(browser, seller, "create_key", input);
  secrets.push(lost.signature, approval.signature);
  const made = await browser.post("/v1/account/keys", { ...input, stepUp: approval });
  const key = textAt(made.body, "key");
  secrets.push(key, key.slice(20, 63));
  const again = await browser.post("/v1/account/keys", { ...input, stepUp: approval });
  refusals.push(again, await browser.post("/v1/account/sign-in/complete", lost));
  proxy.react = ({ method, params }) => ({
    error: { code: -32_000, message: `${method} ${JSON.stringify(params)}: no plan` },
  });
  const owner = answerTo(contract, devnet.smartWallet.owner);
  secrets.push(owner.signature);
  refusals.push(await browser.post("/v1/account/sign-in/complete", owner));
  proxy.react = () => undefined;
  const unused = await stepUp(browser, seller, "revoke_sessions", {});
  secrets.push(unused.signature);
  isStoreDown = true;
  for (const [method, path, body] of [
    ["GET", "/v1/account", undefined],
    ["POST", "/v1/account/sign-in/complete", unused],
    ["DELETE", "/v1/account/sessions", { stepUp: unused }],
    ["POST", "/v1/account/keys", { ...input, stepUp: unused, [key]: key }],
  ] as const) {
    refusals.push(await browser.send(method, path, body));
  }
  isStoreDown = false;
  refusals.push(await served.get("/v1/key", { authorization: `Bearer ${key.slice(0, -1)}` }));
  await browser.send("DELETE", `/v1/account/keys/${textAt(made.body, "id")}`);
  refusals.push(await served.get("/v1/key", { authorization: `Bearer ${key}` }));
  await browser.post("/v1/account/sign-out", {});
  return [...secrets, ...cookiesOf(browser)];
}

test("through everything that an owner does", async () => {
  const secrets = await live();

  const log = lines.join("");
  for (const said of [
    "Signed in",
    "Signature refused",
    "API key created",
    "API key revoked",
    "Session ended",
    "Request failed with a",
  ]) {
    expect(log).toContain(said);
  }
  expect(refusals.map(({ status }) => status)).toEqual([
    403, 401, 503, 500, 500, 500, 500, 401, 401,
  ]);
  const bodies = refusals.map(({ body }) => JSON.stringify(body)).join("\n");
  const metrics = await (await fetch(`${served.metricsUrl}/metrics`)).text();
  const files = ["", "-wal"].map((end) => readFileSync(`${databaseUrl.slice(7)}${end}`, "latin1"));
  expect(secrets.length).toBeGreaterThan(7);
  for (const secret of secrets) {
    for (const text of [log, bodies, metrics, ...files]) {
      expect(text.includes(secret), `${secret} in ${excerpt(text, secret)}`).toBe(false);
    }
  }
  expect(files.join("")).toContain(devnet.seller.address.toLowerCase());
});

function excerpt(text: string, part: string): string {
  const at = text.indexOf(part);
  return at === -1 ? "" : text.slice(Math.max(0, at - 200), at + 200);
}
