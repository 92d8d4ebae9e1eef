/** Passes: paid for once, shown to the origin that sold them, and never a second signature while they last. */
import { expect, test } from "vitest";
import { buyerBench } from "./buyer-bench.testing.ts";
import { memoryLedger } from "./ledger/memory-ledger.ts";
import { createPasses } from "./passes.ts";
import {
  challenge,
  oneCent,
  receiptHeader,
  startSeller,
  type Answer,
  type SeenRequest,
} from "./scripted-seller.testing.ts";

const sale = { uses: 3, validForSeconds: 3600 };
const token = (nth: number) => `${"ab".repeat(16)}.${nth}`;

/** The clock of the bench stands at this time; passes end an hour later. */
const expires = new Date(1_790_003_600_000).toISOString();

const sold = (nth: number): Answer => ({
  headers: { ...receiptHeader(), "PAYMENT-PASS": token(nth), "X-Pass-Expires": expires },
  body: `bought ${nth}`,
});

const shown = ({ headers }: SeenRequest) => headers["payment-pass"];

/** A shop that sells passes of three uses, numbered; `refuse` may say why a request is not opened. */
async function openShop(refuse: (request: SeenRequest) => string | undefined = () => undefined) {
  const left = new Map<string, number>();
  const unpaid = (request: SeenRequest): Answer => {
    const given = String(shown(request) ?? "");
    const remaining = (left.get(given) ?? 2) - 1;
    const error = refuse(request) ?? (remaining < 0 ? "pass_exhausted" : undefined);
    if (given === "" || error !== undefined) return asks(error);
    left.set(given, remaining);
    const headers = { "X-Pass-Remaining": `${remaining}`, "X-Pass-Expires": expires };
    return { headers, body: `used, ${remaining} left` };
  };
  return startSeller({ unpaid, paid: [sold(1), sold(2), sold(3)] });
}

/** A challenge that sells passes, with the reason why the one that was shown opens nothing. */
function asks(error = "Payment required"): Answer {
  const { headers = {}, ...rest } = challenge({ ...oneCent, pass: sale });
  const required = JSON.parse(atob(String(headers["PAYMENT-REQUIRED"])));
  const header = btoa(JSON.stringify({ ...required, error }));
  return { ...rest, headers: { ...headers, "PAYMENT-REQUIRED": header } };
}

test("what is remembered of tokens and of their paths is bounded", async () => {
  const passes = createPasses(memoryLedger(), () => 0);
  const opened = new Response(null, { headers: { "X-Pass-Remaining": "1" } });
  const refused = new Response(null, { status: 402 });
  const origin = "https://shop.example";
  passes.learn({ token: token(0) }, `${origin}/0`);
  const first = await passes.for(`${origin}/0`);
  if (!first) throw new Error("The token is not known.");
  for (let nth = 0; nth < 1_500; nth++) {
    await passes.recordResponse(first, `${origin}/${nth}`, opened);
  }
  expect(first.paths.size).toBe(1_000);
  for (let nth = 1; nth <= 1_001; nth++) {
    passes.learn({ token: token(nth) }, `${origin}/ended`);
    const shownOne = await passes.for(`${origin}/ended`);
    if (shownOne) await passes.recordResponse(shownOne, `${origin}/ended`, refused);
  }
  passes.learn({ token: token(2) }, `${origin}/ended`);
  expect(await passes.for(`${origin}/ended`)).toBeUndefined();
  // The longest ended one is no longer known as such.
  passes.learn({ token: token(1) }, `${origin}/ended`);
  expect((await passes.for(`${origin}/ended`))?.token).toBe(token(1));
});

test("one payment opens requests to the end of the pass, and then the next one", async () => {
  await using seller = await openShop();
  const { pay, signer } = buyerBench();
  const states: unknown[] = [];
  for (let nth = 0; nth < 5; nth++) {
    const response = await pay(`${seller.url}?day=${nth}`);
    states.push([response.payment.state, await response.text()]);
    if (nth === 1) {
      expect(response.payment).toMatchObject({ pass: { remaining: 1, expiresAt: expires } });
    }
  }
  expect(states).toEqual([
    ["settled", "bought 1"],
    ["not_required", "used, 1 left"],
    ["not_required", "used, 0 left"],
    ["settled", "bought 2"],
    ["not_required", "used, 1 left"],
  ]);
  expect(signer.count).toBe(2);
});

