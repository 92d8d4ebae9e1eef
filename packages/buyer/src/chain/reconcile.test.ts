/** Payments without an outcome, on a real chain: what it proves, and what it does not. */
import { startDevnet, type Devnet, type DevnetWallet } from "@farthing/devnet";
import { present } from "@farthing/devnet/testing";
import { apothem, authorizationTypedData, refundNonce, type Address } from "@farthing/protocol";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "../buyer-bench.testing.ts";
import {
  challenge,
  fakeClock,
  oneCent,
  receiptHeader,
  startSeller,
  type Answer,
  type FakeClock,
  type ScriptedSeller,
} from "../scripted-seller.testing.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { contractWalletSigner, privateKeySigner } from "../signer.ts";
import { wrapFetch, type BuyerOptions } from "../wrap-fetch.ts";
import { readRefunds } from "./read-refunds.ts";

let devnet: Devnet;
let buyer: DevnetWallet;
let clock: FakeClock;
/** Unix seconds; each test has ten hours of its own, ahead of the machine's clock. */
let hour = 2_000_000_000;

beforeAll(async () => {
  devnet = await startDevnet({ blockTimeSeconds: 0, buyers: 1, relayers: 1 });
  await devnet.rpc("anvil_autoImpersonateAccount", [true]);
  const [first] = devnet.buyers;
  if (!first) throw new Error("The devnet has no buyer.");
  buyer = first;
});
afterAll(() => devnet?.stop());

beforeEach(async () => {
  // Longer than what any test mines or waits.
  hour += 36_000;
  clock = fakeClock();
  clock.time = hour * 1000;
  await blockAt(0);
});

/** Mines a block at so many seconds after the test began, and the payment was signed. */
async function blockAt(seconds: number): Promise<void> {
  await devnet.setNextBlockTimestamp(hour + seconds);
  await devnet.mine();
}

/** The devnet finalizes two blocks back. */
async function finalize(): Promise<void> {
  await devnet.mine(2);
}

const payment = { requestId: "order" };
const content: Answer = { body: "content" };

/** A seller on the devnet's network who gives no receipts; the price is a cent, valid for 60 s. */
function startSilentSeller(paid: readonly Answer[] = [content]): Promise<ScriptedSeller> {
  const offer = {
    ...oneCent,
    network: apothem,
    networkName: apothem.id,
    asset: apothem.usdc,
    payTo: devnet.seller.address,
  };
  return startSeller({ unpaid: challenge(offer), paid });
}

function bench(over: Partial<BuyerOptions> = {}) {
  const signer = privateKeySigner(buyer.privateKey);
  return buyerBench({ signer, runtime: clock, rpcUrl: devnet.rpcUrl, ...over });
}

test("used, with the transfer of our terms: settled, whoever sent it and whatever was said", async () => {
  await using seller = await startSilentSeller();
  const { pay, ledger } = bench();
  expect((await pay(seller.url, { payment })).payment.state).toBe("ambiguous");
  const transaction = await present(devnet, seller.payment());
  expect(await pay.reconcile()).toMatchObject([{ outcome: "settled" }]);
  expect(await ledger.find("order")).toMatchObject({
    state: "settled",
    evidence: "chain",
    transaction,
    settledAt: clock.time,
  });
  expect(await pay.reconcile()).toEqual([]);
});

test("a contract wallet's payment is found like any other", async () => {
  await using seller = await startSilentSeller();
  const { address, owner } = devnet.smartWallet;
  const { pay } = bench({
    signer: contractWalletSigner(address, privateKeySigner(owner.privateKey)),
  });
  await pay(seller.url, { payment });
  const transaction = await present(devnet, seller.payment());
  expect(await pay.reconcile("order")).toMatchObject([
    { outcome: "settled", record: { wallet: address, transaction } },
  ]);
});

test("unused: open until it has expired in a final block, then released and payable anew", async () => {
  await using seller = await startSilentSeller();
  const { pay, ledger } = bench();
  await pay(seller.url, { payment });
  const scope = { wallet: buyer.address, network: apothem.id, asset: apothem.usdc };
  const spent = async () => (await ledger.usage(scope, 0)).spentUnits;
  const outcome = async () => (await pay.reconcile("order"))[0]?.outcome;
  expect(await outcome()).toBe("open");
  await blockAt(59);
  await finalize();
  expect(await outcome()).toBe("open");
  await blockAt(60);
  // Expired in the newest block, which may still be undone.
  expect([await outcome(), await spent()]).toEqual(["open", 10_000n]);
  await finalize();
  expect([await outcome(), await spent()]).toEqual(["released", 0n]);
  expect((await paymentErrorOf(pay.resume("order"))).problem).toMatchObject({
    error: "payment_released",
    retry_action: "resign",
    payment_state: "unused",
  });
  await pay(seller.url, { payment });
  expect(await ledger.find("order")).toMatchObject({ attempt: 1, state: "ambiguous" });
  const [one, two] = [0, 1].map((at) => seller.payment(at).authorization.nonce);
  expect(two).not.toBe(one);
});

