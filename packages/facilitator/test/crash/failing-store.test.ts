/**
 * The database fails for a moment while payments are in hand, before a write or after it, when
 * nobody knows whether it was kept: what was accepted is finished all the same, and once.
 */
import type { Devnet } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Fault } from "@farthing/engine/base";
import {
  bodyOn,
  createSteeredClock,
  frontRun,
  newDatabaseUrl,
  oneCent,
  secondsFromNow,
  serveOn,
  startChain,
  useLogsOf,
  usesOf,
  walletAt,
  type Answer,
  type Served,
  type PaymentInput,
} from "../support/facilitator.testing.ts";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";

/** A write that fails once: it is not done, or done and not answered. */
type Failure = "undone" | "unanswered";
type Write =
  | "claimSettlements"
  | "reserveTransactions"
  | "recordSigned"
  | "recordSent"
  | "recordConfirmed"
  | "closeNonce"
  | "recordFailed"
  | "requeueSettlements"
  | "recordReorganised";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served | undefined;
const failures = new Map<Write, Failure>();
const clock = createSteeredClock();

beforeAll(async () => {
  devnet = await startChain();
  proxy = await startRpcProxy(devnet.rpcUrl);
});
afterAll(async () => {
  await proxy?.stop();
  await devnet?.stop();
});
afterEach(async () => {
  proxy.react = () => undefined;
  Object.assign(clock, { frozenMs: undefined, aheadMs: 0 });
  failures.clear();
  await served?.stop();
  await devnet.rpc("evm_setAutomine", [true]);
});

async function serve(env: Readonly<Record<string, string>> = {}): Promise<Served> {
  const databaseUrl = newDatabaseUrl();
  const store = failing(await openStore(databaseUrl));
  served = await serveOn(devnet, { rpcUrl: proxy.url, databaseUrl, store, clock, env });
  return served;
}

function failing(store: ServiceStore): ServiceStore {
  return {
    ...store,
    claimSettlements: (...given) =>
      once("claimSettlements", () => store.claimSettlements(...given)),
    reserveTransactions: (...given) =>
      once("reserveTransactions", () => store.reserveTransactions(...given)),
    recordSigned: (...given) => once("recordSigned", () => store.recordSigned(...given)),
    recordSent: (...given) => once("recordSent", () => store.recordSent(...given)),
    closeNonce: (...given) => once("closeNonce", () => store.closeNonce(...given)),
    recordConfirmed: (...given) => once("recordConfirmed", () => store.recordConfirmed(...given)),
    recordFailed: (...given) => once("recordFailed", () => store.recordFailed(...given)),
    requeueSettlements: (ids, ...at) =>
      ids.length === 0
        ? store.requeueSettlements(ids, ...at)
        : once("requeueSettlements", () => store.requeueSettlements(ids, ...at)),
    recordReorganised: (...given) =>
      once("recordReorganised", () => store.recordReorganised(...given)),
  };
}

async function once<T>(write: Write, work: () => Promise<T>): Promise<T> {
  const failure = failures.get(write);
  failures.delete(write);
  if (failure !== "undone") {
    const result = await work();
    if (failure === undefined) return result;
  }
  throw new Fault("storage_unavailable", "The database is away");
}

/** Makes blocks, one by one, until all have an answer: before any would be told "pending", at 25 s. */
async function mineUntilAnswered(asked: readonly Promise<Answer>[]): Promise<Answer[]> {
  let answered = 0;
  for (const one of asked) void one.then(() => answered++);
  const look = async () => {
    await devnet.mine();
    return answered;
  };
  await expect.poll(look, { interval: 200 }).toBe(asked.length);
  return Promise.all(asked);
}

test.each([
  // Alone: whatever else becomes final wakes those who wait for this one as well.
  ["recordConfirmed", "unanswered", 1],
  ["recordConfirmed", "undone", 2],
  ["reserveTransactions", "undone", 2],
  ["reserveTransactions", "unanswered", 2],
  ["recordSigned", "undone", 2],
  ["recordSigned", "unanswered", 2],
  ["recordSent", "undone", 2],
  ["recordSent", "unanswered", 2],
  ["closeNonce", "undone", 2],
  ["closeNonce", "unanswered", 2],
] as const)("%s, %s: each payment is made and told, once", async (write, failure, payments) => {
  // Two payments are two transactions, and a log counts only in the block after its own.
  const at = await serve({ FARTHING_BATCH_MAX: "1", FARTHING_CONFIRMATIONS: "2" });
  failures.set(write, failure);
  const bodies = Array.from({ length: payments }, () => bodyOn(devnet));
  const answers = await mineUntilAnswered(bodies.map((body) => at.post("/settle", body)));
  for (const { body } of answers) expect(body["status"]).toBe("confirmed");
  expect(failures).toEqual(new Map());
  for (const body of bodies) expect(await usesOf(devnet, body)).toHaveLength(1);
});

