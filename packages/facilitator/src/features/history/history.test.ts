/** What a seller sees of his settlements: lists that stay in place, stories with gas, days, files. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Devnet } from "@farthing/devnet";
import { isObject, type JsonObject } from "@farthing/protocol";
import { openSignedIn, type Browser } from "../../../test/support/browser.testing.ts";
import {
  bodyOn,
  oneCent,
  secondsFromNow,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { createApiKey } from "../api-keys/key-text.ts";
import { systemClock } from "@farthing/engine/base";
import { holdAnswers, readContract } from "../../../test/support/openapi.testing.ts";
import { mineToFinal } from "../purchases/purchases.testing.ts";
import { openStore, type ServiceStore } from "../open-store.ts";

let devnet: Devnet;
let served: Served;
let letGo: () => void;
let store: ServiceStore;
let seller: Browser;
let key: string;
let keyId: string;

beforeAll(async () => {
  devnet = await startChain();
  const env = { FARTHING_EXPLORER_51: "https://explorer.example/apothem/" };
  served = await serveOn(devnet, { selfBuilt: false, env });
  store = await openStore(served.databaseUrl);
  seller = await openSignedIn(served, { wallet: devnet.seller });
  const input = { account: devnet.seller.address, mode: "test", label: "shop" } as const;
  const made = await createApiKey(store, systemClock, input);
  [key, keyId] = [made.text, made.key.id];
  // Whatever is answered in these tests is as /openapi.json describes it.
  letGo = holdAnswers(served.url, await readContract(served.url));
});
afterAll(async () => {
  letGo?.();
  await store?.close();
  await served?.stop();
  await devnet?.stop();
});

const path = "/v1/account/settlements";

async function settle(payerIndex = 0): Promise<JsonObject> {
  const body = bodyOn(devnet, { payer: walletAt(devnet.buyers, payerIndex) });
  const headers = { authorization: `Bearer ${key}`, prefer: "wait=10" };
  return (await served.post("/settle", body, headers)).body;
}

async function list(query = ""): Promise<JsonObject[]> {
  const { body } = await seller.get(`${path}${query}`);
  const { settlements } = body;
  if (!Array.isArray(settlements)) throw new Error(JSON.stringify(body));
  return settlements.filter(isObject);
}

const idsOf = (rows: readonly JsonObject[]) => rows.map(({ id }) => id);

test("a list reads on where it was, whatever arrives meanwhile", async () => {
  const made = [];
  for (let count = 0; count < 5; count++) made.push(textAt(await settle(), "id"));
  const first = await seller.get(`${path}?limit=2`);
  expect(idsOf(await list("?limit=2"))).toEqual(made.slice(3).toReversed());
  made.push(textAt(await settle(), "id"));
  const rest: unknown[] = [];
  let cursor = first.body["next"];
  while (typeof cursor === "string") {
    const page = await seller.get(`${path}?limit=2&cursor=${cursor}`);
    const { settlements } = page.body;
    if (Array.isArray(settlements)) rest.push(...settlements.filter(isObject).map(({ id }) => id));
    cursor = page.body["next"];
  }
  expect(rest).toEqual(made.slice(0, 3).toReversed());
});

test("filters", async () => {
  const other = await settle(1);
  const payer = walletAt(devnet.buyers, 1).address;
  expect(idsOf(await list(`?payer=${payer}`))).toEqual([other["id"]]);
  expect(idsOf(await list(`?payer=xdc${payer.slice(2).toLowerCase()}`))).toEqual([other["id"]]);
  expect(idsOf(await list(`?transaction=${textAt(other, "transaction")}`))).toEqual([other["id"]]);
  expect(await list("?state=failed")).toEqual([]);
  expect((await list(`?state=confirmed&key=${keyId}&network=eip155:51`)).length).toBeGreaterThan(5);
  expect(await list("?network=xdc")).toEqual([]);
  const day = new Date().toISOString().slice(0, 10);
  expect((await list(`?from=${day}&to=${day}`)).length).toBeGreaterThan(5);
  expect(await list("?to=2020-01-01")).toEqual([]);
  for (const bad of ["?state=x", "?from=x", "?limit=0", "?cursor=x", "?other=1", "?network=x"]) {
    expect((await seller.get(`${path}${bad}`)).status).toBe(400);
  }
});

test("the story of one: gas is read once it is final, and kept", async () => {
  const { id, transaction } = await settle();
  const early = await seller.get(`${path}/${String(id)}`);
  expect(early.body).toMatchObject({ state: "confirmed", gasUsed: null, gasPaidWei: null });
  const waiting = seller.get(`${path}/${String(id)}?wait=20`);
  await mineToFinal(devnet);
  expect((await waiting).body).toMatchObject({ finalizedAt: expect.any(String) });
  await expect
    .poll(async () => (await seller.get(`${path}/${String(id)}`)).body["gasUsed"])
    .toBeGreaterThan(40_000);
  const { body } = await seller.get(`${path}/${String(id)}`);
  expect(body).toMatchObject({
    keyId,
    payTo: devnet.seller.address,
    amount: oneCent.toString(),
    settledBy: "relayer",
    sharedBy: 1,
    nextStep: null,
    explorer: `https://explorer.example/apothem/tx/${String(transaction)}`,
    requestId: expect.stringMatching(/^req_/),
  });
  const { timeline, gasUsed, gasPaidWei } = body;
  expect(Array.isArray(timeline) && timeline.map(({ what }) => what)).toEqual([
    "queued",
    "submitted",
    "transaction",
    "confirmed",
    "finalized",
  ]);
  expect(timeline).toContainEqual(
    expect.objectContaining({ what: "transaction", transaction, nonce: expect.any(Number) }),
  );
  const [carrier] = await store.listCarriers({ id: String(id), createdAt: 0 });
  expect(carrier).toMatchObject({ gasUsed, settlements: 1 });
  expect(BigInt(String(gasPaidWei))).toBe(BigInt(Number(gasUsed)) * (carrier?.gasPrice ?? 0n));
});

/** What is final is seen at a look for blocks, a block period of two seconds apart, on a busy machine. */
const soon = { timeout: 60_000 };