test("what another run has signed meanwhile is not released with what has expired", async () => {
  await using seller = await startSilentSeller();
  const { pay, ledger } = bench();
  await pay(seller.url, { payment });
  await blockAt(60);
  await finalize();
  let isFirst = true;
  const late: Ledger = {
    ...ledger,
    async transition(...move) {
      const isLast = isFirst && move[1].state === "released";
      if (isLast) isFirst = false;
      // Between the look at the chain and its record, another run has released and paid anew.
      if (isLast) await pay.reconcile("order");
      if (isLast) await pay(seller.url, { payment });
      return ledger.transition(...move);
    },
  };
  const { pay: other } = bench({ ledger: late });
  expect(await other.reconcile("order")).toMatchObject([{ outcome: "open" }]);
  expect(await ledger.find("order")).toMatchObject({ attempt: 1, state: "ambiguous" });
  expect(seller.paid).toHaveLength(2);
});

test("a call with the id of an expired payment asks the chain by itself, then pays anew", async () => {
  await using seller = await startSilentSeller();
  const nonceSecret = new Uint8Array(32).fill(7);
  const { pay } = bench({ nonceSecret });
  await pay(seller.url, { payment });
  await blockAt(60);
  clock.time += 60_000;
  expect((await paymentErrorOf(pay(seller.url, { payment }))).code).toBe("authorization_expired");
  await finalize();
  expect((await pay(seller.url, { payment })).payment.state).toBe("ambiguous");
  const [one, two] = [0, 1].map((at) => seller.payment(at).authorization.nonce);
  // Of the secret, and yet another one: the first may have been canceled.
  expect(two).not.toBe(one);
});

test("canceled by its payer: released once that is final", async () => {
  await using seller = await startSilentSeller();
  const { pay } = bench();
  await pay(seller.url, { payment });
  const { nonce } = seller.payment().authorization;
  await devnet.cancelAuthorization({ privateKey: buyer.privateKey, nonce });
  expect(await pay.reconcile()).toMatchObject([{ outcome: "open" }]);
  await finalize();
  expect(await pay.reconcile()).toMatchObject([{ outcome: "released" }]);
});

test("a seller who names another payment's transaction has proven nothing", async () => {
  await using first = await startSilentSeller();
  const { pay, ledger } = bench();
  await pay(first.url, { payment });
  const transaction = await present(devnet, first.payment());
  await pay.reconcile();
  const said = { success: false, errorReason: "settlement_pending", transaction };
  const answer = { status: 402, headers: { ...receiptHeader(said), "Retry-After": "3600" } };
  await using liar = await startSilentSeller([answer]);
  await pay(liar.url, { payment: { requestId: "other" } });
  expect(await ledger.find("other")).toMatchObject({ state: "ambiguous", transaction });
  expect(await pay.reconcile()).toMatchObject([{ outcome: "open" }]);
});

/** The part of a log that names its contract, as nodes write it. */
const logOf = (address: Address) => `"address":"${address.toLowerCase()}"`;

test("another token's transfer, and an event that was undone, prove nothing", async () => {
  await using seller = await startSilentSeller();
  let [said, instead] = ["", ""];
  const pay = wrapFetch(
    async (input, init) => {
      const response = await fetch(input, init);
      return input === devnet.rpcUrl
        ? new Response((await response.text()).replaceAll(said, instead))
        : response;
    },
    { signer: privateKeySigner(buyer.privateKey), runtime: clock, rpcUrl: devnet.rpcUrl },
  );
  await pay(seller.url, { payment });
  await present(devnet, seller.payment());
  const outcome = async () => (await pay.reconcile("order"))[0]?.outcome;
  [said, instead] = [logOf(apothem.usdc), logOf(devnet.seller.address)];
  expect(await outcome()).toBe("open");
  [said, instead] = ['"removed":false', '"removed":true'];
  expect(await outcome()).toBe("open");
  [said, instead] = ["", ""];
  expect(await outcome()).toBe("settled");
});

test("what earlier runs left open is asked about before the first payment", async () => {
  await using seller = await startSilentSeller();
  const limits = { openPayments: 1 };
  const { pay, ledger } = bench({ limits });
  await pay(seller.url, { payment });
  await present(devnet, seller.payment());
  const signer = privateKeySigner(buyer.privateKey);
  const options = { signer, ledger, limits, runtime: clock };
  const blind = wrapFetch(fetch, { ...options, rpcUrl: "none" });
  expect((await paymentErrorOf(blind(seller.url))).code).toBe("open_payments_limit");
  const started = wrapFetch(fetch, { ...options, rpcUrl: devnet.rpcUrl });
  expect((await started(seller.url)).payment.state).toBe("ambiguous");
});

