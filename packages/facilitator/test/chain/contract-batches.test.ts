/**
 * With a batch contract, payments of contract wallets share transactions with others: on a real chain,
 * over HTTP. Whatever some wallets do in the block, everybody else is paid, and what callers are told
 * agrees with the chain. Blocks are made by the test.
 */
import { hostileFlag, hostileSignature, type Devnet } from "@farthing/devnet";
import type { SafeWallet } from "@farthing/devnet/testing/safe";
import type { Hex, JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  batcher,
  bySafe,
  makeSafe,
  placeContracts,
  withBatcher,
} from "../support/batch-contract.testing.ts";
import {
  bodyOn,
  finalAfterBlocks,
  oneCent,
  payerAndNonceOf,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { openStore } from "../../src/features/open-store.ts";
import { byHostile, placeHostile } from "../support/hostile-wallets.testing.ts";

let devnet: Devnet;
let served: Served | undefined;
const safes: SafeWallet[] = [];

beforeAll(async () => {
  devnet = await startChain({ buyers: 40, relayers: 9 });
  await placeContracts(devnet);
  for (const [owners, threshold] of [
    [1, 1],
    [3, 2],
    [5, 5],
  ] as const) {
    for (let made = 0; made < 4; made++) safes.push(await makeSafe(devnet, owners, threshold));
  }
});
afterAll(() => devnet?.stop());
beforeEach(() => automine(false));
afterEach(async () => {
  await raise(false);
  await automine(true);
  await devnet.mine();
  await served?.stop();
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);

/** The flag of wallets that burn their gas once their simulation has passed. */
const raise = (isUp: boolean) =>
  devnet.rpc("anvil_setBalance", [hostileFlag, isUp ? "0x1" : "0x0"]);

/** With one transaction at a time, so that what comes meanwhile waits together. */
async function serve(
  wallet: number,
  { env = withBatcher, databaseUrl }: { env?: Record<string, string>; databaseUrl?: string } = {},
): Promise<Served> {
  const given = databaseUrl === undefined ? {} : { databaseUrl };
  served = await serveOn(devnet, {
    wallets: [wallet],
    env: { FARTHING_LANE_IN_FLIGHT: "1", ...env },
    ...given,
  });
  return served;
}

const plain = (buyer: number) => bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) });
const ofSafes = () => safes.map((safe) => bySafe(devnet, safe));
const hostile = async () => byHostile(devnet, await placeHostile(devnet), hostileSignature("flag"));

const settle = async (at: Served, body: JsonObject, prefer: string) =>
  (await at.post("/settle", body, { prefer })).body;

/** Keeps the wallet busy while the others wait, then lets them go out; gives their settlements. */
async function sendTogether(at: Served, bodies: readonly JsonObject[]): Promise<JsonObject[]> {
  await settle(at, plain(39), "respond-async");
  const waiting = await Promise.all(bodies.map((body) => settle(at, body, "wait=0")));
  for (const one of waiting) expect(one).toMatchObject({ status: "pending", transaction: "" });
  await devnet.mine();
  const pages = () => Promise.all(waiting.map(({ id }) => pageOf(at, id)));
  const areSent = async () => (await pages()).every(({ transaction }) => transaction !== "");
  await expect.poll(areSent, { interval: 100 }).toBe(true);
  return pages();
}

const pageOf = async (at: Served, id: unknown) => (await at.get(`/settlements/${String(id)}`)).body;

/** Makes blocks until all have an outcome; gives their pages. */
async function outcomesOf(at: Served, sent: readonly JsonObject[]): Promise<JsonObject[]> {
  let pages: JsonObject[] = [];
  const areOver = async () => {
    await devnet.mine(finalAfterBlocks);
    pages = await Promise.all(sent.map(({ id }) => pageOf(at, id)));
    return pages.every(({ status }) => status !== "pending");
  };
  await expect.poll(areOver, { interval: 200 }).toBe(true);
  return pages;
}

interface MinedCall {
  readonly to: string;
  readonly gas: Hex;
  readonly gasPrice: Hex;
}

const callOf = (hash: unknown) => devnet.rpc<MinedCall>("eth_getTransactionByHash", [hash]);

/** The transactions of these pages, each once, with what the chain has of them. */
async function carriersOf(pages: readonly JsonObject[]): Promise<MinedCall[]> {
  return Promise.all([...new Set(pages.map(({ transaction }) => transaction))].map(callOf));
}

const isToBatcher = ({ to }: MinedCall) => to.toLowerCase() === batcher.toLowerCase();

