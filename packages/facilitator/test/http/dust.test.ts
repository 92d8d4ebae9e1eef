/**
 * Strangers who would burn the operator's gas, on the surface that asks for no key: dust, many
 * wallets behind one network, many networks. Sellers with keys go on, and the budget refills.
 */
import { DatabaseSync } from "node:sqlite";
import type { Devnet } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { silentLog, systemClock } from "@farthing/engine/base";
import {
  bodyOn,
  countOf,
  createSteeredClock,
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
import { channelOf, depositBody } from "../support/channels.testing.ts";
import { openStore } from "../../src/features/open-store.ts";

let devnet: Devnet;
let served: Served;
let key: Record<string, string>;
const clock = createSteeredClock();
/** Resolves when the log says so. */
const warned = Promise.withResolvers<object>();
const refilled = Promise.withResolvers<object>();

const hourMs = 3_600_000;

beforeAll(async () => {
  // At the beginning of an hour: nothing refills while a test runs.
  // Looks that come every minute come at once.
  clock.hurryFromMs = 60_000;
  clock.aheadMs = hourMs - (Date.now() % hourMs) + 60_000;
  devnet = await startChain({ buyers: 6 });
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
      warn: (fields) => noteEvent(fields, "keyless_gas_high", warned),
      info: (fields) => noteEvent(fields, "keyless_gas_normal", refilled),
    },
    env: {
      FARTHING_METRICS_PORT: "0",
      FARTHING_TRUSTED_PROXIES: "127.0.0.1",
      // 40 payments in each half at 104,000 gas and 12.5 gwei: a network waits after 2, stops at 4.
      FARTHING_KEYLESS_GAS_PER_DAY: "0.104",
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

let turn = 0;
/** A payment of another wallet each time, valid for longer than the test's clock is moved. */
function payment(value = oneCent): JsonObject {
  const payer = walletAt(devnet.buyers, turn++ % 6);
  return bodyOn(devnet, { payer, authorization: { value, validBefore: secondsFromNow(200_000) } });
}

const hosted = "/api/facilitator";
/** Asks from an address, as a proxy in front would tell. */
const ask = (path: string, from: string, body = payment()): Promise<Answer> =>
  served.post(`${hosted}${path}`, body, { "x-forwarded-for": from });

/** What an answer says: `settled`, `valid`, or the reason why not. */
function saidBy({ status, body }: Answer): string {
  if (body["success"] === true) return "settled";
  if (body["isValid"] === true) return "valid";
  const reason = body["error"] ?? body["errorReason"] ?? body["invalidReason"];
  return `${status} ${String(reason)}`;
}

/** Settles payments at once; gives how often each answer came. */
async function settleMany(count: number, from: (index: number) => string) {
  const asked = Array.from({ length: count }, (_, index) => ask("/settle", from(index)));
  const said = (await Promise.all(asked)).map(saidBy);
  return Object.fromEntries(
    [...new Set(said)].map((text) => [text, said.filter((one) => one === text).length]),
  );
}

function expectToComeBack(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body]).toMatchObject([status, { error: code, retryable: true }]);
  const seconds = Number(answer.headers.get("retry-after"));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(3_600);
}

test("1,000 payments of one unit: none is settled, none is called valid, no gas is spent", async () => {
  const before = await countOf(devnet, served.relayer);
  const dust = Array.from({ length: 20 }, () => payment(1n));
  const said = new Set<string>();
  for (let round = 0; round < 50; round++) {
    const path = round % 5 === 0 ? "/verify" : "/settle";
    const answers = await Promise.all(dust.map((body) => ask(path, "203.0.113.7", body)));
    for (const answer of answers) said.add(saidBy(answer));
  }
  expect([...said]).toEqual(["200 amount_below_minimum"]);
  expect(await countOf(devnet, served.relayer)).toBe(before);
});

const inIpv6 = (index: number) => `2001:db8:1:${index}::1`;

test("many wallets behind one network stop at its share; its neighbours share it, others go on", async () => {
  expect(await settleMany(4, (index) => `203.0.113.${index}`)).toEqual({ settled: 4 });
  const before = await countOf(devnet, served.relayer);
  const refused = await ask("/settle", "203.0.113.99");
  expectToComeBack(refused, 429, "caller_gas_share_used");
  // Stock sellers pass the message on: it asks nothing of their buyers.
  expect(refused.body["message"]).toMatch(/^The network from .*; sellers with an API key are not/);
  expectToComeBack(await ask("/verify", "203.0.113.99"), 429, "caller_gas_share_used");
  expect(await countOf(devnet, served.relayer)).toBe(before);
  expect(saidBy(await ask("/settle", "198.51.100.7"))).toBe("settled");
  // IPv6 is shared out by /48.
  expect(await settleMany(4, inIpv6)).toEqual({ settled: 4 });
  expect(saidBy(await ask("/settle", inIpv6(9)))).toBe("429 caller_gas_share_used");
  expect(saidBy(await ask("/settle", "2001:db8:2::1"))).toBe("settled");
});

describe("when many networks together use the budget up", () => {
  let found: JsonObject;
  test("a network beyond its free share waits behind the others", async () => {
    expect(await settleMany(3, () => "192.0.2.1")).toEqual({ settled: 3 });
    expect(await settleMany(19, (index) => `10.0.${index}.1`)).toEqual({ settled: 19 });
    expectToComeBack(await ask("/settle", "192.0.2.1"), 429, "caller_gas_share_used");
    expect(saidBy(await ask("/settle", "10.0.100.1"))).toBe("settled");
  });

  test("/verify closes first; what it found valid before is settled still", async () => {
    found = payment();
    expect(saidBy(await ask("/verify", "10.0.101.1", found))).toBe("valid");
    const said = await settleMany(6, (index) => `10.1.${index}.1`);
    expect(said).toEqual({ settled: 5, "503 keyless_gas_exhausted": 1 });
    const closed = await ask("/verify", "10.2.0.1");
    expectToComeBack(closed, 503, "keyless_gas_exhausted");
    // Some clients read nothing but the verdict: it blames nobody.
    expect(closed.body).toMatchObject({ isValid: false, invalidReason: "service_unavailable" });
    const late = await ask("/settle", "10.2.0.1");
    expectToComeBack(late, 503, "keyless_gas_exhausted");
    expect(late.body).toMatchObject({ success: false, errorReason: "service_unavailable" });
    expect(saidBy(await ask("/settle", "10.0.101.1", found))).toBe("settled");
  });

  test("the operator is warned, and sees it in the metrics", async () => {
    expect(await warned.promise).toMatchObject({ chainId: 51, half: "open" });
    const metrics = await (await fetch(`${served.metricsUrl}/metrics`)).text();
    expect(metrics).toMatch(
      /^x402_keyless_gas_used_ratio\{network="eip155:51",half="open"\} (0\.[89]|1)/m,
    );
    expect(metrics).toMatch(/^x402_keyless_gas_used_ratio\{.*half="proven"\} 0$/m);
  });

  test("sellers with a key never notice", async () => {
    const body = payment();
    expect((await served.post("/verify", body, key)).body).toMatchObject({ isValid: true });
    const { body: settled } = await served.post("/settle", body, { ...key, prefer: "wait=20" });
    expect(settled).toMatchObject({ success: true });
    // A repeat of what was settled costs no gas, and is answered.
    expect(textAt((await ask("/settle", "10.2.0.2", found)).body, "transaction")).toMatch(/^0x/);
  });

  test("it refills by the hour", async () => {
    const refused = (await ask("/verify", "10.3.0.1")).status;
    clock.aheadMs += 6 * hourMs;
    expect(refused).toBe(503);
    expect(saidBy(await ask("/verify", "10.3.0.1"))).toBe("valid");
    expect(await refilled.promise).toMatchObject({ chainId: 51, half: "open" });
    expect(await settleMany(3, (index) => `10.3.${index}.1`)).toEqual({ settled: 3 });
  });
});

test("a deposit of one unit is not made, and not called valid", async () => {
  const before = await countOf(devnet, served.relayer);
  const body = depositBody(channelOf(devnet, walletAt(devnet.buyers, 4)), 1n);
  const code = "invalid_batch_settlement_evm_deposit_simulation_failed";
  const said = [await ask("/verify", "198.20.0.1", body), await ask("/settle", "198.20.0.1", body)];
  expect(said.map(saidBy)).toEqual([`200 ${code}`, `200 ${code}`]);
  expect(await countOf(devnet, served.relayer)).toBe(before);
});

test("what is counted covers a payment alone to a payee who had no USDC before", async () => {
  const database = new DatabaseSync(served.databaseUrl.replace(/^sqlite:/, ""));
  onTestFinished(() => database.close());
  const text = "select amount from keyless_counters where kind = 'network' and name = ?";
  const to = `0x${"7".repeat(40)}` as const;
  const authorization = { to, value: oneCent, validBefore: secondsFromNow(200_000) };
  const payer = walletAt(devnet.buyers, turn++ % 6);
  const { body } = await ask("/settle", "198.18.0.1", bodyOn(devnet, { payer, authorization }));
  const receipt = await devnet.rpc<{ gasUsed: Hex; effectiveGasPrice: Hex }>(
    "eth_getTransactionReceipt",
    [body["transaction"]],
  );
  const spentWei = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
  const countedGwei = Number(database.prepare(text).get("open 198.18.0")?.["amount"]);
  expect(countedGwei * 1e9).toBeGreaterThanOrEqual(Number(spentWei));
});