test("the ledger keeps a pass for the next run, and not beyond its end", async () => {
  await using seller = await openShop();
  const ledger = memoryLedger();
  await buyerBench({ ledger }).pay(seller.url);
  const { pay, clock, signer } = buyerBench({ ledger });
  expect((await pay(seller.url)).payment.state).toBe("not_required");
  clock.time = Date.parse(expires);
  expect((await pay(seller.url)).payment.state).toBe("settled");
  expect(signer.count).toBe(1);
  expect(seller.requests.filter((request) => shown(request) !== undefined)).toHaveLength(1);
});

const pad = ([path, nth]: string[]) => [path, nth];

test("another path of the origin is tried once, after a challenge that sells passes", async () => {
  await using seller = await openShop(({ path, headers }) =>
    path === "/other" && headers["payment-pass"] === token(1) ? "pass_elsewhere" : undefined,
  );
  const { pay } = buyerBench();
  await pay(seller.url);
  const other = new URL("/other", seller.url).href;
  expect(await (await pay(other)).text()).toBe("bought 2");
  const shared = new URL("/shared", seller.url).href;
  expect((await pay(shared)).payment.state).toBe("not_required");
  expect((await pay(shared)).payment.state).toBe("not_required");
  const paths = seller.requests.map((request) => [request.path, shown(request)?.at(-1)]);
  expect(paths.slice(0, 5)).toEqual(
    [["/r"], ["/r"], ["/other"], ["/other", "1"], ["/other"]].map(pad),
  );
  expect(paths.slice(5)).toEqual([["/shared"], ["/shared", "2"], ["/shared", "2"]].map(pad));
});

test("no other origin sees a token, and no redirect carries it there", async () => {
  await using elsewhere = await startSeller({ unpaid: { body: "free" } });
  await using seller = await openShop();
  const { pay } = buyerBench();
  await pay(seller.url);
  expect(await (await pay(elsewhere.url)).text()).toBe("free");
  await using moving = await startSeller({
    unpaid: (request) =>
      shown(request) === undefined ? asks() : { status: 302, headers: { Location: elsewhere.url } },
    paid: [
      { headers: { ...receiptHeader(), "PAYMENT-PASS": token(9), "X-Pass-Expires": expires } },
    ],
  });
  await pay(moving.url);
  expect((await pay(moving.url)).status).toBe(302);
  expect(elsewhere.requests.map(shown)).toEqual([undefined]);
});

test("a named request sends its id, so that repeats take one use", async () => {
  await using seller = await openShop();
  const { pay } = buyerBench();
  await pay(seller.url);
  await pay(seller.url, { payment: { requestId: "order-7" } });
  await pay(seller.url);
  const keys = seller.requests.slice(2).map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toEqual(["order-7", undefined]);
});

test("a token that the caller shows is left as it is", async () => {
  await using seller = await openShop();
  const { pay } = buyerBench();
  await pay(seller.url);
  await pay(seller.url, { headers: { "PAYMENT-PASS": token(7) } });
  expect(seller.requests.slice(2).map(shown)).toContain(token(7));
});

test("a token that is none is not kept", async () => {
  await using seller = await startSeller({
    unpaid: asks(),
    paid: [
      { headers: { ...receiptHeader(), "PAYMENT-PASS": "short", "X-Pass-Expires": expires } },
      { headers: { ...receiptHeader(), "PAYMENT-PASS": token(1), "X-Pass-Expires": "soon" } },
      { headers: receiptHeader() },
    ],
  });
  const { pay, signer } = buyerBench();
  for (let nth = 0; nth < 3; nth++) await pay(seller.url);
  expect(signer.count).toBe(3);
  expect(seller.requests.map(shown).every((one) => one === undefined)).toBe(true);
});
