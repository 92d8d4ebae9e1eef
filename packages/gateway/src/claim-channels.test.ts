/** When a gateway claims the channels of its routes by itself. */
import { createMemoryGrants, openChannelDesk, type Facilitator } from "@farthing/seller";
import { expect, onTestFinished, test } from "vitest";
import { claimEveryMs, claimRegularly } from "./claim-channels.ts";
import { gatewayConfig, rule } from "./configuration/gateway-file.testing.ts";
import { takesEveryPayment } from "./gateway.testing.ts";

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

test("a gateway claims at its start, also without a log", async () => {
  const settled: object[] = [];
  const facilitator: Facilitator = {
    ...takesEveryPayment,
    settle: (...call) => {
      settled.push(call[0].paymentPayload.payload);
      return takesEveryPayment.settle(...call);
    },
  };
  const config = gatewayConfig({
    channels: { authorizerKey: `0x${"33".repeat(32)}` },
    routes: [rule("GET /a 1", { channel: true })],
  });
  const { channels } = config;
  const deps = { facilitators: [facilitator], grants: createMemoryGrants() };
  const desk = openChannelDesk({ facilitator: [facilitator], grants: deps.grants, channels });
  onTestFinished(claimRegularly(config, { ...deps, desk }));
  // What was claimed before may still have to be sent to its receiver.
  await expect.poll(() => settled).toMatchObject([{ type: "settle", receiver: config.payTo }]);
});
