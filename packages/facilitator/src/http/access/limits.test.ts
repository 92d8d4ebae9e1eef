import type { Address } from "@farthing/protocol";
import { expect, test } from "vitest";
import type { Clock } from "@farthing/engine/base";
import type { CallerRequest } from "./caller.ts";
import { createThrottle, prepareLimits, refundJunk } from "./limits.ts";

const account: Address = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const head = { header: () => undefined };
const requestFrom = (ip: string): CallerRequest => ({ id: "req", ip, headers: {}, apiKey: null });

/** A limit of requests in ten seconds, and whether another request passes it. */
function createAsker(requestsMax: number) {
  let nowMs = 0;
  const clock: Clock = { nowMs: () => nowMs, sleep: () => Promise.reject(new Error("no sleep")) };
  const makeLimit = prepareLimits(clock, true);
  const throttle = createThrottle(makeLimit, requestsMax, { clock, isForSettle: false });
  const passes = (request: CallerRequest, caller: { account: Address } | null) =>
    throttle(request, head, caller).then(
      () => true,
      () => false,
    );
  return {
    advance: (ms: number) => void (nowMs += ms),
    asks: (ip: string) => passes(requestFrom(ip), null),
    /** With a key; the payment of the request is junk or not. */
    async asksWithKey({ isJunk }: { isJunk: boolean }) {
      const request = requestFrom("203.0.113.7");
      const isPassed = await passes(request, { account });
      if (isPassed && isJunk) refundJunk(request, { code: "invalid_signature" });
      return isPassed;
    },
  };
}

test("a window of ten seconds begins with the first request, and the next one with the first after it", async () => {
  const { asks, advance } = createAsker(1);
  expect(await asks("203.0.113.7")).toBe(true);
  advance(9_999);
  expect(await asks("203.0.113.7")).toBe(false);
  advance(1);
  expect(await asks("203.0.113.7")).toBe(true);
});

test("the addresses of one IPv6 connection are one caller", async () => {
  const { asks } = createAsker(1);
  expect(await asks("2001:db8:1:1::1")).toBe(true);
  expect(await asks("2001:db8:1:1:ffff::2")).toBe(false);
  expect(await asks("2001:db8:1:2::1")).toBe(true);
});

test("what junk gives back is gone with its window", async () => {
  const { asksWithKey, advance } = createAsker(1);
  for (let asked = 0; asked < 10; asked++) await asksWithKey({ isJunk: true });
  advance(10_000);
  // As many as the limit of a key allows, and none for the junk of ten seconds ago.
  for (let asked = 0; asked < 10; asked++) {
    expect(await asksWithKey({ isJunk: false })).toBe(true);
  }
  expect(await asksWithKey({ isJunk: false })).toBe(false);
});

const ipOf = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

test("where there are too many callers to count, the one that asked last is not forgotten", async () => {
  const { asks } = createAsker(2);
  const frequent = "203.0.113.7";
  const quiet = "203.0.113.8";
  for (const ip of [frequent, quiet, quiet]) await asks(ip);
  for (let index = 0; index < 9_998; index++) await asks(ipOf(index));
  expect(await asks(frequent)).toBe(true);
  await asks(ipOf(9_998));
  expect(await asks(frequent)).toBe(false);
  expect(await asks(quiet)).toBe(true);
});