/** What callers were told agrees with the chain, payment by payment and in the payee's balance. */
async function expectAgreement(
  bodies: readonly JsonObject[],
  pages: readonly JsonObject[],
  received: bigint,
): Promise<void> {
  const uses = await Promise.all(bodies.map((body) => usesOf(devnet, body)));
  for (const [index, page] of pages.entries()) {
    const isConfirmed = page["status"] === "confirmed";
    expect(uses[index]).toEqual(isConfirmed ? [page["transaction"]] : []);
  }
  const confirmed = pages.filter(({ status }) => status === "confirmed").length;
  expect(received).toBe(BigInt(confirmed) * oneCent);
}

/** INVALID, which takes all gas of its call. */
const burningCode = "0xfe";

/** Returns ERC-1271's magic value, whatever it is asked. */
const accepting = "631626ba7e60e01b60005260206000f3";

/** Runtime code of wallets that change their mind, in the bytes of the EVM. */
const codes = {
  accepts: `0x${accepting}`,
  /** balance(flag) == 0 ? accepts : returns nothing. */
  refusesByFlag: `0x73${hostileFlag.slice(2).toLowerCase()}3115601b57005b${accepting}`,
  /** block.number > last ? burns : accepts. */
  burnsAfter: (last: number): Hex =>
    `0x63${last.toString(16).padStart(8, "0")}431115600c57fe5b${accepting}`,
} as const;

const fickleWallet = (index: number): Hex => `0x1271f1c${"0".repeat(31)}${index}a`;

const paid = (count: number) => Array.from({ length: count }, () => "confirmed");

const balance = () => devnet.usdc.balanceOf(devnet.seller.address);

test("refuses to start where the contract is another one, and says what to do", async () => {
  const env = { FARTHING_BATCHER_51: devnet.multicall3 };
  const refused = serve(0, { env });
  await expect(refused).rejects.toThrow(/batch contract: .* has the code hash 0x.* instead of 0x/);
  await expect(refused).rejects.toThrow(/farthing batcher deploy --network eip155:51/);
  const missing = serve(0, { env: { FARTHING_BATCHER_51: `0x${"12".repeat(20)}` } });
  await expect(missing).rejects.toThrow(/batch contract: no contract at 0x1212/);
});

test("Safes of every kind and plain payers share one transaction, and all are paid", async () => {
  const at = await serve(1);
  const bodies = [...ofSafes(), plain(0), plain(1)];
  const before = await balance();
  const sent = await sendTogether(at, bodies);
  const pages = await outcomesOf(at, sent);
  const carriers = await carriersOf(pages);
  expect(carriers).toHaveLength(1);
  expect(carriers.every(isToBatcher)).toBe(true);
  // Not the most that each may use, but what a simulation has shown, with a margin.
  expect(Number(carriers[0]?.gas)).toBeLessThan(bodies.length * 200_000);
  expect(pages.every(({ status }) => status === "confirmed")).toBe(true);
  await expectAgreement(bodies, pages, (await balance()) - before - oneCent);
});

test("one Safe alone is paid by a call of the token, as without the contract", async () => {
  const at = await serve(2);
  const [safe] = safes;
  if (!safe) throw new Error("there are Safes");
  const sent = await settle(at, bySafe(devnet, safe), "respond-async");
  const [page] = await outcomesOf(at, [sent]);
  expect(page).toMatchObject({ status: "confirmed" });
  const carrier = await callOf(page?.["transaction"]);
  expect(carrier.to.toLowerCase()).toBe(devnet.token.toLowerCase());
});

test("a wallet that burns its gas in the block takes nobody else's, and is paused", async () => {
  const at = await serve(3);
  const [burner, other] = [await hostile(), await hostile()];
  const bodies = [burner, ...ofSafes().slice(0, 4), other, plain(2)];
  const before = await balance();
  const sent = await sendTogether(at, bodies);
  await raise(true);
  const pages = await outcomesOf(at, sent);
  expect((await carriersOf(pages)).every(isToBatcher)).toBe(true);
  expect(pages.map(({ status }) => status)).toEqual(["failed", ...paid(4), "failed", "confirmed"]);
  await expectAgreement(bodies, pages, (await balance()) - before - oneCent);
  await raise(false);
  const { payer } = payerAndNonceOf(burner);
  const again = byHostile(devnet, payer, hostileSignature("flag"));
  expect((await at.post("/verify", again)).body).toMatchObject({ invalidReason: "payer_paused" });
});

