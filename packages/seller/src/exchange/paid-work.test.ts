/** Paid work that never ends: the buyer gets another try, and the seller hears of it. */
import { afterEach, expect, test, vi } from "vitest";
import { pay } from "../buyer.testing.ts";
import { createSeller, type SellerEvent } from "../index.ts";

afterEach(() => void vi.useRealTimers());

test("is given up after ten minutes, and done again for the repeat, free of charge", async () => {
  let settles = 0;
  const events: SellerEvent["type"][] = [];
  const transaction = `0x${"cd".repeat(32)}`;
  const seller = createSeller({
    facilitator: {
      verify: async () => ({ kind: "verdict", verdict: { isValid: true } }),
      settle: async () => {
        settles++;
        const settlement = { success: true, transaction, network: "eip155:50" };
        return { kind: "settlement", settlement };
      },
      settlement: async () => ({ kind: "not_found" }),
    },
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    price: "0.01",
    onEvent: ({ type }) => void events.push(type),
  });
  let served = 0;
  const serving = Promise.withResolvers<void>();
  const charge = (headers: HeadersInit) =>
    seller
      .charge(new Request("http://shop.example/a", { headers }), () =>
        ++served === 1 ? new Promise<Response>(() => serving.resolve()) : new Response("at last"),
      )
      .then(({ response }) => response);
  const headers = await pay(await charge({}), "v2");
  vi.useFakeTimers();
  const hanging = charge(headers);
  await serving.promise;
  await vi.advanceTimersByTimeAsync(10 * 60 * 1000);
  const failed = await hanging;
  expect(failed.status).toBe(504);
  expect(await failed.json()).toMatchObject({ error: "paid_undelivered", retryable: true });
  expect(await (await charge(headers)).text()).toBe("at last");
  expect([served, settles]).toEqual([2, 1]);
  expect(events).toEqual(["challenged", "undelivered", "delivered"]);
});
