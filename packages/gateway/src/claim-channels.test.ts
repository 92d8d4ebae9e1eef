/** When a gateway claims the channels of its routes by itself. */
import { expect, test } from "vitest";
import { claimEveryMs } from "./claim-channels.ts";
import { gatewayConfig } from "./configuration/gateway-file.testing.ts";

const hour = 3_600_000;
const kept = { keepVouchers: async () => ({ kind: "none" }) as const };

const everyMs = (
  channels: readonly unknown[],
  facilitators: Parameters<typeof claimEveryMs>[1],
) => {
  const routes = channels.map((channel, nth) => {
    return { match: `GET /${nth}`, upstream: "api", price: "0.01", channel };
  });
  return claimEveryMs(gatewayConfig({ routes }), facilitators);
};

test("it claims three times within the shortest delay, where a facilitator keeps no vouchers", () => {
  expect(everyMs([true], [{}])).toBe(8 * hour);
  expect(everyMs([true, false, { withdrawDelay: "15m" }], [{}])).toBe(hour / 12);
  // Either of them may have the channels.
  expect(everyMs([true], [kept, {}])).toBe(8 * hour);
});

test("it leaves claims to facilitators that keep the vouchers, and to no one without channels", () => {
  expect(everyMs([true], [kept])).toBeUndefined();
  expect(everyMs([false], [{}])).toBeUndefined();
});
