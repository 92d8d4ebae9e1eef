/** What goes on by itself when a buyer was told to come back: how often, how long, to what end. */
import { headerNames, type SettleResponse } from "@farthing/protocol";
import { expect, test } from "vitest";
import { pay } from "../buyer.testing.ts";
import type { Clock } from "../clock.ts";
import type { Facilitator, SettleOutcome } from "../facilitator.ts";
import { createSeller, type SellerEvent, type RouteOptions } from "../index.ts";

const transaction = `0x${"cd".repeat(32)}`;
const network = "eip155:50";
const confirmed: SettleResponse = { success: true, transaction, network };
const fault: SettleOutcome = { kind: "fault", reason: "unreachable", message: "x" };
const settled = (settlement: SettleResponse): SettleOutcome => ({ kind: "settlement", settlement });

/** A seller whose facilitator answers `/settle` as told, and whose background time is in hand. */
async function scene(outcomes: SettleOutcome[], own: RouteOptions = {}) {
  let nowMs = Date.now();
  const events: SellerEvent["type"][] = [];
  const pausesMs: number[] = [];
  let wake: (() => void) | undefined;
  const clock: Clock = {
    now: () => nowMs,
    sleep: (ms, where) =>
      new Promise((resolve) => {
        if (where === "background") pausesMs.push(ms);
        wake = () => {
          nowMs += ms;
          resolve();
        };
      }),
  };
  let settles = 0;
  const facilitator: Facilitator = {
    verify: async () => ({ kind: "verdict", verdict: { isValid: true } }),
    settle: async () => (settles++, outcomes.shift() ?? fault),
    settlement: async () => ({ kind: "not_found" }),
  };
  const seller = createSeller(
    {
      facilitator,
      payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
      price: "0.01",
      maxTimeoutSeconds: 3600,
      settle: "after-success",
      onEvent: ({ type }) => void events.push(type),
      ...own,
    },
    clock,
  );
  let served = 0;
  const charge = (headers?: HeadersInit) =>
    seller
      .charge(
        new Request("http://shop.example/a", headers ? { headers } : {}),
        () => new Response(`made ${++served}`),
      )
      .then(({ response }) => response);
  const headers = await pay(await charge(), "v2");
  events.length = 0;
  const first = await charge(headers);
  expect([first.status, first.headers.get(headerNames.paymentRequired)]).toEqual([503, null]);
  return {
    events,
    pausesMs,
    settles: () => settles,
    repeat: () => charge(headers),
    /** Lets the next pause end, and what it was the pause before happen. */
    async goOn(): Promise<void> {
      wake?.();
      wake = undefined;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("an answer waits for the money, which is asked for without the buyer", async () => {
  const at = await scene([fault, fault, settled(confirmed)]);
  await at.goOn();
  await at.goOn();
  expect(at.events).toEqual(["facilitator_fault", "facilitator_fault", "settled"]);
  expect(at.pausesMs).toEqual([1_000, 2_000]);
  const response = await at.repeat();
  expect([response.status, await response.text()]).toEqual([200, "made 1"]);
  expect(at.settles()).toBe(3);
});

test("a failure for good frees the payment", async () => {
  const failed = { ...confirmed, success: false, errorReason: "transaction_reverted" };
  const at = await scene([fault, settled(failed), settled(confirmed)]);
  await at.goOn();
  expect(at.events).toEqual(["facilitator_fault", "failed"]);
  const response = await at.repeat();
  expect([response.status, await response.text()]).toEqual([200, "made 2"]);
});

test("it ends after ten minutes, with pauses of half a minute at most", async () => {
  const at = await scene([]);
  for (let round = 0; round < 40; round++) await at.goOn();
  expect(at.pausesMs.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  const totalMs = at.pausesMs.reduce((sum, ms) => sum + ms, 0);
  expect(totalMs).toBeLessThanOrEqual(600_000);
  expect(totalMs).toBeGreaterThan(560_000);
  expect(at.settles()).toBe(1 + at.pausesMs.length);
});

test("a repeat that settles meanwhile leaves it nothing to do", async () => {
  const at = await scene([fault, settled(confirmed)]);
  expect((await at.repeat()).status).toBe(200);
  await at.goOn();
  expect([at.pausesMs, at.settles()]).toEqual([[1_000], 2]);
});

test("no money is pressed for where no answer is kept for it", async () => {
  const at = await scene([fault, settled(confirmed)], { stream: true });
  await at.goOn();
  expect(at.settles()).toBe(1);
  // Only the buyer, by coming again, asks for the stream and its money.
  expect(await (await at.repeat()).text()).toBe("made 2");
});
