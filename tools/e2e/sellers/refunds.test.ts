/** Money given back: by `seller.refund` and by `farthing refund`, on a real chain. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { fileLedger } from "@farthing/buyer/file-ledger";
import { isObject, member, parseJson, readReceipt } from "@farthing/protocol";
import { createSeller, finalityAt, type RefundOutcome, type Seller } from "@farthing/seller";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { listenFetch } from "@farthing/seller/testing/listen";
import { startFarthing } from "../support/farthing-command.testing.ts";
import { startMarket, termsOn, type Market } from "../support/market.testing.ts";
import { openHonoShop } from "../support/shops.testing.ts";

/** A cent, in base units. */
const paidUnits = 10_000n;

/** Finality takes three blocks of a second; the rest is for a busy machine. */
const finalityMs = 60_000;

let market: Market;
let seller: Seller;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-refunds-"));
  market = await startMarket();
  const refundSigner = privateKeySigner(market.devnet.seller.privateKey);
  seller = createSeller({ ...termsOn(market, "public"), refundSigner });
});
afterAll(async () => {
  await market?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A sale that is final; `balance` is what its buyer has. */
async function sell(surface: "public" | "hosted" = "public") {
  const shop = await openHonoShop(market, surface);
  const { address, privateKey } = market.newBuyer();
  const ledgerFile = join(folder, `${address}.jsonl`);
  const ledger = fileLedger(ledgerFile);
  const signer = privateKeySigner(privateKey);
  const response = await wrapFetch(fetch, { signer, ledger })(shop.url);
  expect(response.status).toBe(200);
  const id = readReceipt(response.headers)?.id ?? "";
  await shop.close();
  const finalizedAt = async () => member(await read(id), "finalizedAt");
  await expect.poll(finalizedAt, { timeout: finalityMs }).toEqual(expect.any(String));
  return { id, address, ledgerFile, balance: () => market.devnet.usdc.balanceOf(address) };
}

async function read(id: string) {
  const { url, apiKey = "" } = market.facilitator("public");
  const headers = { authorization: `Bearer ${apiKey}` };
  const value = parseJson(await (await fetch(`${url}/settlements/${id}`, { headers })).text());
  return isObject(value?.value) ? value.value : {};
}

/** Runs the command as the seller does, with the key of the market unless told otherwise. */
async function farthing(args: readonly string[], environment: Record<string, string> = {}) {
  const { url, apiKey = "" } = market.facilitator("public");
  return startFarthing(args, {
    XDG_CONFIG_HOME: folder,
    FARTHING_FACILITATOR_URL: url,
    FARTHING_API_KEY: apiKey,
    FARTHING_WALLET_KEY: market.devnet.seller.privateKey,
    ...environment,
  }).ended;
}

test("a part by seller.refund, the rest by the command, and nothing more by either", async () => {
  const { id, balance, ledgerFile } = await sell();
  const before = await balance();
  const part = await seller.refund({ settlementId: id }, "0.004");
  expect(part).toMatchObject({ kind: "refund", status: "confirmed", amount: "4000" });
  expect(await balance()).toBe(before + 4_000n);
  // The node shows the payment, and what was refunded of it.
  const node = { FARTHING_RPC_URL: market.devnet.rpcUrl };
  const rest = await farthing(["refund", id, "--yes", "--json"], node);
  expect([rest.code, rest.stderr]).toEqual([0, ""]);
  expect(parseJson(rest.stdout)?.value).toMatchObject({
    refundOf: id,
    status: "confirmed",
    amount: "6000",
  });
  expect(await balance()).toBe(before + paidUnits);
  expect(await read(id)).toMatchObject({ refundedAmount: "10000", refunds: [{}, {}] });
  // The buyer asks their own node, and no facilitator.
  const buyers = { FARTHING_LEDGER: ledgerFile, FARTHING_RPC_URL: market.devnet.rpcUrl };
  const list = ["ledger", "list", "--refunds", "--json"];
  const listed = await farthing(list, buyers);
  expect([listed.code, listed.stderr]).toEqual([0, ""]);
  const amounts = { amount: "10000", refundedAmount: "10000", refundedUsdc: "0.010000" };
  expect(parseJson(listed.stdout)?.value).toMatchObject([
    { state: "settled", ...amounts, refunds: [{ amount: "4000" }, { amount: "6000" }] },
  ]);
  const table = await farthing([...list, "--no-json"], buyers);
  expect(table.stdout).toMatch(/^Time.* Refunded\n.* 0\.010000\n$/);
  expect(await seller.refund(id, 1n)).toMatchObject({
    kind: "refused",
    code: "refund_exceeds_payment",
  });
  const more = await farthing(["refund", id, "--amount", "0.01", "--yes", "--json"]);
  expect(more).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/0 base units/),
  });
  expect(await balance()).toBe(before + paidUnits);
});

