/** A price that was signed before a reload: how long it buys. */
import { payFor } from "@farthing/seller/testing/buyer";
import { listen } from "@farthing/seller/testing/listen";
import { expect, onTestFinished, test, vi } from "vitest";
import { rule } from "./configuration/gateway-file.testing.ts";
import { configOf, startBefore, takesEveryPayment } from "./gateway.testing.ts";

/** The configuration's default. */
const validSeconds = 60;

const settings = (price: string) => ({
  publicUrl: "http://shop.example",
  routes: [rule(`GET /paid ${price}`)],
});

test.each([
  ["", false],
  [", however often the configuration is read again", true],
])("a price buys until the payments that were signed for it have ended%s", async (_, isAgain) => {
  const upstream = await listen((_request, response) => response.end("content"));
  const options = { facilitator: takesEveryPayment };
  const gateway = await startBefore(upstream.url, settings("0.01"), options);
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await gateway.stop();
    await upstream.close();
  });
  const url = `${gateway.url}/paid`;
  const pay = async (headers: Record<string, string>) => {
    const response = await fetch(url, { headers });
    return [response.status, await response.text()];
  };
  const [early, late] = [await payFor(url), await payFor(url)];
  gateway.reload(configOf(upstream.url, settings("0.02")));
  expect(await pay(early)).toEqual([200, "content"]);
  const now = performance.now();
  const clock = vi.spyOn(performance, "now");
  if (isAgain) {
    clock.mockReturnValue(now + (validSeconds - 1) * 1_000);
    gateway.reload(configOf(upstream.url, settings("0.02")));
  }
  clock.mockReturnValue(now + (validSeconds + 1) * 1_000);
  expect(await pay(late)).toEqual([402, expect.stringContaining("amount_mismatch")]);
});