test("what ended by the clock alone today gives its limit back where the chain says that it was unused", async () => {
  await using seller = await startSilentSeller();
  const limits = { perDay: "0.01" };
  const { pay, ledger } = bench({ limits, rpcUrl: "none" });
  await pay(seller.url, { payment });
  clock.time += 120_000;
  expect(await pay.reconcile()).toMatchObject([{ outcome: "expired" }]);
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("cumulative_cap");
  await blockAt(60);
  await finalize();
  const { pay: started } = bench({ limits, ledger });
  expect((await started(seller.url)).payment.state).toBe("ambiguous");
  expect(await ledger.find("order")).toMatchObject({ state: "released" });
});

test("a node that is dead, or of another chain, decides nothing and stops nothing", async () => {
  await using seller = await startSilentSeller();
  const { pay, ledger } = bench();
  await pay(seller.url, { payment });
  await present(devnet, seller.payment());
  const signer = privateKeySigner(buyer.privateKey);
  await using wrong = await startSeller({
    unpaid: { body: JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x32" }) },
  });
  for (const rpcUrl of ["http://127.0.0.1:1", wrong.url, seller.url]) {
    const other = wrapFetch(fetch, { signer, ledger, rpcUrl, runtime: clock });
    const [result] = await other.reconcile();
    expect(result?.outcome).toBe("open");
    expect(result?.reason).not.toContain("127.0.0.1");
    expect((await other(seller.url)).payment.state).toBe("ambiguous");
  }
});

test("found however many blocks ago it was, also by a node that hides what is final", async () => {
  await using seller = await startSilentSeller();
  const hiding = wrapFetch(
    async (input, init) => {
      const hides = typeof init?.body === "string" && init.body.includes('"finalized"');
      return hides ? Response.json({ error: { code: -32602 } }) : fetch(input, init);
    },
    { signer: privateKeySigner(buyer.privateKey), runtime: clock, rpcUrl: devnet.rpcUrl },
  );
  await hiding(seller.url, { payment });
  const transaction = await present(devnet, seller.payment());
  await devnet.mine(3000);
  expect(await hiding.reconcile()).toMatchObject([{ outcome: "settled", record: { transaction } }]);

  clock.time += 4_000_000;
  await hiding(seller.url, { payment: { requestId: "unused" } });
  const outcome = async () => (await hiding.reconcile("unused"))[0]?.outcome;
  await devnet.setNextBlockTimestamp(clock.time / 1000 + 60);
  await devnet.mine(12);
  expect(await outcome()).toBe("open");
  await devnet.mine(1);
  expect(await outcome()).toBe("released");
});

test("what came back of a payment is found by its nonces alone, and no limit is given back", async () => {
  await using seller = await startSilentSeller();
  const { pay, ledger } = bench({ limits: { perDay: "0.01" } });
  await pay(seller.url, { payment });
  await present(devnet, seller.payment());
  await pay.reconcile();
  const read = async (rpcUrl = devnet.rpcUrl) => {
    const record = await ledger.find("order");
    return record && readRefunds(fetch, [rpcUrl], record);
  };
  expect(await read()).toEqual({ state: "known", refunds: [] });
  const { nonce } = seller.payment().authorization;
  const paid = { chainId: apothem.chainId, asset: apothem.usdc, payer: buyer.address, nonce };
  const { address: from, privateKey } = devnet.seller;
  const signNonce = async (ordinal: number, to: Address, value: bigint) => {
    const times = { validAfter: 0n, validBefore: BigInt(hour + 600) };
    const authorization = { from, to, value, ...times, nonce: refundNonce(paid, ordinal) };
    const typed = authorizationTypedData(apothem, authorization);
    return { authorization, signature: await privateKeySigner(privateKey).signTypedData(typed) };
  };
  // The first nonce pays somebody else, and the second one nobody.
  await present(devnet, await signNonce(0, devnet.smartWallet.address, 1_000n));
  await devnet.cancelAuthorization({ privateKey, nonce: refundNonce(paid, 1) });
  const transaction = await present(devnet, await signNonce(2, buyer.address, 4_000n));
  const refund = { ordinal: 2, units: 4_000n, transaction };
  expect(await read()).toEqual({ state: "known", refunds: [{ ...refund, isFinal: false }] });
  await finalize();
  expect(await read()).toEqual({ state: "known", refunds: [{ ...refund, isFinal: true }] });
  expect(await read("http://127.0.0.1:1")).toMatchObject({ state: "unknown" });
  const again = await paymentErrorOf(pay(seller.url, { payment: { requestId: "next" } }));
  expect(again.code).toBe("cumulative_cap");
});
