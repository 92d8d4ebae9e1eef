/**
 * What other facilitators are known to get wrong, shown against a node that counts, freezes, loses
 * answers and fails. Blocks are made by the test or with each transaction.
 */
import type { Devnet } from "@farthing/devnet";
import { isHexBytes, type Hex, type JsonObject } from "@farthing/protocol";
import * as Rlp from "ox/Rlp";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  bodyOn,
  byContract,
  createSteeredClock,
  newDatabaseUrl,
  secondsFromNow,
  serveOn,
  startChain,
  usesOf,
  withMember,
  type Served,
} from "../support/facilitator.testing.ts";
import { createHastenedClock } from "@farthing/engine/testing/hastened-clock";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served;
const clock = createSteeredClock();

/** Below every wait for an outcome, above everything else that is waited for. */
const longWaitMs = 20_000;

beforeAll(async () => {
  devnet = await startChain({ buyers: 20, relayers: 3 });
  proxy = await startRpcProxy(devnet.rpcUrl);
  served = await serveOn(devnet, { rpcUrl: proxy.url, clock });
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await devnet?.stop();
});
beforeEach(() => proxy.reset());
afterEach(async () => {
  proxy.react = () => undefined;
  clock.hurryFromMs = Number.POSITIVE_INFINITY;
  await automine(true);
  await devnet.mine();
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);
const body = () => bodyOn(devnet);
const settle = async (message: JsonObject, headers = {}) =>
  (await served.post("/settle", message, headers)).body;
const async = { prefer: "respond-async" };

/** The signed transactions that reached the node. */
function sent(): Hex[] {
  return proxy.calls
    .filter(({ method }) => method === "eth_sendRawTransaction")
    .flatMap(({ params: [raw] }) => (isHexBytes(raw, rawBytesMax) ? [raw] : []));
}

/** XDC takes no larger transaction. */
const rawBytesMax = 65_536;

function noncesSent(): number[] {
  return [...new Set(sent())].map((raw) => {
    // The first item of a legacy transaction; zero is written as no bytes.
    const [nonce] = Rlp.toHex(raw);
    return nonce === "0x" ? 0 : Number(nonce);
  });
}

describe("account nonces", () => {
  test("come from the store: a node whose count is frozen changes nothing", async () => {
    proxy.react = ({ method }) =>
      method === "eth_getTransactionCount" ? { result: "0x0" } : undefined;
    await automine(false);
    const pending = [await settle(body(), async), await settle(body(), async)];
    await automine(true);
    await devnet.mine();
    for (const { id } of pending) expect((await page(id))["status"]).toBe("confirmed");
    expectNoGap(2);
  });

  test.each([
    ["refused", { error: { code: -32_000, message: "txpool is full" } }],
    ["refused for its place", { error: { code: -32_000, message: "nonce too high" } }],
    ["refused in words nobody knows", { error: { code: -32_000, message: "not today" } }],
    ["answered with another hash", { result: `0x${"11".repeat(32)}` }],
  ] as const)("a first send that is %s leaves no gap", async (_, reaction) => {
    let isFirst = true;
    proxy.react = ({ method }) => {
      if (method !== "eth_sendRawTransaction" || !isFirst) return undefined;
      isFirst = false;
      return reaction;
    };
    const first = await settle(body(), async);
    const second = await settle(body(), async);
    expect([first["status"], second["status"]]).toEqual(["pending", "pending"]);
    // What was not taken is sent again with the next block, lowest nonce first.
    await devnet.mine();
    for (const { id } of [first, second]) expect((await page(id))["status"]).toBe("confirmed");
    expectNoGap(2);
  });

  test.each(["lose", "down"] as const)(
    "a send whose answer is lost (%s) is no failure",
    async (reaction) => {
      await automine(false);
      proxy.react = ({ method }) => (method === "eth_sendRawTransaction" ? reaction : undefined);
      const message = body();
      const first = await settle(message, async);
      expect(first).toMatchObject({ status: "pending", transaction: expect.stringMatching(/^0x/) });
      proxy.react = () => undefined;
      await automine(true);
      await devnet.mine();
      const again = await settle(message);
      expect(again).toMatchObject({ success: true, transaction: first["transaction"] });
      expect(new Set(sent()).size).toBe(1);
      expect(await usesOf(devnet, message)).toHaveLength(1);
    },
  );
});

const page = async (id: unknown) => (await served.get(`/settlements/${String(id)}?wait=10`)).body;

/** As many nonces as payments, one after the other. */
function expectNoGap(payments: number): void {
  const nonces = noncesSent().toSorted((one, other) => one - other);
  const lowest = nonces[0] ?? 0;
  expect(nonces).toEqual(Array.from({ length: payments }, (_, index) => lowest + index));
}

describe("the same payment again", () => {
  test("after success: the first hash, and nothing sent", async () => {
    const message = body();
    const first = await settle(message);
    proxy.reset();
    const again = await settle(message);
    expect(again).toMatchObject({ success: true, id: first["id"], extra: { replayed: true } });
    expect(again["transaction"]).toBe(first["transaction"]);
    expect(sent()).toEqual([]);
  });

  test("after its window has closed: still the first hash", async () => {
    const validBefore = secondsFromNow(clock.aheadMs / 1_000 + 30);
    const message = bodyOn(devnet, { authorization: { validBefore } });
    const first = await settle(message);
    expect(first).toMatchObject({ success: true });
    clock.aheadMs += 60_000;
    expect(await settle(message)).toMatchObject({
      success: true,
      transaction: first["transaction"],
      extra: { replayed: true },
    });
  });

  test("twice at once: one send, one settlement, one first answer", async () => {
    const message = body();
    const answers = await Promise.all([settle(message), settle(message)]);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.map(({ success }) => success)).toEqual([true, true]);
    expect(answers.filter(({ extra }) => "replayed" in Object(extra))).toHaveLength(1);
    expect(sent()).toHaveLength(1);
  });

  test("for another seller while pending: evaluated by their terms, and nothing sent", async () => {
    await automine(false);
    const message = body();
    await settle(message, async);
    proxy.reset();
    for (const [path, value, code] of [
      ["payTo", devnet.treasury.address, "pay_to_mismatch"],
      ["amount", "999999", "amount_mismatch"],
    ] as const) {
      const other = withMember(message, `paymentRequirements.${path}`, value);
      expect(await settle(other)).toMatchObject({
        success: false,
        errorReason: code,
        transaction: "",
      });
      const { body: verified } = await served.post("/verify", other);
      expect(verified).toMatchObject({ isValid: false, invalidReason: code });
    }
    expect(sent()).toEqual([]);
  });

  test("two retries that overlap while no receipt comes: nothing sent", async () => {
    await automine(false);
    const message = body();
    const first = await settle(message, async);
    proxy.reset();
    const prefer = { prefer: "wait=1" };
    const retries = await Promise.all([settle(message, prefer), settle(message, prefer)]);
    for (const retry of retries) {
      expect(retry).toMatchObject({
        success: false,
        errorReason: "settlement_pending",
        transaction: first["transaction"],
      });
    }
    expect(sent()).toEqual([]);
  });

  test("after a restart while pending: the same hash, and the same bytes if any", async () => {
    await automine(false);
    const options = { rpcUrl: proxy.url, databaseUrl: newDatabaseUrl(), wallets: [1] };
    const before = await serveOn(devnet, options);
    const message = body();
    const { body: first } = await before.post("/settle", message, async);
    await before.stop();
    const after = await serveOn(devnet, options);
    const again = await after.post("/settle", message, async);
    expect(again.body).toMatchObject({ id: first["id"], transaction: first["transaction"] });
    await devnet.mine();
    expect((await after.post("/settle", message)).body).toMatchObject({ success: true });
    await after.stop();
    expect(new Set(sent()).size).toBe(1);
  });

  test("six minutes later, still pending: nothing sent", async () => {
    await automine(false);
    const message = body();
    const first = await settle(message, async);
    proxy.reset();
    clock.aheadMs += 6 * 60_000;
    expect(await settle(message, async)).toMatchObject({
      errorReason: "settlement_pending",
      transaction: first["transaction"],
      extra: { replayed: true },
    });
    expect(sent()).toEqual([]);
    // The lease of the wallet ran out meanwhile; it is taken again and works on.
    await automine(true);
    await devnet.mine();
    expect(await settle(message)).toMatchObject({ success: true });
    expect(await settle(body())).toMatchObject({ success: true });
  });
});

