/** Purchases of credits draw on the gas budget of callers without a key: anybody may begin them. */
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSignedIn } from "../../../test/support/browser.testing.ts";
import {
  createSteeredClock,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { beginPurchase, payPurchase, readPurchase, signPurchase } from "./purchases.testing.ts";

let devnet: Devnet;
let served: Served;
const clock = createSteeredClock();
const hourMs = 3_600_000;

beforeAll(async () => {
  // At the beginning of an hour: nothing refills while the test runs.
  clock.aheadMs = hourMs - (Date.now() % hourMs) + 60_000;
  devnet = await startChain({ buyers: 2 });
  served = await serveOn(devnet, {
    selfBuilt: false,
    clock,
    env: {
      FARTHING_TREASURY: devnet.treasury.address,
      // Each half holds ten payments at 104,000 gas and 12.5 gwei: a caller's network has one.
      FARTHING_KEYLESS_GAS_PER_DAY: "0.026",
    },
  });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

test("the share of the buyer's network bounds them; what is refused can be paid when it refills", async () => {
  const [first, second] = await Promise.all(
    [0, 1].map(async (buyer) => {
      const wallet = walletAt(devnet.buyers, buyer);
      const browser = await openSignedIn(served, { wallet });
      return { wallet, browser };
    }),
  );
  if (!first || !second) throw new Error("two were made");
  const bought = await beginPurchase(first.browser);
  const paid = await payPurchase(first.browser, bought, signPurchase(bought, first.wallet));
  expect([paid.status, paid.body]).toMatchObject([200, { state: "settling" }]);

  const purchase = await beginPurchase(second.browser);
  const signature = signPurchase(purchase, second.wallet);
  const refused = await payPurchase(second.browser, purchase, signature);
  expect([refused.status, refused.body]).toMatchObject([
    429,
    { error: "caller_gas_share_used", retryable: true },
  ]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  const { state, typedData } = purchase;
  expect(await readPurchase(second.browser, purchase)).toMatchObject({ state, typedData });

  clock.aheadMs += 24 * hourMs;
  const again = await openSignedIn(served, { wallet: second.wallet });
  const later = await beginPurchase(again);
  const settled = await payPurchase(again, later, signPurchase(later, second.wallet));
  expect([settled.status, settled.body]).toMatchObject([200, { state: "settling" }]);
});
