/** A service of mainnet and Apothem: test keys work on Apothem, and cost nothing. */
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Devnet } from "@farthing/devnet";
import { systemClock } from "@farthing/engine/base";
import {
  bodyOn,
  memberAt,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Answer,
  type Served,
} from "../../test/support/facilitator.testing.ts";
import { holdAnswers, readContract } from "../../test/support/openapi.testing.ts";
import { createApiKey } from "../features/api-keys/key-text.ts";
import { openStore, type ServiceStore } from "../features/open-store.ts";

let apothem: Devnet;
let mainnet: Devnet;
let served: Served;
let store: ServiceStore;
let letGo: () => void;
let testKey: Readonly<Record<string, string>>;
let liveKey: Readonly<Record<string, string>>;

beforeAll(async () => {
  [apothem, mainnet] = await Promise.all([startChain(), startChain({ chainId: 50, buyers: 2 })]);
  served = await serveOn(apothem, {
    selfBuilt: false,
    env: {
      FARTHING_RPC_50: mainnet.rpcUrl,
      FARTHING_TREASURY: apothem.treasury.address,
      FARTHING_KEYLESS_GAS_PER_DAY: "200",
    },
  });
  store = await openStore(served.databaseUrl);
  const headersOf = async (mode: "live" | "test") => {
    const input = { account: apothem.seller.address, mode, label: mode } as const;
    const { text } = await createApiKey(store, systemClock, input);
    return { authorization: `Bearer ${text}`, prefer: "wait=20" };
  };
  testKey = await headersOf("test");
  liveKey = await headersOf("live");
  letGo = holdAnswers(served.url, await readContract(served.url));
});
afterAll(async () => {
  letGo?.();
  await store?.close();
  await served?.stop();
  await Promise.all([apothem?.stop(), mainnet?.stop()]);
});

function networksOf({ body }: Answer): unknown[] {
  const kinds = memberAt(body, "kinds");
  const networks = Array.isArray(kinds) ? kinds.map((kind: JsonObject) => kind["network"]) : [];
  // A network has a kind for payments and one for channels.
  return [...new Set(networks)];
}

test("a test key settles on Apothem without credits, and reads its settlement", async () => {
  const body = bodyOn(apothem);
  expect((await served.post("/verify", body, testKey)).body).toMatchObject({ isValid: true });
  const settled = await served.post("/settle", body, testKey);
  expect(settled).toMatchObject({ status: 200, body: { success: true } });
  const read = await served.get(`/settlements/${textAt(settled.body, "id")}`, testKey);
  expect(read.body).toMatchObject({ status: "confirmed", credits: 0 });
});

test("a live key has no use there, and pays for mainnet", async () => {
  expect(await served.post("/settle", bodyOn(apothem), liveKey)).toMatchObject({
    status: 401,
    body: { error: "unauthorized" },
  });
  expect(await served.post("/settle", bodyOn(mainnet), liveKey)).toMatchObject({
    status: 403,
    body: { error: "insufficient_facilitator_credits" },
  });
  expect(await served.post("/settle", bodyOn(mainnet), testKey)).toMatchObject({ status: 401 });
});

test("Apothem is listed for test keys alone", async () => {
  expect(networksOf(await served.get("/supported"))).toEqual(["eip155:50"]);
  expect(networksOf(await served.get("/supported", liveKey))).toEqual(["eip155:50"]);
  expect(networksOf(await served.get("/supported", testKey))).toEqual(["eip155:50", "eip155:51"]);
  const wrong = { authorization: "Bearer fk_test_no" };
  expect(networksOf(await served.get("/supported", wrong))).toEqual(["eip155:50"]);
});

test("the gas of test keys counts in the budget of callers without a key", async () => {
  const before = await store.readKeylessGas(51, systemClock.nowMs());
  const body = bodyOn(apothem, { payer: walletAt(apothem.buyers, 1) });
  expect((await served.post("/settle", body, testKey)).body).toMatchObject({ success: true });
  const after = await store.readKeylessGas(51, systemClock.nowMs());
  const sum = (halves: typeof before) => Object.values(halves).reduce((one, two) => one + two, 0);
  expect(sum(after)).toBeGreaterThan(sum(before));
});
