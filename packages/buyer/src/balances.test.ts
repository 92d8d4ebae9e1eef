/** Balances: topped up once, and again only when too little is left. */
import { expect, test } from "vitest";
import { buyerBench } from "./buyer-bench.testing.ts";
import { memoryLedger } from "./ledger/memory-ledger.ts";
import {
  challenge,
  oneCent,
  receiptHeader,
  startSeller,
  type Answer,
  type SeenRequest,
} from "./scripted-seller.testing.ts";

const token = (nth: number) => `${"cd".repeat(16)}.${nth}`;

const toppedUp = (nth: number): Answer => ({
  headers: { ...receiptHeader(), "PAYMENT-PASS": token(nth), "X-Balance-Remaining": "9000" },
  body: `paid ${nth}`,
});

const shown = ({ headers }: SeenRequest) => headers["payment-pass"];

/** A challenge that tops up balances, with the reason why the one that was shown pays nothing. */
function asks(error = "Payment required"): Answer {
  const { headers = {}, ...rest } = challenge({ ...oneCent, balance: { reserve: 5_000n } });
  const required = JSON.parse(atob(String(headers["PAYMENT-REQUIRED"])));
  const header = btoa(JSON.stringify({ ...required, error }));
  return { ...rest, headers: { ...headers, "PAYMENT-REQUIRED": header } };
}

/** A shop where a request costs 4,000 base units; `isGood` says which token is not replaced. */
function openShop(isGood: (nth: string | undefined) => boolean = () => true) {
  let left = 9_000;
  const unpaid = (request: SeenRequest): Answer => {
    const given = shown(request);
    if (given === undefined) return asks();
    if (!isGood(String(given).at(-1))) return asks("balance_unknown");
    if (left < 5_000) {
      left += 9_000;
      return asks("balance_exhausted");
    }
    left -= 4_000;
    const headers = { "X-Balance-Remaining": `${left}`, "X-Request-Cost": "4000" };
    return { headers, body: "used" };
  };
  return startSeller({ unpaid, paid: [toppedUp(1), toppedUp(2), toppedUp(3)] });
}

test("one payment serves requests until too little is left, and then the next one", async () => {
  await using seller = await openShop();
  const { pay, signer } = buyerBench();
  const said: unknown[] = [];
  for (let nth = 0; nth < 5; nth++) {
    const { payment } = await pay(`${seller.url}?day=${nth}`);
    said.push(payment.state === "not_required" ? payment.balance : payment.state);
  }
  const cost = "4000";
  expect(said).toEqual([
    "settled",
    { remaining: "5000", cost },
    { remaining: "1000", cost },
    "settled",
    { remaining: "6000", cost },
  ]);
  expect(signer.count).toBe(2);
  const tokens = seller.requests.map((request) => shown(request)?.at(-1));
  expect(tokens).toEqual([undefined, undefined, "1", "1", "1", undefined, "2"]);
});

test("the ledger keeps a balance for the next run", async () => {
  await using seller = await openShop();
  const ledger = memoryLedger();
  await buyerBench({ ledger }).pay(seller.url);
  const { pay, signer } = buyerBench({ ledger });
  expect((await pay(seller.url)).payment).toMatchObject({ balance: { remaining: "5000" } });
  expect(signer.count).toBe(0);
});

test("top-ups at one time: whichever token is the last, nothing is paid again", async () => {
  for (const last of ["1", "2", "3"]) {
    await using seller = await openShop((nth) => nth === last);
    const { pay, signer } = buyerBench();
    await Promise.all([pay(seller.url), pay(seller.url), pay(seller.url)]);
    for (let nth = 0; nth < 2; nth++) expect(await (await pay(seller.url)).text()).toBe("used");
    expect(signer.count).toBe(3);
  }
});

test("an exhausted balance is shown again where its top-up is refused", async () => {
  await using seller = await openShop();
  const { pay, signer } = buyerBench({ limits: { perDay: "0.01" } });
  for (let nth = 0; nth < 3; nth++) await pay(seller.url);
  await expect(pay(seller.url)).rejects.toMatchObject({ code: "cumulative_cap" });
  expect(await (await pay(seller.url)).text()).toBe("used");
  expect(signer.count).toBe(1);
});