// A sale of the hosted surface has no key, and is its payee's all the same.
test.each(["public", "hosted"] as const)(
  "a %s sale by the session of the account, and by no other wallet",
  async (surface) => {
    const { id, balance } = await sell(surface);
    const before = await balance();
    // A session is for the facilitator's own address, which the tap does not have.
    const environment = {
      FARTHING_API_KEY: "",
      FARTHING_FACILITATOR_URL: market.tap.upstream,
      XDG_CONFIG_HOME: join(folder, surface),
    };
    const early = await farthing(["refund", id, "--yes"], environment);
    expect(early).toMatchObject({ code: 3, stderr: expect.stringMatching(/account sign-in/) });
    expect((await farthing(["account", "sign-in"], environment)).code).toBe(0);
    const wallet = { ...environment, FARTHING_WALLET_KEY: market.newBuyer().privateKey };
    const other = await farthing(["refund", id, "--yes"], wallet);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringMatching(/payee's wallet/) });
    expect(await balance()).toBe(before);
    const refunded = await farthing(
      ["refund", id, "--amount", "0.01", "--yes", "--json"],
      environment,
    );
    expect([refunded.code, refunded.stderr]).toEqual([0, ""]);
    expect(await balance()).toBe(before + paidUnits);
  },
);

/** Runs the command against a facilitator that changes what it says of settlements. */
async function refundBy(id: string, lie: object, environment: Record<string, string> = {}) {
  const { url } = market.facilitator("public");
  const sent: string[] = [];
  const liar = await listenFetch(async (request) => {
    const { pathname, search } = new URL(request.url);
    if (request.method === "POST") sent.push(await request.text());
    const response = await fetch(`${url}${pathname}${search}`, { headers: request.headers });
    const value: unknown = await response.json();
    return Response.json({ ...(isObject(value) ? value : {}), ...lie });
  });
  onTestFinished(() => liar.close());
  const node = { FARTHING_RPC_URL: market.devnet.rpcUrl, ...environment };
  const facilitator = { FARTHING_FACILITATOR_URL: liar.url };
  const { code, stderr } = await farthing(["refund", id, "--yes"], { ...node, ...facilitator });
  return { code, stderr, sent };
}

describe("a facilitator that was taken over gets no signature by the command when", () => {
  test("it names a payer who has not paid", async () => {
    const { id } = await sell();
    const thief = market.newBuyer().address;
    for (const lie of [{ payer: thief }, { amount: "5000000" }]) {
      expect(await refundBy(id, lie)).toEqual({
        code: 1,
        stderr: expect.stringMatching(/The chain shows no payment of .* Nothing was signed/),
        sent: [],
      });
    }
  });

  test("it leaves out a refund that was made", async () => {
    const { id } = await sell();
    expect(await seller.refund(id)).toMatchObject({ kind: "refund", status: "confirmed" });
    expect(await refundBy(id, { refundedAmount: "0", refunds: [] })).toEqual({
      code: 1,
      stderr: expect.stringMatching(/refunds of 0\.01\d* USDC .* more than the facilitator says/),
      sent: [],
    });
  });

  test("no node can be asked", async () => {
    const { id } = await sell();
    const nowhere = { FARTHING_RPC_URL: "http://127.0.0.1:9/" };
    expect(await refundBy(id, {}, nowhere)).toEqual({
      code: 3,
      stderr: expect.stringMatching(/could not be compared with the chain/),
      sent: [],
    });
  });
});

test("a node tells which payment is final", async () => {
  const { id } = await sell();
  const transaction = String((await read(id))["transaction"]);
  const { devnet, network } = market;
  const finality = finalityAt(devnet.rpcUrl);
  expect(await finality({ network: network.id, transaction })).toBe("final");
  const unknown = `0x${"cd".repeat(32)}`;
  expect(await finality({ network: network.id, transaction: unknown })).toBe("open");
  await expect(finality({ network: "eip155:50", transaction })).rejects.toThrow(/another network/);
});

test("an unknown payment, and no amount", async () => {
  const id = `stl_${"0".repeat(32)}`;
  expect(await seller.refund(id)).toEqual({ kind: "not_found" });
  expect(await farthing(["refund", id, "--yes"])).toMatchObject({ code: 1, stdout: "" });
  const wrong = await farthing(["refund", id, "--amount", "much", "--yes"]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/--amount/) });
});