describe("no receipt", () => {
  test.each(["v1", "v2", "flat-v2"] as const)(
    "%s: pending with the hash, in time",
    async (shape) => {
      await automine(false);
      clock.waits.length = 0;
      clock.hurryFromMs = longWaitMs;
      const answer = await settle(bodyOn(devnet, { shape }));
      expect(answer).toMatchObject({
        success: false,
        errorReason: "settlement_pending",
        transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      });
      // Below the 30 s at which clients and proxies give up.
      expect(Math.max(...clock.waits)).toBe(25_000);
    },
  );
});

describe("a node that fails is nobody's fault", () => {
  const failures: readonly (readonly [string, RpcProxy["react"]])[] = [
    ["answers 503 to everything", () => "down"],
    ["cuts every connection", () => "lose"],
    [
      "fails at eth_call",
      ({ method }) =>
        method === "eth_call" ? { error: { code: -32_603, message: "internal error" } } : undefined,
    ],
    [
      "lags behind",
      ({ method }) =>
        method === "eth_call"
          ? { error: { code: -32_000, message: "header not found" } }
          : undefined,
    ],
    [
      "limits our rate",
      ({ method }) =>
        method === "eth_call" ? { error: { code: -32_005, message: "slow down" } } : undefined,
    ],
    ["answers nonsense", ({ method }) => (method === "eth_call" ? { result: "0x01" } : undefined)],
    ["answers null", ({ method }) => (method === "eth_call" ? { result: null } : undefined)],
  ];

  // Its time runs faster: most of these tests is waiting for the node.
  let hastened: Served;
  beforeAll(async () => {
    const terms = { rpcUrl: proxy.url, wallets: [2], clock: createHastenedClock(4) };
    hastened = await serveOn(devnet, terms);
  });
  afterAll(() => hastened?.stop());

  test.each(failures)("%s: HTTP 503, nothing evaluated, nothing claimed", async (_, react) => {
    const messages = [body(), byContract(devnet)];
    proxy.react = react;
    for (const message of messages) {
      for (const path of ["/verify", "/settle"]) {
        const { status, body: answer } = await hastened.post(path, message);
        expect([status, answer]).toMatchObject([503, { error: "service_unavailable" }]);
        expect(JSON.stringify(answer)).not.toMatch(/127\.0\.0\.1/);
      }
    }
    proxy.react = () => undefined;
    // The process lives, an unhandled rejection would have ended this test run, and it serves again.
    for (const message of messages) {
      const settled = async () => (await hastened.post("/settle", message)).body;
      await expect.poll(settled).toMatchObject({ success: true });
    }
  });

  test("down before anything was ever asked of it", async () => {
    const options = { rpcUrl: proxy.url, databaseUrl: newDatabaseUrl(), wallets: [1] };
    const cold = await serveOn(devnet, options);
    proxy.react = () => "down";
    expect((await cold.post("/verify", body())).status).toBe(503);
    expect((await cold.get("/supported")).body).toMatchObject({
      kinds: expect.arrayContaining([expect.objectContaining({ network: "eip155:51" })]),
    });
    expect((await cold.get("/health")).status).toBe(200);
    proxy.react = () => undefined;
    expect((await cold.post("/verify", body())).body).toMatchObject({ isValid: true });
    await cold.stop();
  });
});

