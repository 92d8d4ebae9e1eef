/** People pay on the page: every way there, and every way in which it can go wrong. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "./chromium.testing.ts";
import { openPaywallWindow, startPaywallStage, type PaywallStage } from "./paywall-stage.testing.ts";

const report = '{"report":1}';

describeInBrowser("the page for people", () => {
  let stage: PaywallStage;
  beforeAll(async () => {
    stage = await startPaywallStage({
      "/report": { type: "application/json", body: report, description: "One report" },
    });
  });
  afterAll(() => stage?.stop());

  test.each(["express", "core"] as const)("pays and shows the content, %s", async (seller) => {
    const buyer = stage.market.newBuyer();
    const window = await openPaywallWindow(stage, [{ name: "Alpha", keys: [buyer.privateKey] }]);
    const { page } = window;
    const answer = await page.goto(`${stage[seller]}/report`);
    expect(answer?.status()).toBe(402);
    await page.screenshot({ path: "/tmp/P/first.png", fullPage: true }); console.log(window.complaints, await page.locator("body").innerText());
    await page.getByRole("button", { name: "Alpha" }).click();
    await page.getByText("valid for 2 minutes").waitFor();
    await page.screenshot({ path: "/tmp/P/review.png", fullPage: true });
    await page.getByRole("button", { name: "Sign and pay 0.010000 USDC" }).click();
    await page.getByRole("heading", { name: "Paid 0.010000 USDC" }).waitFor();
    expect(JSON.parse((await page.locator(".content pre").textContent()) ?? "")).toEqual({ report: 1 });
    await page.screenshot({ path: "/tmp/P/paid.png", fullPage: true });
    expect(await stage.market.transfers(buyer.address)).toHaveLength(1);
    expect(window.complaints).toEqual([]);
    await window.context.close();
  });
});