test("what was bought ends with its refund, also what a listener refunds that was not delivered", async () => {
  const refundSigner = privateKeySigner(market.devnet.seller.privateKey);
  const refunds: Promise<RefundOutcome>[] = [];
  const shop = createSeller({
    ...termsOn(market, "public"),
    refundSigner,
    pass: { uses: 9, validFor: "1d" },
    onEvent(event) {
      if (event.type !== "undelivered") return;
      refunds.push(shop.refund(event.payment, undefined, { waitMs: finalityMs }));
    },
  });
  const { url, close } = await listenFetch(async (request) => {
    const isBroken = request.url.endsWith("/broken");
    const serve = () => new Response("report", { status: isBroken ? 500 : 200 });
    return (await shop.charge(request, serve)).response;
  });
  const { address, privateKey } = market.newBuyer();
  const before = await market.devnet.usdc.balanceOf(address);
  const sent: Request[] = [];
  const pay = wrapFetch(
    async (...given) => {
      const request = new Request(...given);
      sent.push(request.clone());
      return fetch(request);
    },
    { signer: privateKeySigner(privateKey) },
  );
  const repeat = async () => fetch(sent.at(-1) ?? url);

  const bought = await pay(`${url}/report`);
  const token = { "PAYMENT-PASS": bought.headers.get("PAYMENT-PASS") ?? "" };
  expect((await fetch(`${url}/report`, { headers: token })).status).toBe(200);
  const id = readReceipt(bought.headers)?.id ?? "";
  // Tools without the shop's store would leave the pass open.
  const elsewhere = await seller.refund(id, undefined, { waitMs: finalityMs });
  expect(elsewhere).toMatchObject({ kind: "refused", code: "sale_not_here" });
  const command = await farthing(["refund", id, "--yes", "--json"]);
  expect(command).toMatchObject({ code: 1, stderr: expect.stringMatching(/seller\.refund/) });
  const refunded = await shop.refund(id);
  expect(refunded).toMatchObject({ kind: "refund", status: "confirmed", amount: "10000" });
  const ended = await fetch(`${url}/report`, { headers: token });
  expect([ended.status, await ended.json()]).toMatchObject([402, { error: "pass_void" }]);
  const again = await repeat();
  expect([again.status, await again.json()]).toMatchObject([409, { error: "payment_refunded" }]);

  await pay(`${url}/broken`);
  // A buyer who repeats their request meanwhile causes another event.
  const [first] = await Promise.all(refunds);
  expect(first).toMatchObject({ kind: "refund", amount: "10000" });
  const late = await repeat();
  expect([late.status, await late.json()]).toMatchObject([409, { error: "payment_refunded" }]);
  expect(await market.devnet.usdc.balanceOf(address)).toBe(before);
  await close();
});