const failureKinds: readonly Failure[] = ["undone", "unanswered"];

test.each(failureKinds)(
  "claimSettlements, %s: not evaluated, and settled when it is asked for again",
  async (failure) => {
    const at = await serve();
    const body = bodyOn(devnet);
    failures.set("claimSettlements", failure);
    const unknown = await at.post("/settle", body);
    expect(unknown).toMatchObject({ status: 503, body: { errorReason: "service_unavailable" } });
    const [answer] = await mineUntilAnswered([at.post("/settle", body)]);
    expect(answer?.body).toMatchObject({ success: true });
    expect(await usesOf(devnet, body)).toHaveLength(1);
  },
);

/** Claims a payment whose window has just begun: nothing of ours is sent while the clock stands. */
async function claim(
  at: Served,
  input: PaymentInput = {},
): Promise<{ body: JsonObject; path: string }> {
  clock.frozenMs = clock.nowMs();
  const validAfter = BigInt(Math.floor(clock.frozenMs / 1_000));
  const body = bodyOn(devnet, { ...input, authorization: { validAfter } });
  const { body: answer } = await at.post("/settle", body, { prefer: "respond-async" });
  expect(answer).toMatchObject({ status: "pending", transaction: "" });
  await devnet.setNextBlockTimestamp(Number(validAfter) + 1);
  return { body, path: `/settlements/${String(answer["id"])}` };
}

test.each(failureKinds)("recordFailed, %s: whoever waits is told", async (failure) => {
  const at = await serve();
  const payer = walletAt(devnet.buyers, 3);
  await devnet.usdc.setBalance(payer.address, oneCent);
  const { path } = await claim(at, { payer });
  await devnet.usdc.setBalance(payer.address, 0n);
  failures.set("recordFailed", failure);
  const asked = at.get(`${path}?wait=30`);
  // Past what a simulation holds for.
  clock.aheadMs = 10_000;
  clock.frozenMs = undefined;
  const [answer] = await mineUntilAnswered([asked]);
  expect(answer?.body).toMatchObject({ status: "failed", errorReason: "insufficient_funds" });
  expect(failures).toEqual(new Map());
});

/** Makes blocks, one by one, until a settlement is paid by a transaction of ours. */
async function untilPaid(at: Served, path: string): Promise<void> {
  const look = async () => {
    await devnet.mine();
    return (await at.get(path)).body;
  };
  const paid = { state: "confirmed", settledBy: "relayer" };
  await expect.poll(look, { interval: 200 }).toMatchObject(paid);
}

test.each(failureKinds)(
  "requeueSettlements, %s, for a nonce that another program used: made with the next",
  async (failure) => {
    const at = await serve();
    await devnet.rpc("evm_setAutomine", [false]);
    await devnet.rpc("anvil_impersonateAccount", [at.relayer]);
    proxy.react = ({ method }) =>
      method === "eth_sendRawTransaction"
        ? { error: { code: -32_000, message: "replacement transaction underpriced" } }
        : undefined;
    const body = bodyOn(devnet);
    const { body: answer } = await at.post("/settle", body, { prefer: "respond-async" });
    const call = { from: at.relayer, to: devnet.treasury.address, gasPrice: "0x2e90edd00" };
    await devnet.rpc("eth_sendTransaction", [call]);
    await devnet.mine();
    proxy.react = () => undefined;
    failures.set("requeueSettlements", failure);
    await untilPaid(at, `/settlements/${String(answer["id"])}`);
    expect(failures).toEqual(new Map());
    expect(await usesOf(devnet, body)).toHaveLength(1);
  },
);

test.each(failureKinds)(
  "recordReorganised, %s, of somebody else's transaction: paid by ours",
  async (failure) => {
    const at = await serve();
    const { body, path } = await claim(at);
    await frontRun(devnet, body);
    const state = async () => (await at.get(path)).body["state"];
    await expect.poll(state).toBe("confirmed");
    failures.set("recordReorganised", failure);
    await devnet.rpc("evm_setAutomine", [false]);
    const [use] = await useLogsOf(devnet, body);
    const head = Number(await devnet.rpc<Hex>("eth_blockNumber"));
    await devnet.rpc("anvil_reorg", [head - Number(use?.blockNumber) + 1, []]);
    // The node's time went back with the blocks.
    await devnet.setNextBlockTimestamp(Number(secondsFromNow(1)));
    clock.frozenMs = undefined;
    await untilPaid(at, path);
    expect(failures).toEqual(new Map());
  },
);
