/** What strangers leave open never keeps a buyer from others, and every open payment ends. */
import { startDevnet, type Devnet } from "@farthing/devnet";
import { apothem, encodeHeader, headerNames } from "@farthing/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "./buyer-bench.testing.ts";
import { publicNodes } from "./chain/nodes.ts";
import { memoryLedger } from "./ledger/memory-ledger.ts";
import { challenge, oneCent, payer, startSeller, type Answer } from "./scripted-seller.testing.ts";
import { wrapFetch } from "./wrap-fetch.ts";

const silent: Answer = { status: 200, body: "no receipt" };
const broken: Answer = { status: 500, headers: { "X-Payment-Charged": "no" }, body: "broken" };
/** How long a payment of the scripted seller can be used. */
const validMs = 60_000;
/** How long after that it gives its place back. */
const minuteMs = 60_000;

test("a host whose payments have no outcome stops payments to itself alone", async () => {
  await using bad = await startSeller({ paid: [silent] });
  await using good = await startSeller();
  const { pay } = buyerBench();
  for (let count = 0; count < 5; count += 1) await pay(bad.url);
  const error = await paymentErrorOf(pay(bad.url));
  expect(error.code).toBe("open_payments_limit");
  expect(error.message).toContain(`5 payments to ${new URL(bad.url).host} have no outcome yet`);
  expect(error.message).toContain("`farthing ledger reconcile`");
  expect((await pay(good.url)).payment.state).toBe("settled");
});

test("without any node an open payment ends a minute after it expired, and stays spent", async () => {
  await using bad = await startSeller({ paid: [silent] });
  await using other = await startSeller({ paid: [silent] });
  await using third = await startSeller();
  const { pay, clock, ledger } = buyerBench({
    limits: { openPayments: 2, openPaymentsPerHost: 2 },
  });
  const payment = { requestId: "order" };
  await pay(bad.url, { payment });
  await pay(other.url);
  const error = await paymentErrorOf(pay(third.url));
  expect(error.code).toBe("open_payments_limit");
  const end = clock.time + validMs + minuteMs;
  expect(error.message).toContain(`the next at ${new Date(end).toISOString()}`);
  clock.time = end - 1;
  expect((await paymentErrorOf(pay(third.url))).code).toBe("open_payments_limit");
  clock.time = end;
  expect((await pay(third.url)).payment.state).toBe("settled");
  const record = await ledger.find("order");
  expect(record?.state).toBe("expired");
  const scope = { wallet: payer, network: "eip155:50", asset: oneCent.asset } as const;
  expect((await ledger.usage(scope, clock.time - 3_600_000)).spentUnits).toBe(30_000n);
  // Whether it was used is not known, so the same request is not paid a second time.
  expect((await paymentErrorOf(pay(bad.url, { payment }))).code).toBe("authorization_expired");
});

test("a seller's own word that nothing was charged is told as that, and takes no place", async () => {
  await using shop = await startSeller({ paid: [broken] });
  await using refusing = await startSeller({ paid: [{ ...broken, status: 404 }] });
  await using good = await startSeller();
  const { pay } = buyerBench({ limits: { openPayments: 1, openPaymentsPerHost: 1 } });
  for (const { url } of [shop, refusing]) {
    const { payment } = await pay(url);
    const problem = "problem" in payment ? payment.problem : undefined;
    expect([payment.state, problem?.error]).toEqual(["ambiguous", "not_charged"]);
    expect(problem?.message).toContain("The seller says that nothing was charged");
  }
  // It holds the signed payment until that expires, so at its own host the place is taken.
  expect((await paymentErrorOf(pay(shop.url))).code).toBe("open_payments_limit");
  expect((await pay(good.url)).payment.state).toBe("settled");
});

test("an empty wallet is refused by the seller where no node is asked", async () => {
  const { headers, body } = challenge();
  const said = { ...JSON.parse(String(body)), error: "insufficient_funds" };
  const refusal = { ...headers, [headerNames.paymentRequired]: encodeHeader(said) };
  await using shop = await startSeller({ paid: [{ status: 402, headers: refusal }] });
  const { payment } = await buyerBench().pay(shop.url);
  const message = "problem" in payment ? payment.problem?.message : "";
  expect(message).toContain("The seller refused the payment");
  expect(message).toContain("(insufficient_funds)");
});

describe("public nodes", () => {
  const network = { network: apothem, networkName: apothem.id, asset: apothem.usdc };
  const [first, second] = publicNodes[51];
  let asked: string[];
  let devnet: Devnet;
  beforeAll(async () => {
    devnet = await startDevnet({ blockTimeSeconds: 0, buyers: 0, relayers: 1 });
  });
  afterAll(() => devnet.stop());
  beforeEach(() => {
    asked = [];
  });

  /** A fetch for which the seller has another name than its own; of the nodes, the second responds. */
  function named(name: string, shopUrl: string) {
    return async (input: string | URL, init?: RequestInit): Promise<Response> => {
      const url = String(input);
      if (url.startsWith(name)) {
        const response = await fetch(url.replace(name, shopUrl), init);
        // Without an address, as a response that was not redirected may be.
        return new Response(response.body, response);
      }
      asked.push(url);
      if (url !== second) throw new TypeError("refused");
      return fetch(devnet.rpcUrl, init);
    };
  }

  test("are asked unless told otherwise, the next one when the first fails", async () => {
    await using shop = await startSeller({ unpaid: challenge({ ...oneCent, ...network }) });
    const url = "https://shop.example";
    const { signer } = buyerBench();
    const pay = (options: { rpcUrl?: string }) =>
      wrapFetch(named(url, shop.url), { signer, ...options })(url);
    const { problem } = await paymentErrorOf(pay({}));
    expect(problem).toMatchObject({ error: "insufficient_balance", payment_state: "unused" });
    expect(new Set(asked)).toEqual(new Set([first, second]));
    asked = [];
    const { payment } = await pay({ rpcUrl: "none" });
    expect(payment.state).toBe("ambiguous");
    expect([signer.count, asked]).toEqual([1, []]);
  });

  test("are not asked about a seller on this machine, whose chain has the number of Apothem", async () => {
    await using shop = await startSeller({ unpaid: challenge({ ...oneCent, ...network }) });
    const ledger = memoryLedger();
    const { signer } = buyerBench();
    const pay = wrapFetch(named(shop.url, shop.url), { signer, ledger });
    const { payment } = await pay(shop.url);
    expect(payment.state).toBe("ambiguous");
    await pay.reconcile();
    expect([signer.count, asked]).toEqual([1, []]);
  });

  test("are asked about a seller on this machine on XDC itself", async () => {
    await using shop = await startSeller();
    const { signer } = buyerBench();
    await wrapFetch(named(shop.url, shop.url), { signer })(shop.url);
    expect(new Set(asked)).toEqual(new Set(publicNodes[50]));
  });
});
