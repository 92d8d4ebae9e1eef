/** The operator learns what a settlement costs and earns, and of a loss, while payments go on. */
import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "@farthing/devnet";
import { silentLog } from "@farthing/engine/base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { examine } from "../../src/operations/doctor.ts";
import {
  bodyOn,
  createSteeredClock,
  environmentOn,
  memberAt,
  serveOn,
  startChain,
  type Served,
} from "../support/facilitator.testing.ts";

const gwei = 1_000_000_000n;
const usual = (25n * gwei) / 2n;

const folder = mkdtempSync(join(tmpdir(), "farthing-xdc-price-"));
const stack = new AsyncDisposableStack();
let devnet: Devnet;

beforeAll(async () => {
  stack.defer(() => rmSync(folder, { recursive: true }));
  devnet = await startChain({ gasPriceWei: usual, relayers: 2 });
  stack.defer(() => devnet.stop());
});
afterAll(() => stack.disposeAsync());

async function networkOf(at: Served): Promise<Readonly<Record<string, unknown>>> {
  const { networks } = Object((await at.get("/v1/status")).body);
  return Object(Array.isArray(networks) ? networks[0] : undefined);
}

async function metricsOf({ metricsUrl }: Served): Promise<Record<string, number>> {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  const found = text.matchAll(/^x402_(xdc_price|settlement_(?:cost|income))_usdc\S* (\S+)$/gm);
  return Object.fromEntries([...found].map(([, name = "", value]) => [name, Number(value)]));
}

/** A service at rest reads blocks now and then; a question wakes it. */
async function afterQuestion<T>(at: Served, look: () => T): Promise<T> {
  await at.post("/api/facilitator/verify", bodyOn(devnet));
  return look();
}

/** The doctor's line about costs, with its status. */
async function costLineOf(env: Readonly<Record<string, string>>): Promise<string> {
  const lines: string[] = [];
  const source = { env: environmentOn(devnet, { env }) };
  for await (const section of examine(source, { rateSeconds: 0.1 })) {
    for (const { name, status, text } of section.lines) {
      if (name === "costs") lines.push(`${status}: ${text}`);
    }
  }
  return lines.join("\n");
}

const sold = { FARTHING_CREDITS_PER_SETTLEMENT: "1", FARTHING_XDC_PRICE: "0.05" };

test("a gas price that makes settlements a loss is said in log, metrics, status and doctor, and stops nothing", async () => {
  const events: unknown[] = [];
  const note = (fields: object) => void events.push(fields);
  const clock = createSteeredClock();
  const served = await serveOn(devnet, {
    clock,
    log: { ...silentLog, warn: note, info: note },
    selfBuilt: false,
    env: { ...sold, FARTHING_METRICS_PORT: "0" },
  });
  stack.defer(() => served.stop());
  expect(await networkOf(served)).toMatchObject({
    settlementCostXdc: "0.001125",
    settlementCostUsdc: "0.000057",
    settlementFeeUsdc: "0.001000",
  });
  const losses = () =>
    events.filter((one) => String(memberAt(Object(one), "event")).startsWith("settlement_loss"));
  expect(losses()).toEqual([]);

  await devnet.setGasPrice(625n * gwei);
  await devnet.mine();
  clock.hurryFromMs = 1_000;
  const loss = {
    event: "settlement_loss",
    network: "eip155:51",
    costXdc: "0.05625",
    costUsdc: "0.002813",
    incomeUsdc: "0.001",
  };
  await expect.poll(() => afterQuestion(served, losses)).toEqual([loss]);
  expect(await metricsOf(served)).toEqual({
    xdc_price: 0.05,
    settlement_cost: 0.002813,
    settlement_income: 0.001,
  });
  expect(await costLineOf(sold)).toMatch(/^warn: .*0\.002813 USDC, and earns 0\.001 USDC$/);
  expect(await costLineOf({})).toMatch(
    / XDC and earns nothing, as FARTHING_CREDITS_PER_SETTLEMENT asks for no credit/,
  );
  expect((await served.get("/ready")).status).toBe(200);
  // The caller's wait is not hurried.
  clock.hurryFromMs = Number.POSITIVE_INFINITY;
  const settled = await served.post("/api/facilitator/settle", bodyOn(devnet));
  expect(settled.body).toMatchObject({ success: true });

  clock.hurryFromMs = 1_000;
  await devnet.setGasPrice(usual);
  await devnet.mine();
  const over = { event: "settlement_loss_ended", incomeUsdc: "0.001" };
  const seen = () => afterQuestion(served, losses);
  await expect.poll(seen).toMatchObject([loss, over]);
});

const problem = (text: RegExp) => ({
  event: "xdc_price_rejected",
  problem: expect.stringMatching(text),
});

test("the price in a file is reread, a wrong or old one is named, and a last good one counts while it is young", async () => {
  const path = join(folder, "xdc-price");
  /** Replaces the file as a careful program does. */
  const write = (text: string, writtenMs = Date.now()) => {
    writeFileSync(`${path}.new`, text);
    utimesSync(`${path}.new`, writtenMs / 1000, writtenMs / 1000);
    renameSync(`${path}.new`, path);
  };
  const events: unknown[] = [];
  const note = (fields: object) => void events.push(fields);
  const clock = createSteeredClock();
  const env = { ...sold, FARTHING_XDC_PRICE: path, FARTHING_METRICS_PORT: "0" };
  const served = await serveOn(devnet, {
    wallets: [1],
    selfBuilt: false,
    clock,
    log: { ...silentLog, warn: note, info: note },
    env,
  });
  stack.defer(() => served.stop());
  clock.hurryFromMs = 1_000;
  const ofPrice = () =>
    events.filter((one) => String(memberAt(Object(one), "event")).startsWith("xdc_price"));
  const costNow = async () => (await networkOf(served))["settlementCostUsdc"];
  const soon = { timeout: 60_000 };
  expect(await costNow()).toBeNull();
  await expect.poll(ofPrice, soon).toMatchObject([problem(/xdc-price cannot be read/)]);
  const known = async () => {
    const text = await (await fetch(`${served.metricsUrl}/metrics`)).text();
    return /^x402_xdc_price_known\S* (\S+)$/m.exec(text)?.[1];
  };
  expect(await known()).toBe("0");
  // Nothing is known, so nothing is shown.
  expect(await metricsOf(served)).toEqual({ settlement_income: 0.001 });

  write("0.05\n");
  await expect.poll(costNow, soon).toBe("0.000057");
  expect(await known()).toBe("1");
  write("0.5");
  await expect.poll(costNow, soon).toBe("0.000563");
  write("half a dollar");
  await expect.poll(() => ofPrice().length, soon).toBe(3);
  expect(ofPrice()[2]).toMatchObject(problem(/no price in USDC such as 0\.05, but half a dollar/));
  expect(await costNow()).toBe("0.000563");
  write("0.05", Date.now() - 25 * 60 * 60 * 1000);
  await expect.poll(costNow, soon).toBeNull();
  expect(ofPrice().at(-1)).toMatchObject(problem(/not written for more than 24 hours/));
  expect(await known()).toBe("0");
  expect((await served.get("/ready")).status).toBe(200);
});

test.each(["0", "-1", "1e3", "0.0000000000001", "1000000", "much"])(
  "%j is no price of XDC",
  (text) => {
    const env = { ...environmentOn(devnet), FARTHING_XDC_PRICE: text };
    expect(() => readConfig({ env })).toThrow(/FARTHING_XDC_PRICE/);
  },
);