test("wallets that refuse by a flag or by the block's number take nobody else's, and are paused", async () => {
  const at = await serve(7);
  const next = Number(await devnet.rpc<Hex>("eth_blockNumber")) + 1;
  // Both accept until the batch has been simulated, which is one block later than the check.
  const fickle = [codes.refusesByFlag, codes.burnsAfter(next)].map((code, index) => ({
    code,
    wallet: fickleWallet(index),
  }));
  for (const { code, wallet } of fickle) {
    await devnet.rpc("anvil_setCode", [wallet, code]);
    await devnet.usdc.setBalance(wallet, 2n * oneCent);
  }
  const ofFickle = () => fickle.map(({ wallet }) => byHostile(devnet, wallet, "0x00"));
  const bodies = [...ofFickle(), ...ofSafes().slice(0, 4), plain(36)];
  const before = await balance();
  const sent = await sendTogether(at, bodies);
  await raise(true);
  const pages = await outcomesOf(at, sent);
  expect((await carriersOf(pages)).every(isToBatcher)).toBe(true);
  expect(pages.map(({ status }) => status)).toEqual(["failed", "failed", ...paid(5)]);
  await expectAgreement(bodies, pages, (await balance()) - before - oneCent);
  for (const { wallet } of fickle) await devnet.rpc("anvil_setCode", [wallet, codes.accepts]);
  for (const body of ofFickle()) {
    expect((await at.post("/verify", body)).body).toMatchObject({ invalidReason: "payer_paused" });
  }
});

test("a plain payer whose account gets code after the check takes nobody else's gas", async () => {
  const at = await serve(4);
  const bodies = [plain(3), ...ofSafes().slice(0, 3), plain(4)];
  const before = await balance();
  const sent = await sendTogether(at, bodies);
  const { payer } = payerAndNonceOf(bodies[0] ?? {});
  // As a delegation of EIP-7702 in the same block would: code that fails on any signature.
  await devnet.rpc("anvil_setCode", [payer, burningCode]);
  const pages = await outcomesOf(at, sent);
  await devnet.rpc("anvil_setCode", [payer, "0x"]);
  expect(pages.map(({ status }) => status)).toEqual(["failed", ...paid(4)]);
  await expectAgreement(bodies, pages, (await balance()) - before - oneCent);
});

test("a restart without the setting finishes what was sent to the contract", async () => {
  const at = await serve(5);
  const burner = await hostile();
  const bodies = [burner, ...ofSafes().slice(0, 5)];
  const before = await balance();
  const sent = await sendTogether(at, bodies);
  const { databaseUrl } = at;
  await at.stop();
  await raise(true);
  const again = await serve(5, { env: {}, databaseUrl });
  const pages = await outcomesOf(again, sent);
  const [carrier, ...others] = await carriersOf(pages);
  expect(carrier && isToBatcher(carrier) && others.length === 0).toBe(true);
  expect(pages.map(({ status }) => status)).toEqual(["failed", ...paid(5)]);
  await expectAgreement(bodies, pages, (await balance()) - before - oneCent);
  await raise(false);
  const { payer } = payerAndNonceOf(burner);
  const more = byHostile(devnet, payer, hostileSignature("flag"));
  expect((await again.post("/verify", more)).body).toMatchObject({ invalidReason: "payer_paused" });
  // The budget of the day counts the gas of its own call, not of the transaction.
  const store = await openStore(databaseUrl);
  const { open } = await store.readRevertedGas(51, Date.now());
  await store.close();
  expect(open).toBeGreaterThan(0);
  expect(open).toBeLessThan((Number(carrier?.gas) * Number(carrier?.gasPrice)) / 1e9 / 3);
});

test("fifty in one batch: burners, Safes and plain payers", async () => {
  const at = await serve(6);
  const burners = await Promise.all(Array.from({ length: 8 }, hostile));
  const bodies = [
    ...ofSafes(),
    ...burners,
    ...Array.from({ length: 30 }, (_, index) => plain(index + 5)),
  ];
  expect(bodies).toHaveLength(50);
  const before = await balance();
  const sent = await sendTogether(at, bodies);
  await raise(true);
  const pages = await outcomesOf(at, sent);
  const isBurner = (index: number) =>
    index >= safes.length && index < safes.length + burners.length;
  expect(pages.map(({ status }) => status)).toEqual(
    bodies.map((_, index) => (isBurner(index) ? "failed" : "confirmed")),
  );
  await expectAgreement(bodies, pages, (await balance()) - before - oneCent);
});