test("a batch's gas is shared by the payments that it carried", async () => {
  await devnet.rpc("evm_setAutomine", [false]);
  const headers = { authorization: `Bearer ${key}`, prefer: "respond-async" };
  // The first goes alone; those that come while it is under way go together.
  const bodies = Array.from({ length: 20 }, () => bodyOn(devnet));
  const answers = await Promise.all(bodies.map((body) => served.post("/settle", body, headers)));
  await devnet.mine();
  await devnet.rpc("evm_setAutomine", [true]);
  await mineToFinal(devnet);
  const stories = [];
  for (const { body } of answers) {
    const at = `${path}/${textAt(body, "id")}`;
    const gasOnceFinal = async () => {
      // What was sent after the other blocks becomes final as well.
      await devnet.mine();
      return (await seller.get(at)).body["gasUsed"];
    };
    await expect.poll(gasOnceFinal, soon).not.toBeNull();
    stories.push((await seller.get(at)).body);
  }
  const together = stories.filter(({ sharedBy }) => Number(sharedBy) > 1);
  expect(together.length).toBeGreaterThan(1);
  for (const { id, sharedBy, gasUsed } of together) {
    const [carrier] = await store.listCarriers({ id: String(id), createdAt: 0 });
    expect(gasUsed).toBe(Math.round(Number(carrier?.gasUsed) / Number(sharedBy)));
  }
});

test("a failure says what to do", async () => {
  const payer = walletAt(devnet.buyers, 2);
  const body = bodyOn(devnet, { payer, authorization: { validBefore: secondsFromNow(3_000) } });
  await devnet.rpc("evm_setAutomine", [false]);
  const headers = { authorization: `Bearer ${key}`, prefer: "respond-async" };
  const answer = await served.post("/settle", body, headers);
  await devnet.usdc.setBalance(payer.address, 0n);
  await devnet.rpc("evm_setAutomine", [true]);
  await mineToFinal(devnet);
  const at = `${path}/${textAt(answer.body, "id")}`;
  await expect.poll(async () => (await seller.get(at)).body["state"], soon).toBe("failed");
  const story = await seller.get(at);
  expect(story.body).toMatchObject({
    failure: "insufficient_funds",
    nextStep: expect.stringContaining("Do not deliver"),
    failureMessage: expect.any(String),
  });
});

const none = { settled: 0, failed: 0, pending: 0, amount: "0", credits: 0 };

test("days: every one of a span, also those on which nothing happened", async () => {
  const today = new Date().toISOString().slice(0, 10);
  const { body } = await seller.get("/v1/account/usage");
  const { days } = body;
  if (!Array.isArray(days)) throw new Error("no days");
  expect(days).toHaveLength(30);
  const settled = (await list("?limit=200&state=confirmed")).length;
  expect(days.at(-1)).toMatchObject({
    day: today,
    settled,
    failed: 1,
    pending: 0,
    amount: (oneCent * BigInt(settled)).toString(),
  });
  expect(days[0]).toMatchObject({ settled: 0, failed: 0, amount: "0", credits: 0 });
  const of = async (network: string) =>
    (await seller.get(`/v1/account/usage?network=${network}`)).body["days"];
  expect(await of("eip155:51")).toEqual(days);
  const { body: named } = await seller.get("/v1/account/usage");
  expect(named["network"]).toBe("eip155:51");
  expect(await of("eip155:50")).toEqual(days.map(({ day }) => ({ day, ...none })));
  const some = await seller.get("/v1/account/usage?from=2024-02-28&to=2024-03-01");
  expect(some.body["days"]).toMatchObject([
    { day: "2024-02-28" },
    { day: "2024-02-29" },
    { day: "2024-03-01" },
  ]);
  expect((await seller.get("/v1/account/usage?from=2020-01-01")).status).toBe(400);
  expect(await seller.download("/v1/account/usage?format=csv")).toHaveLength(31);
});

test("a file has every row, whatever page it is asked with", async () => {
  const rows = await seller.download(`${path}?format=csv&limit=1`);
  expect(rows[0]).toMatch(/^id,created_at,state,/);
  expect(rows.slice(1).map((row) => row.split(",")[0])).toEqual(idsOf(await list("?limit=200")));
  expect(await seller.download(`${path}?format=csv&state=failed`)).toHaveLength(2);
});

test("another account sees none of it", async () => {
  const [row] = await list("?limit=1");
  const other = await openSignedIn(served, { wallet: walletAt(devnet.buyers, 3) });
  expect((await other.get(path)).body["settlements"]).toEqual([]);
  expect((await other.get(`${path}/${String(row?.["id"])}`)).status).toBe(404);
  const unsigned = await served.get(path);
  expect(unsigned.status).toBe(401);
});