describe("evaluated, not thrown", () => {
  test("a value that is no number, and a version 2 payment without accepted", async () => {
    const bad = withMember(body(), "paymentPayload.payload.authorization.value", "abc");
    const { status, body: verified } = await served.post("/verify", bad);
    expect([status, verified["invalidReason"]]).toEqual([200, "invalid_payload"]);
    const flat = bodyOn(devnet, { shape: "flat-v2" });
    expect((await served.post("/verify", flat)).body).toMatchObject({ isValid: true });
  });

  test.each(["network", "asset"])("accepted.%s is compared with the requirements", async (key) => {
    const value = key === "network" ? "eip155:50" : devnet.multicall3;
    const changed = withMember(body(), `paymentPayload.accepted.${key}`, value);
    const { body: verified } = await served.post("/verify", changed);
    expect(verified).toMatchObject({ isValid: false, invalidReason: `${key}_mismatch` });
  });
});

describe("what a payment may cost", () => {
  test("another token than USDC: refused without asking the chain", async () => {
    const other = ["paymentRequirements.asset", "paymentPayload.accepted.asset"].reduce(
      (message, path) => withMember(message, path, devnet.multicall3),
      body(),
    );
    for (const path of ["/verify", "/settle"]) await served.post(path, other);
    expect(proxy.countOf("eth_call") + proxy.countOf("eth_getCode")).toBe(0);
  });

  test("a contract wallet that estimates above the cap is not sent", async () => {
    proxy.react = ({ method }) =>
      method === "eth_estimateGas" ? { result: "0x7a120" } : undefined;
    const answer = await settle(byContract(devnet));
    expect(answer).toMatchObject({
      success: false,
      status: "failed",
      errorReason: "simulation_failed",
      errorMessage: expect.stringMatching(/more than 400000 gas/),
      transaction: "",
    });
    expect(sent()).toEqual([]);
  });
});
