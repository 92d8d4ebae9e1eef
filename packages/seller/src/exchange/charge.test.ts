/** What `charge` returns, and the terms that it accepts beside the route's own. */
import { beforeEach, expect, test } from "vitest";
import { pay } from "../buyer.testing.ts";
import { createSeller, type SellerEvent, type Terms } from "../index.ts";

const transaction = `0x${"cd".repeat(32)}`;
const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const url = "http://shop.example/a";
const extra = { settlementId: "s1" };
const settlement = { success: true, transaction, network: "eip155:50", extra };
let calls: string[];
let events: SellerEvent[];
beforeEach(() => {
  calls = [];
  events = [];
});

const onEvent = (event: SellerEvent) => void events.push(event);
const terms = (amount: bigint): Terms => ({ amount, payTo, maxTimeoutSeconds: 300 });

/** Charges a price, with the clock of a facilitator whose every call takes 30 ms. */
function open(price: string) {
  let nowMs = Date.now();
  const answered = <T>(call: string, outcome: T): Promise<T> => {
    calls.push(call);
    nowMs += 30;
    return Promise.resolve(outcome);
  };
  const facilitator = {
    verify: () => answered("verify", { kind: "verdict", verdict: { isValid: true } } as const),
    settle: () => answered("settle", { kind: "settlement", settlement } as const),
    settlement: async () => ({ kind: "not_found" }) as const,
  };
  const clock = { now: () => nowMs, sleep: async () => undefined };
  const seller = createSeller({ facilitator, payTo, price, onEvent }, clock);
  return (headers: HeadersInit, acceptedTerms: readonly Terms[] = []) => {
    const request = new Request(url, { headers });
    return seller.charge(request, () => new Response("it"), { acceptedTerms });
  };
}

test("the value has the response, the outcome of the event, the payment and the times", async () => {
  const charge = open("0.01");
  const asked = await charge({});
  expect(asked).toMatchObject({ outcome: { type: "challenged" }, timings: {} });
  expect(asked.payment).toBeUndefined();
  const paid = await charge(await pay(asked.response, "v2"));
  expect(await paid.response.text()).toBe("it");
  const payment = { amount: "10000", network: "eip155:50", transaction, settlementId: "s1" };
  expect(paid).toMatchObject({ outcome: { type: "delivered", payment }, payment });
  expect(paid.timings).toEqual({ verifyMs: 30, settleMs: 30 });
  expect(events).toEqual([
    { url, ...asked.outcome },
    { url, ...paid.outcome },
  ]);
});

test("a payment for accepted terms buys; for others nothing is asked of the facilitator", async () => {
  const signed = await pay((await open("0.01")({})).response, "v2");
  const charge = open("0.02");
  const refused = await charge(signed, [terms(10_001n)]);
  expect(refused.outcome).toEqual({ type: "challenged", reason: "amount_mismatch" });
  expect(calls).toEqual([]);
  const bought = await charge(signed, [terms(10_001n), terms(10_000n)]);
  expect(bought).toMatchObject({ outcome: { type: "delivered" }, payment: { amount: "10000" } });
  expect(calls).toEqual(["verify", "settle"]);
});
