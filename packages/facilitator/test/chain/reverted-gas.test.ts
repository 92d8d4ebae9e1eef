/**
 * Contract wallets that burn gas by reverting, a fresh one each time: without a key, with a key that
 * anybody gets, and as buyers of credits. On a real chain, over HTTP, against one budget.
 */
import { hostileFlag, hostileSignature, type Devnet } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { silentLog, systemClock } from "@farthing/engine/base";
import { openBrowser } from "../support/browser.testing.ts";
import {
  bodyOn,
  byContract,
  createSteeredClock,
  finalAfterBlocks,
  hexAt,
  newDatabaseUrl,
  oneCent,
  secondsFromNow,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import { byHostile, placeHostile } from "../support/hostile-wallets.testing.ts";
import { beginPurchase, payPurchase } from "../../src/features/purchases/purchases.testing.ts";
import { openStore } from "../../src/features/open-store.ts";

let devnet: Devnet;
let served: Served;
let key: Record<string, string>;
const clock = createSteeredClock();
/** Resolves when the log says so. */
const warned = Promise.withResolvers<object>();
const refilled = Promise.withResolvers<object>();

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Half a budget: what six contract payments reserve at 400,000 gas and 12.5 gwei. */
const halfWei = 30_000_000_000_000_000n;

beforeAll(async () => {
  // Looks that come every minute come at once; nothing refills while a test runs.
  clock.hurryFromMs = 60_000;
  clock.aheadMs = hourMs - (Date.now() % hourMs) + 60_000;
  devnet = await startChain({ buyers: 3 });
  const databaseUrl = newDatabaseUrl();
  const store = await openStore(databaseUrl);
  const account = devnet.seller.address;
  const made = await createApiKey(store, systemClock, { account, mode: "test", label: "t" });
  key = { authorization: `Bearer ${made.text}` };
  served = await serveOn(devnet, {
    selfBuilt: false,
    databaseUrl,
    store,
    clock,
    log: {
      ...silentLog,
      warn: (fields) => noteEvent(fields, "reverted_gas_high", warned),
      info: (fields) => noteEvent(fields, "reverted_gas_normal", refilled),
    },
    env: {
      FARTHING_METRICS_PORT: "0",
      FARTHING_TREASURY: devnet.treasury.address,
      FARTHING_CREDITS_PER_SETTLEMENT: "0",
      FARTHING_REVERTED_GAS_PER_DAY: "0.06",
    },
  });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

function noteEvent(
  fields: object,
  event: string,
  { resolve }: { readonly resolve: (fields: object) => void },
): void {
  if ("event" in fields && fields.event === event) resolve(fields);
}

const async = { prefer: "respond-async" };
/** Longer than the clock is moved. */
const validBefore = () => secondsFromNow(400_000);

async function hostilePayment(): Promise<JsonObject> {
  const wallet = await placeHostile(devnet, oneCent);
  return byHostile(devnet, wallet, hostileSignature("flag"), { validBefore: validBefore() });
}

/** Signs a fresh wallet in, which accepts every signature, and pays a purchase of credits by it. */
async function purchase(): Promise<Answer> {
  const address = await placeHostile(devnet, 10_000_000n);
  const browser = openBrowser(served);
  const asked = await browser.post("/v1/account/sign-in", { address, chainId: 51 });
  const accepted = hostileSignature("accept-all");
  const requestId = textAt(asked.body, "requestId");
  await browser.post("/v1/account/sign-in/complete", { requestId, signature: accepted });
  return payPurchase(browser, await beginPurchase(browser), hostileSignature("flag"));
}

/** The ways in which a stranger has a contract wallet's payment settled. */
const ways: Readonly<Record<string, () => Promise<Answer>>> = {
  keyless: async () => served.post("/api/facilitator/settle", await hostilePayment(), async),
  keyed: async () => served.post("/settle", await hostilePayment(), { ...async, ...key }),
  purchase,
};

const waysAtOnce = Object.keys(ways).length;

/** Lets so many transactions revert in a block once they are sent, and makes that final. */
async function revertAll(count: number): Promise<void> {
  const sent = async () => Number((await devnet.rpc<{ pending: Hex }>("txpool_status")).pending);
  await expect.poll(sent, { interval: 20 }).toBe(count);
  await devnet.rpc("anvil_setBalance", [hostileFlag, "0x1"]);
  await devnet.mine(finalAfterBlocks);
  await devnet.rpc("anvil_setBalance", [hostileFlag, "0x0"]);
  // What is on its way is looked at with each block.
  const open = async () => {
    await devnet.mine();
    return metricOf("x402_relayer_inflight");
  };
  await expect.poll(open).toBe(0);
}

async function metricOf(name: string): Promise<number> {
  const text = await (await fetch(`${served.metricsUrl}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

/** What reverted transactions of the relayer have cost. */
async function burnedWei(): Promise<bigint> {
  const head = Number(await devnet.rpc<Hex>("eth_blockNumber"));
  let burned = 0n;
  for (let number = 0; number <= head; number++) {
    const receipts = await devnet.rpc<
      { from: Hex; status: Hex; gasUsed: Hex; effectiveGasPrice: Hex }[]
    >("eth_getBlockReceipts", [`0x${number.toString(16)}`]);
    for (const { from, status, gasUsed, effectiveGasPrice } of receipts) {
      const isOurs = from.toLowerCase() === served.relayer.toLowerCase();
      if (isOurs && status === "0x0") burned += BigInt(gasUsed) * BigInt(effectiveGasPrice);
    }
  }
  return burned;
}

function expectToComeBack({ status, headers, body }: Answer): void {
  expect([status, body]).toMatchObject([503, { error: "reverted_gas_exhausted", retryable: true }]);
  expect(body["message"]).toMatch(/refills every hour; plain addresses are not affected/);
  const seconds = Number(headers.get("retry-after"));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(3_600);
}

/** A payment of a plain wallet. */
function plain(index: number): JsonObject {
  const payer = walletAt(devnet.buyers, index);
  return bodyOn(devnet, { payer, authorization: { validBefore: validBefore() } });
}

/** A payment of the devnet's honest contract wallet, which shows a key. */
function settleHonest(): Promise<Answer> {
  const body = byContract(devnet, { authorization: { validBefore: validBefore() } });
  return served.post("/settle", body, { ...key, prefer: "wait=20" });
}

test("a day before, an honest contract wallet's payment becomes final", async () => {
  const { body } = await settleHonest();
  expect(body).toMatchObject({ success: true });
  const finalizedAt = async () => {
    await devnet.mine();
    const { body: found } = await served.get(`/settlements/${textAt(body, "id")}`, key);
    return found["finalizedAt"];
  };
  await expect.poll(finalizedAt).toMatch(/^20/);
  clock.aheadMs += dayMs;
});

test("fresh contract wallets burn the budget's open half and no more, whichever way they come", async () => {
  await devnet.rpc("evm_setAutomine", [false]);
  let accepted = 0;
  for (let left = waysAtOnce; left > 0;) {
    const answers = await Promise.all(Object.values(ways).map((settle) => settle()));
    const refused = answers.filter(({ status }) => status !== 200);
    refused.forEach(expectToComeBack);
    left = answers.length - refused.length;
    accepted += left;
    await revertAll(left);
  }
  expect(accepted).toBeGreaterThan(waysAtOnce);
  const burned = await burnedWei();
  expect(burned).toBeGreaterThan(0n);
  expect(burned).toBeLessThanOrEqual(halfWei);
});

test("then payments of contract wallets are refused everywhere, before anything is claimed", async () => {
  await devnet.rpc("evm_setAutomine", [true]);
  const before = await burnedWei();
  for (const settle of Object.values(ways)) expectToComeBack(await settle());
  const body = await hostilePayment();
  const verified = await served.post("/api/facilitator/verify", body);
  expectToComeBack(verified);
  // Some clients read nothing but the verdict: it blames nobody.
  expect(verified.body).toMatchObject({ isValid: false, invalidReason: "service_unavailable" });
  expectToComeBack(await served.post("/verify", body, key));
  expect(await burnedWei()).toBe(before);
});

test("plain payers and the wallet that has paid before go on", async () => {
  const wait = { prefer: "wait=20" };
  const settled = [
    await served.post("/api/facilitator/settle", plain(0), wait),
    await served.post("/settle", plain(1), { ...key, ...wait }),
    await settleHonest(),
  ];
  for (const { body } of settled) expect(body).toMatchObject({ success: true });
});

test("the operator is warned, and sees it in the metrics; it refills by the hour", async () => {
  expect(await warned.promise).toMatchObject({ chainId: 51, half: "open" });
  expect(await metricOf("x402_reverted_gas_used_ratio")).toBeGreaterThan(0.5);
  clock.aheadMs += 23 * hourMs;
  expect(await refilled.promise).toMatchObject({ chainId: 51, half: "open" });
  const body = await hostilePayment();
  expect((await served.post("/api/facilitator/verify", body)).body).toEqual({
    isValid: true,
    payer: hexAt(body, "paymentPayload.payload.authorization.from"),
  });
});
