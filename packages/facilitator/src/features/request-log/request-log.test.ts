/** The calls that were made with a key are listed for their account, and hold no secret. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Devnet } from "@farthing/devnet";
import { isObject, type JsonObject } from "@farthing/protocol";
import { Fault, silentLog, systemClock } from "@farthing/engine/base";
import { openSignedIn, type Browser } from "../../../test/support/browser.testing.ts";
import {
  bodyOn,
  serveOn,
  startChain,
  textAt,
  withMember,
  type Answer,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { keyIn } from "../../../test/support/api-keys.testing.ts";
import { holdAnswers, readContract } from "../../../test/support/openapi.testing.ts";
import { openStore } from "../open-store.ts";
import { createRecorder } from "./recorder.ts";

let devnet: Devnet;
let served: Served;
let letGo: () => void;
let seller: Browser;
let key: string;

beforeAll(async () => {
  devnet = await startChain();
  served = await serveOn(devnet, { selfBuilt: false });
  key = await keyIn(served.databaseUrl, devnet.seller.address);
  seller = await openSignedIn(served, { wallet: devnet.seller });
  letGo = holdAnswers(served.url, await readContract(served.url));
});
afterAll(async () => {
  letGo?.();
  await served?.stop();
  await devnet?.stop();
});

const withKey = () => ({ authorization: `Bearer ${key}`, prefer: "wait=20" });

async function list(query = ""): Promise<JsonObject[]> {
  const { body } = await seller.get(`/v1/account/requests?${query}`);
  const { requests } = body;
  return Array.isArray(requests) ? requests.filter(isObject) : [];
}

const requestIdOf = ({ headers }: Answer) => headers.get("x-request-id") ?? "none";

test("calls with a key are listed with what was asked and answered, without secrets", async () => {
  const body = bodyOn(devnet);
  const settled = await served.post("/settle", body, withKey());
  const refused = await served.post(
    "/verify?trace=1",
    withMember(bodyOn(devnet), "paymentPayload.payload.signature", `0x${"11".repeat(65)}`),
    withKey(),
  );
  const foreign = await served.post(
    "/verify",
    withMember(bodyOn(devnet), "paymentRequirements.payTo", devnet.treasury.address),
    withKey(),
  );
  await served.post("/verify", bodyOn(devnet), { authorization: "Bearer fk_test_none" });
  await served.get("/v1/key", withKey());
  await expect.poll(() => list()).toHaveLength(4);
  const asked = { network: "eip155:51", payTo: devnet.seller.address };
  const shown = { key: { label: "lab", mode: "test" }, method: "POST" };
  const calls = await list();
  expect(calls).toMatchObject([
    { method: "GET", path: "/v1/key", status: 200, asked: {}, code: null },
    {
      ...shown,
      path: "/verify",
      status: 403,
      code: "payee_mismatch",
      message: foreign.body["message"],
      result: null,
      requestId: requestIdOf(foreign),
    },
    {
      ...shown,
      path: "/verify",
      status: 200,
      code: "invalid_signature",
      message: refused.body["invalidMessage"],
      result: "invalid",
      asked,
      requestId: requestIdOf(refused),
    },
    {
      ...shown,
      path: "/settle",
      status: 200,
      code: null,
      result: "confirmed",
      settlementId: settled.body["id"],
      transaction: settled.body["transaction"],
      asked: { ...asked, payer: settled.body["payer"], amount: "10000" },
      requestId: requestIdOf(settled),
    },
  ]);
  const written = JSON.stringify(calls);
  const [signature, nonce] = ["signature", "authorization.nonce"].map((name) =>
    textAt(body, `paymentPayload.payload.${name}`),
  );
  for (const secret of [key, signature, nonce, "Bearer", "trace"]) {
    expect(secret).toMatch(/\w{5}/);
    expect(written).not.toContain(secret);
  }
  const [, , , first] = calls;
  const one = await seller.get(`/v1/account/requests/${String(first?.["requestId"])}`);
  expect(one.body).toEqual(first);
  expect(await list("status=refused&path=%2Fverify&mode=test")).toHaveLength(2);
  expect(await list("status=4xx")).toHaveLength(1);
  expect(await list("mode=live")).toEqual([]);
});

test("pages follow each other, and calls of others are not found", async () => {
  await served.get("/v1/key", withKey());
  await served.get("/v1/key", withKey());
  await expect.poll(async () => (await list("path=key")).length).toBeGreaterThan(1);
  const { body } = await seller.get("/v1/account/requests?path=key&limit=1");
  const { body: second } = await seller.get(
    `/v1/account/requests?path=key&limit=1&cursor=${String(body["next"])}`,
  );
  expect(second["requests"]).not.toEqual(body["requests"]);
  const bad = await seller.get("/v1/account/requests?cursor=1.a");
  expect(bad).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  const stranger = await openSignedIn(served, { wallet: devnet.buyers[0] ?? devnet.treasury });
  expect((await stranger.get("/v1/account/requests")).body).toEqual({ requests: [], next: null });
  const [{ requestId } = {}] = await list();
  const notTheirs = await stranger.get(`/v1/account/requests/${String(requestId)}`);
  expect(notTheirs).toMatchObject({ status: 404, body: { error: "not_found" } });
});

test("calls wait for a database that is away, up to a bound", async () => {
  const recorded: number[] = [];
  let isAway = true;
  const lines: object[] = [];
  const recorder = createRecorder({
    clock: systemClock,
    log: { ...silentLog, warn: (fields: object) => lines.push(fields) },
    store: {
      async recordCalls(calls) {
        if (isAway) throw new Fault("storage_unavailable", "away");
        recorded.push(calls.length);
      },
      removeCalls: async () => 0,
    },
  });
  const [call] = await listedCalls();
  for (let count = 0; count < 5_003; count++) if (call) recorder.note(call);
  await recorder.start()();
  expect(recorded).toEqual([]);
  expect(lines).toContainEqual(expect.objectContaining({ event: "request_log_failed" }));
  isAway = false;
  await recorder.start()();
  expect(recorded.reduce((sum, some) => sum + some, 0)).toBe(5_000);
  expect(lines).toContainEqual({ event: "calls_left_out", calls: 3 });
});

async function listedCalls() {
  const store = await openStore(served.databaseUrl);
  const { items } = await store.listCalls(devnet.seller.address, {}, { limit: 1 });
  await store.close();
  return items;
}
