/** Every check before a signature: what it refuses, with which code, and nothing is signed. */
import { apothem, xdc } from "@farthing/protocol";
import { expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "../buyer-bench.testing.ts";
import type { Quote } from "./quote.ts";
import {
  bodyChallenge,
  challenge,
  oneCent,
  otherPayee,
  payer,
  payTo,
  startSeller,
  type Answer,
  type SeenRequest,
} from "../scripted-seller.testing.ts";
import { wrapFetch, type BuyerOptions, type CallTerms } from "../wrap-fetch.ts";

const entry = {
  scheme: "exact",
  network: "eip155:50",
  amount: "10000",
  asset: xdc.usdc,
  payTo,
  maxTimeoutSeconds: 60,
  extra: { name: "USDC", version: "2" },
};

interface Case {
  readonly name: string;
  readonly entry?: object;
  readonly options?: Partial<BuyerOptions>;
  readonly terms?: CallTerms;
  readonly code: string;
  readonly says?: RegExp;
}

const cases: readonly Case[] = [
  ...["0.01", "0x2710", "-10000", "", "0", " 10000", "1e4", `1${"0".repeat(40)}`].map((amount) => ({
    name: `amount "${amount}"`,
    entry: { amount },
    code: "amount_unparseable",
  })),
  { name: "amount as a number", entry: { amount: 10_000 }, code: "amount_unparseable" },
  {
    name: "bridged USDC.e",
    entry: { asset: "0x2A8E898b6242355c290E1f4Fc966b8788729A4D4" },
    code: "asset_not_allowed",
    says: /bridged USDC\.e/,
  },
  { name: "another token", entry: { asset: otherPayee }, code: "asset_not_allowed" },
  { name: "Apothem's token on mainnet", entry: { asset: apothem.usdc }, code: "asset_not_allowed" },
  {
    name: "wrong extra.name",
    entry: { extra: { name: "USD Coin", version: "2" } },
    code: "token_domain_mismatch",
    says: /"USD Coin".*"USDC"/,
  },
  {
    name: "wrong extra.version",
    entry: { extra: { name: "USDC", version: "1" } },
    code: "token_domain_mismatch",
  },
  { name: "unknown network", entry: { network: "eip155:8453" }, code: "network_not_allowed" },
  {
    name: "network not on the list",
    options: { allow: { networks: ["xdc-apothem"] } },
    code: "network_not_allowed",
  },
  {
    name: "host not on the list",
    options: { allow: { hosts: ["api.example.com"] } },
    code: "host_not_allowed",
  },
  {
    name: "payee not on the list",
    options: { allow: { payees: [otherPayee] } },
    code: "payee_not_allowed",
  },
  {
    name: "the payer is the payee",
    entry: { payTo: payer.toLowerCase() },
    code: "payee_not_allowed",
  },
  { name: "the token is the payee", entry: { payTo: xdc.usdc }, code: "payee_not_allowed" },
  {
    name: "nobody is the payee",
    entry: { payTo: `0x${"0".repeat(40)}` },
    code: "challenge_invalid",
  },
  {
    name: "too short to settle",
    entry: { maxTimeoutSeconds: 29 },
    code: "challenge_invalid",
    says: /30 s/,
  },
  { name: "another scheme", entry: { scheme: "upto" }, code: "challenge_invalid" },
  {
    name: "above the default limit",
    entry: { amount: "100001" },
    code: "per_payment_cap",
    says: /0\.100001 USDC is above 0\.1 USDC/,
  },
  {
    name: "above a set limit",
    options: { limits: { perCall: "0.009999" } },
    code: "per_payment_cap",
  },
  {
    name: "above this call's limit",
    terms: { maxAmount: "0.009" },
    code: "per_payment_cap",
    says: /for this call/,
  },
  {
    name: "above the day's limit",
    options: { limits: { perDay: "0.005" } },
    code: "cumulative_cap",
  },
  {
    name: "other terms than agreed",
    terms: { agreed: { amountUnits: 9_999n, asset: xdc.usdc, payTo } },
    code: "challenge_changed",
  },
  {
    name: "another payee than agreed",
    terms: { agreed: { amountUnits: 10_000n, asset: xdc.usdc, payTo: otherPayee } },
    code: "challenge_changed",
  },
  {
    name: "another asset than agreed",
    terms: { agreed: { amountUnits: 10_000n, asset: otherPayee, payTo } },
    code: "challenge_changed",
  },
];

test.each(cases)("$name is refused with $code", async (one) => {
  const unpaid = bodyChallenge([{ ...entry, ...one.entry }], { x402Version: 2 });
  await using seller = await startSeller({ unpaid });
  const { pay, signer, ledger } = buyerBench(one.options);
  const payment = { requestId: "r", ...one.terms };
  const error = await paymentErrorOf(pay(seller.url, { payment }));
  expect(error.code).toBe(one.code);
  if (one.says) expect(error.message).toMatch(one.says);
  expect(error.problem.payment_state).toBe("unused");
  expect(signer.count).toBe(0);
  expect(seller.paid).toHaveLength(0);
  expect(await ledger.find("r")).toBeUndefined();
});

test.each([
  ["the limit itself", { limits: { perCall: "0.01", perDay: "0.01" } }, {}],
  ["allowed host with port or without", { allow: { hosts: ["127.0.0.1"] } }, {}],
  ["allowed payee in another case", { allow: { payees: [payTo.toLowerCase()] } }, {}],
  ["allowed network by its label", { allow: { networks: ["xdc"] } }, {}],
  ["the agreed terms", {}, { agreed: { amountUnits: 10_000n, asset: xdc.usdc, payTo } }],
  ["the threshold itself", { limits: { askAbove: "0.01" }, approve: () => false }, {}],
  ["no limit per day", { limits: { perDay: false } }, {}],
] as const)("%s is paid", async (_, options, payment) => {
  await using seller = await startSeller();
  expect((await buyerBench(options).pay(seller.url, { payment })).payment.state).toBe("settled");
});

test("the day's limit rolls: what is 24 hours old counts no more", async () => {
  await using seller = await startSeller();
  const { pay, clock } = buyerBench({ limits: { perDay: "0.02" } });
  await pay(seller.url);
  clock.time += 60 * 60 * 1000;
  await pay(seller.url);
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("cumulative_cap");
  clock.time += 23 * 60 * 60 * 1000;
  expect((await pay(seller.url)).payment.state).toBe("settled");
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("cumulative_cap");
});

test("what is not known to be settled counts for the day, also when it has expired", async () => {
  await using seller = await startSeller({ paid: [{ status: 200, body: "no receipt" }] });
  const { pay, clock } = buyerBench({ limits: { perDay: "0.01" } });
  expect((await pay(seller.url)).payment.state).toBe("ambiguous");
  clock.time += 23 * 60 * 60 * 1000;
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("cumulative_cap");
  clock.time += 60 * 60 * 1000;
  expect((await pay(seller.url)).payment.state).toBe("ambiguous");
});

test("limits are kept for each network by itself", async () => {
  await using main = await startSeller();
  await using testnet = await startSeller({
    unpaid: challenge({
      ...oneCent,
      network: apothem,
      networkName: apothem.id,
      asset: apothem.usdc,
    }),
  });
  const { pay } = buyerBench({ limits: { perDay: "0.01" } });
  await pay(main.url);
  await pay(testnet.url);
  expect((await paymentErrorOf(pay(testnet.url))).code).toBe("cumulative_cap");
});

test("too many payments without an outcome stop the next one", async () => {
  await using seller = await startSeller({ paid: [{ status: 200 }] });
  const { pay, signer } = buyerBench();
  for (let count = 0; count < 5; count++) await pay(seller.url);
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("open_payments_limit");
  expect(signer.count).toBe(5);
});

function movingPayee(seen: SeenRequest): Answer {
  return challenge({ ...oneCent, payTo: seen.path === "/moved" ? otherPayee : payTo });
}

test("another payee at the same host is refused, or asked about where there is an approver", async () => {
  await using seller = await startSeller({ unpaid: movingPayee });
  const moved = new URL("/moved", seller.url).href;
  const { pay, signer } = buyerBench();
  await pay(seller.url);
  expect((await paymentErrorOf(pay(moved))).code).toBe("payee_changed");
  expect(signer.count).toBe(1);

  const asked: Quote[] = [];
  const approving = buyerBench({
    approve: (quote) => {
      asked.push(quote);
      return true;
    },
  });
  await approving.pay(seller.url);
  await approving.pay(moved);
  await approving.pay(moved);
  expect(asked.map((quote) => quote.payTo)).toEqual([otherPayee]);
});

test("payees that are listed may take each other's place", async () => {
  await using seller = await startSeller({ unpaid: movingPayee });
  const { pay } = buyerBench({ allow: { payees: [payTo, otherPayee] } });
  await pay(seller.url);
  const moved = new URL("/moved", seller.url).href;
  expect((await pay(moved)).payment.state).toBe("settled");
});

test("the approver is asked above the threshold, about exactly this request", async () => {
  await using seller = await startSeller({ unpaid: challenge({ ...oneCent, amount: 60_000n }) });
  const asked: Quote[] = [];
  const { pay, signer } = buyerBench({
    approve: (quote) => {
      asked.push(quote);
      return asked.length > 1;
    },
  });
  const init = { method: "POST", body: "x" };
  expect((await paymentErrorOf(pay(seller.url, init))).code).toBe("approval_required");
  expect(signer.count).toBe(0);
  expect((await pay(seller.url, init)).payment.state).toBe("settled");
  expect(asked[1]).toMatchObject({
    method: "POST",
    url: seller.url,
    payTo,
    amountUsdc: "0.060000",
  });
  expect(asked[1]?.bodyHash).toMatch(/^0x[0-9a-f]{64}$/);
});

function cannedChallenge(): Promise<Response> {
  const { headers = {}, body = "" } = challenge();
  const lines = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return Promise.resolve(new Response(body, { status: 402, headers: lines }));
}

test("plain http is paid on this machine only", async () => {
  const { signer } = buyerBench();
  const pay = wrapFetch(cannedChallenge, { signer });
  expect((await paymentErrorOf(pay("http://api.example.com/"))).code).toBe("insecure_url");
  expect((await pay.quote("https://api.example.com/")).isRequired).toBe(true);
  expect(signer.count).toBe(0);
});

test("a 402 behind a redirect to another origin is not paid", async () => {
  await using far = await startSeller();
  await using near = await startSeller({ unpaid: { status: 302, headers: { Location: far.url } } });
  const { pay, signer } = buyerBench();
  expect((await paymentErrorOf(pay(near.url))).code).toBe("cross_origin");
  expect(signer.count).toBe(0);
});

function movedPath(seen: SeenRequest): Answer {
  return seen.path === "/r" ? { status: 307, headers: { Location: "/final" } } : challenge();
}

test("a GET redirected within the site is paid where it led; a POST is not", async () => {
  await using seller = await startSeller({ unpaid: movedPath });
  await buyerBench().pay(seller.url);
  expect(seller.paid.map(({ path }) => path)).toEqual(["/final"]);
  const call = buyerBench().pay(seller.url, { method: "POST", body: "x" });
  expect((await paymentErrorOf(call)).code).toBe("challenge_invalid");
  expect(seller.paid).toHaveLength(1);
});

test("a redirect of the paid request is not followed: nobody else sees the payment", async () => {
  await using far = await startSeller();
  const paid = [{ status: 307, headers: { Location: far.url } }];
  await using near = await startSeller({ paid });
  const response = await buyerBench().pay(near.url, { redirect: "follow" });
  expect(response.payment).toMatchObject({ state: "ambiguous", problem: { error: "redirected" } });
  expect(far.requests).toHaveLength(0);
});

test.each([
  ["perCall", { perCall: "1,5" }],
  ["perDay", { perDay: "0.0000001" }],
  ["openPayments", { openPayments: 0 }],
])("limits.%s that makes no sense stops at once", (name, limits) => {
  expect(() => buyerBench({ limits })).toThrow(name);
});
